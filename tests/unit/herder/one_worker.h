#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "herder/herder.h"

namespace fencepost::herder::testing {

/// "kind: message" of an answer that is an error.
inline std::string error_of(const std::optional<Response>& response) {
  if (!response) return "no answer";
  const auto* error = std::get_if<Error>(&*response);
  return error == nullptr ? "no error" : std::string(to_string(error->kind())) + ": " + error->message();
}

/// What the status topic holds of another worker; without a state its tombstone.
inline StatusRecordsRead status_of(const std::string& key, const std::string& state, int generation = 1) {
  const std::string value = R"({"state":")" + state + R"(","trace":null,"worker_id":"b:8083","generation":)" +
                            std::to_string(generation) + R"(,"version":"1.0"})";
  return {{TopicRecord{.partition = 0,
                       .offset = LogPosition{99},
                       .timestamp_ms = 0,
                       .key = key,
                       .value = state.empty() ? std::optional<std::string>() : value}}};
}

/// A worker alone in its group, with a real herder and a shell that does at once and without fault what it is told. Tests put a
/// hand in by `withhold` (an action is kept for the test to answer) and read the log of all actions.
class OneWorker {
 public:
  explicit OneWorker(Options options = default_options()) : options_(std::move(options)), herder_(options_) {}

  static Options default_options() {
    Options o;
    o.group_id = "group";
    o.worker_id = "a:8083";
    o.advertised_url = "http://a:8083/";
    o.plugins = PluginTable({{"Source", {.java_class = "Source", .kind = ConnectorKind::Source, .version = "1.0"}},
                             {"Sink", {.java_class = "Sink", .kind = ConnectorKind::Sink, .version = "2.0"}}});
    return o;
  }

  void tell(const Event& event) {
    events_.push_back(event);
    if (working_) return;
    working_ = true;
    while (!events_.empty()) {
      const Event next = events_.front();
      events_.pop_front();
      for (const Action& action : herder_.apply(next, now_)) {
        trace_.push_back(describe(action));
        actions_.push_back(action);
        if (withhold_ && withhold_(action)) continue;
        std::visit([this](const auto& a) { perform(a); }, action);
      }
    }
    working_ = false;
  }
  void start() { tell(StoresRead{}); }
  [[nodiscard]] Generation generation() const { return generation_; }
  [[nodiscard]] std::shared_ptr<const View> view() const { return herder_.view(); }
  void pass(Duration time) {
    const Time end = now_ + time;
    while (herder_.next_deadline() && *herder_.next_deadline() <= end) {
      now_ = std::max(now_, *herder_.next_deadline());
      tell(TimePassed{});
    }
    now_ = end;
  }

  /// The task's current run fails, or ends.
  void fail(const TaskId& task) {
    TaskStateChanged failed;
    failed.task = task;
    failed.run = task_runs_[task];
    failed.state = RunState::Failed;
    failed.trace = "boom";
    tell(failed);
    end(task);
  }
  void end(const TaskId& task) {
    TaskEnded ended;
    ended.task = task;
    ended.run = task_runs_[task];
    tell(ended);
  }

  /// Sends a request and gives its answer, if there is one yet.
  std::optional<Response> ask(const Request& what, Hop hop = Hop::FromClient) {
    const RequestId id{1'000'000 + ++requests_};
    tell(RequestReceived{.request = id, .hop = hop, .what = what});
    return answer(id);
  }
  std::optional<Response> answer(RequestId id) const {
    const auto it = replies_.find(id);
    return it == replies_.end() ? std::nullopt : std::optional(it->second);
  }
  std::optional<Response> last_answer() const { return answer(RequestId{1'000'000 + requests_}); }

  template <class Kind>
  std::vector<Kind> all() const {
    std::vector<Kind> found;
    for (const Action& action : actions_) {
      if (const auto* kind = std::get_if<Kind>(&action)) found.push_back(*kind);
    }
    return found;
  }
  [[nodiscard]] const std::vector<Action>& all_actions() const { return actions_; }
  void forget() {
    actions_.clear();
    trace_.clear();
  }
  std::vector<std::string> states_of(const std::string& key) const {
    std::vector<std::string> states;
    for (const auto& write : all<WriteStatusRecord>()) {
      if (write.key != key) continue;
      if (!write.value) {
        states.emplace_back("tombstone");
        continue;
      }
      const auto from = write.value->find(":\"") + 2;
      states.push_back(write.value->substr(from, write.value->find('"', from) - from));
    }
    return states;
  }
  std::string state_of(const std::string& connector) {
    const auto response = ask(GetConnectorStatus{connector});
    if (!response) return "no answer";
    if (const auto* error = std::get_if<Error>(&*response)) return error->message();
    const auto& status = std::get<ConnectorStatus>(*response);
    std::string text = status.connector.state;
    for (const auto& task : status.tasks) text += " " + std::to_string(task.task) + ":" + task.state.state;
    return text;
  }
  std::string config_keys() const {
    std::string keys;
    for (const auto& record : log_) keys += (keys.empty() ? "" : " ") + *record.key + (record.value ? "" : "!");
    return keys;
  }

  int tasks_of_each_connector = 1;
  std::function<bool(const Action&)> withhold_;
  std::vector<std::string> trace_;
  std::map<RequestId, Response> replies_;
  std::map<std::string, RunId> connector_runs_;
  std::map<TaskId, RunId> task_runs_;
  std::optional<Error> next_write_fails_;
  Generation generation_{0};
  Time now_{std::chrono::milliseconds(1'000'000)};

  void perform(const Note&) {}
  void perform(const ReadConfigLog& a) {
    tell(ConfigLogEndReached{.request = a.request, .end = LogPosition{static_cast<std::int64_t>(log_.size())}});
  }
  void perform(const WriteConfigRecords& a) {
    if (next_write_fails_) {
      tell(ConfigWriteCompleted{.request = a.request, .error = std::exchange(next_write_fails_, std::nullopt)});
      return;
    }
    ConfigRecordsRead read;
    for (const auto& r : a.records) {
      TopicRecord record{.partition = 0,
                         .offset = LogPosition{static_cast<std::int64_t>(log_.size())},
                         .timestamp_ms = 0,
                         .key = r.key,
                         .value = r.value};
      log_.push_back(record);
      read.records.push_back(record);
    }
    tell(ConfigWriteCompleted{.request = a.request, .error = std::nullopt});
    tell(read);
  }
  void perform(const ClaimConfigLog&) {}
  void perform(const ReleaseConfigLog&) {}
  void perform(const WriteStatusRecord& a) {
    tell(StatusRecordsRead{{TopicRecord{
        .partition = 0, .offset = LogPosition{++status_offset_}, .timestamp_ms = 0, .key = a.key, .value = a.value}}});
  }
  void perform(const JoinGroup& a) {
    generation_ = Generation{generation_.value + 1};
    protocol_ = a.protocols.front().protocol;
    tell(LeaderElected{.generation = generation_,
                       .member_id = "member-a",
                       .protocol = protocol_,
                       .members = {{"member-a", a.protocols.front().metadata}}});
  }
  void perform(const SendAssignments& a) {
    tell(AssignmentReceived{
        .generation = a.generation, .member_id = "member-a", .protocol = protocol_, .assignment = a.assignments.at("member-a")});
  }
  void perform(const ConfirmMembership& a) { tell(MembershipConfirmed{.request = a.request, .generation = generation_}); }
  void perform(const LeaveGroup&) {}
  void perform(const Reply& a) { replies_.emplace(a.request, a.response); }
  void perform(const ValidateConfig& a) { tell(ConfigValidated{.request = a.request, .error = std::nullopt}); }
  void perform(const ReadOffsets& a) { tell(OffsetsAnswered{.request = a.request, .text = std::string("[]")}); }
  void perform(const ChangeOffsets& a) { tell(OffsetChangeAsked{.request = a.request, .connector = a.connector}); }
  void perform(const AnswerOffsetChange& a) {
    if (a.refused) return tell(OffsetsAnswered{.request = a.request, .text = Failure(*a.refused)});
    tell(OffsetsAnswered{.request = a.request, .text = std::string("changed")});
  }
  void perform(const AskLeaderToFence&) {}
  void perform(const SendTaskConfigsToLeader&) {}
  void perform(const FenceProducers& a) { tell(ProducersFenced{.request = a.request, .error = std::nullopt}); }
  void perform(const MakeSessionKey& a) { tell(SessionKeyMade{.request = a.request, .key = std::string(a.key_bytes, 'k')}); }
  void perform(const StartConnector& a) {
    connector_runs_[a.connector] = a.run;
    report(a.connector, a.run, a.target);
  }
  void perform(const StopConnector& a) { tell(ConnectorEnded{.connector = a.connector, .run = a.run}); }
  void perform(const ChangeConnectorTarget& a) { report(a.connector, a.run, a.target); }
  void perform(const GenerateTaskConfigs& a) {
    std::vector<Properties> configs;
    for (int i = 0; i < tasks_of_each_connector; ++i) configs.push_back(Properties{{"part", std::to_string(i)}});
    tell(TaskConfigsGenerated{.connector = a.connector, .run = a.run, .configs = configs});
  }
  void perform(const StartTask& a) {
    task_runs_[a.task] = a.run;
    tell(TaskStateChanged{.task = a.task, .run = a.run, .state = state_for(a.target), .trace = ""});
  }
  void perform(const StopTask& a) { tell(TaskEnded{.task = a.task, .run = a.run}); }
  void perform(const ChangeTaskTarget& a) {
    tell(TaskStateChanged{.task = a.task, .run = a.run, .state = state_for(a.target), .trace = ""});
  }
  void perform(const HoldTask&) {}
  void perform(const AnswerOwnership&) {}
  void perform(const SetLoggerLevel&) {}
  void perform(const Terminate&) {}

 private:
  static RunState state_for(TargetState target) {
    return target == TargetState::Started  ? RunState::Running
           : target == TargetState::Paused ? RunState::Paused
                                           : RunState::Stopped;
  }
  void report(const std::string& connector, RunId run, TargetState target) {
    tell(ConnectorStateChanged{.connector = connector, .run = run, .state = state_for(target), .trace = ""});
  }

  Options options_;
  Herder herder_;
  std::deque<Event> events_;
  bool working_ = false;
  std::vector<Action> actions_;
  std::vector<TopicRecord> log_;
  std::int64_t status_offset_ = 0;
  std::string protocol_;
  std::uint64_t requests_ = 0;
};

}  // namespace fencepost::herder::testing
