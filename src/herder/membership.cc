#include "herder/membership.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace fencepost::herder {

using protocol::Assignment;
using protocol::ConnectProtocol;

namespace {

// A wrong answer of the coordinator or of the leader is asked for again after this, not at once.
constexpr Duration kRejoinAfterNonsense = std::chrono::seconds(1);

assignor::Work work_of(const std::vector<std::string>& connectors, const std::vector<TaskId>& tasks) {
  assignor::Work work;
  work.connectors.insert(connectors.begin(), connectors.end());
  work.tasks.insert(tasks.begin(), tasks.end());
  return work;
}

}  // namespace

Membership::Membership(Turn& turn, const Options& options, const protocol::ConfigState& configs, ConfigLog& log,
                       MembershipHooks hooks)
    : turn_(turn),
      options_(options),
      configs_(configs),
      log_(log),
      hooks_(std::move(hooks)),
      confirmations_(turn),
      offered_(protocol::parse_connect_protocol(options.connect_protocol).value_or(ConnectProtocol::Sessioned)) {}

void Membership::enter(State state, std::string doing) {
  state_ = std::move(state);
  doing_ = std::move(doing);
  since_ = turn_.now();
  deadline_.reset();
  ++epoch_;
}

void Membership::start() {
  if (std::holds_alternative<Outside>(state_)) prepare_join("the worker starts");
}

void Membership::request_rejoin(const std::string& reason, LogPosition because_of) {
  if (std::holds_alternative<Gone>(state_) || std::holds_alternative<Outside>(state_)) return;
  rejoin_wanted_ = true;
  rejoin_reason_ = reason;
  rejoin_because_of_ = std::max(rejoin_because_of_, because_of);
  if (std::holds_alternative<Member>(state_)) prepare_join(reason);
}

void Membership::leave(const std::string& reason) {
  if (std::holds_alternative<Gone>(state_)) return;
  const bool joined = !std::holds_alternative<Outside>(state_);
  drop_leadership();
  confirmations_.answer_all(failure(ErrorKind::Fenced, "this worker has left its group"));
  enter(Gone{}, "has left the group");
  if (joined) turn_.order(LeaveGroup{reason});
}

void Membership::work_ended() {
  if (std::holds_alternative<Stopping>(state_) && !hooks_.anything_revoked_runs()) join();
}

void Membership::on(const RejoinNeeded& e) {
  if (std::holds_alternative<Outside>(state_) || std::holds_alternative<Gone>(state_) ||
      std::holds_alternative<Stopping>(state_) || std::holds_alternative<BackingOff>(state_) ||
      std::holds_alternative<Rereading>(state_)) {
    return;  // it joins anyway when it can
  }
  prepare_join(e.reason);
}

// What was revoked, and under the eager protocol everything, must have ended before anybody else may be dealt it.
void Membership::prepare_join(const std::string& reason) {
  rejoin_wanted_ = false;
  rejoin_because_of_ = kNoPosition;
  if (protocol_ == ConnectProtocol::Eager && !held_.empty()) {
    held_ = {};
    held_work_ = {};
    hooks_.work_changed({});
  }
  if (hooks_.anything_revoked_runs()) {
    enter(Stopping{}, "stopping connectors and tasks that it no longer runs, before it rejoins the group (" + reason + ")");
    return;
  }
  rejoin_reason_ = reason;
  join();
}

void Membership::join() {
  protocol::WorkerMetadata metadata{
      .url = options_.advertised_url, .config_offset = configs_.offset(), .assignment = current_assignment()};
  auto protocols = protocol::join_protocols(offered_, metadata);
  if (!protocols) {
    turn_.note(LogLevel::Error, "", "cannot tell the group what this worker runs: " + protocols.error().message());
    metadata.assignment.reset();
    protocols = protocol::join_protocols(offered_, metadata);
    if (!protocols) return;
  }
  JoinGroup order;
  for (auto& p : *protocols)
    order.protocols.push_back(MetadataOfProtocol{.protocol = std::move(p.name), .metadata = std::move(p.metadata)});
  enter(Joining{}, "rebalancing (" + rejoin_reason_ + "), waiting for the coordinator and the other workers");
  turn_.order(std::move(order));
}

std::optional<Assignment> Membership::current_assignment() const {
  if (held_.empty()) return std::nullopt;
  Assignment assignment;
  if (accepted_) {
    assignment.leader = accepted_->leader;
    assignment.leader_url = accepted_->leader_url;
    assignment.config_offset = accepted_->config_offset;
  }
  assignment.connectors = held_.connectors;
  assignment.tasks = held_.tasks;
  return assignment;
}

// ---- the leader's part of a round ----

void Membership::on(const LeaderElected& e) {
  if (!std::holds_alternative<Joining>(state_)) return;
  enter(Leading{e}, "dealing the work of generation " + e.generation.to_string() + " as leader");
  deal();
}

void Membership::deal() {
  const LeaderElected& e = std::get<Leading>(state_).event;
  member_id_ = e.member_id;
  const auto protocol = protocol::protocol_of_join_name(e.protocol);
  ever_had_company_ = ever_had_company_ || e.members.size() > 1;
  LogPosition newest = kNoPosition;
  if (protocol) {
    for (const GroupMember& member : e.members) {
      const auto metadata = protocol::decode_metadata(*protocol, member.metadata);
      if (metadata) newest = std::max(newest, metadata->config_offset);
    }
  }
  if (configs_.offset() >= newest) {
    deal_after_reading(true);
    return;
  }
  doing_ = "reading the config topic up to offset " + newest.to_string() + " before it deals the work of generation " +
           e.generation.to_string();
  deadline_ = turn_.now() + options_.worker_sync_timeout;
  log_.read_to_end("the leader is behind another worker", [this, epoch = epoch_](const Answer& answer) {
    if (epoch == epoch_) deal_after_reading(answer.has_value());
  });
}

// Whether or not the log could be read in time, everybody waits for an answer; the assignor tells all if we are still behind.
void Membership::deal_after_reading(bool) {
  const LeaderElected e = std::get<Leading>(state_).event;
  const auto protocol = protocol::protocol_of_join_name(e.protocol);
  if (!protocol) {
    turn_.note(LogLevel::Error, "",
               "the coordinator chose a protocol that this worker did not offer: " + protocol.error().message());
    enter(Member{turn_.now() + kRejoinAfterNonsense}, "waiting before it rejoins");
    return;
  }
  assignor::LeaderRound round;
  round.protocol = *protocol;
  round.leader = e.member_id;
  round.now = turn_.now();
  round.generation = e.generation;
  round.last_completed_generation = last_completed_;
  for (const GroupMember& member : e.members) {
    auto metadata = protocol::decode_metadata(*protocol, member.metadata);
    if (!metadata) {
      turn_.note(LogLevel::Warn, "",
                 "member " + member.id + " of the group sent metadata that cannot be read (" + metadata.error().message() +
                     "); it is treated as one that runs nothing");
      metadata = protocol::WorkerMetadata{};
    }
    round.members.emplace(member.id, *std::move(metadata));
  }
  if (!assignor_) assignor_.emplace(options_.scheduled_rebalance_max_delay);
  const auto dealt = assignor_->assign(round, configs_);

  SendAssignments order{.generation = e.generation, .assignments = {}};
  url_of_connector_.clear();
  url_of_task_.clear();
  for (const auto& [id, assignment] : dealt) {
    const auto& metadata = round.members.at(id);
    assignor::Load load{assignment.connectors, assignment.tasks};
    if (metadata.assignment) {
      assignor::Load kept{metadata.assignment->connectors, metadata.assignment->tasks};
      (void)kept.take(work_of(assignment.revoked_connectors, assignment.revoked_tasks));
      load.connectors.insert(load.connectors.end(), kept.connectors.begin(), kept.connectors.end());
      load.tasks.insert(load.tasks.end(), kept.tasks.begin(), kept.tasks.end());
    }
    for (const auto& connector : load.connectors) url_of_connector_[connector] = metadata.url;
    for (const auto& task : load.tasks) url_of_task_[task] = metadata.url;
    auto bytes = protocol::encode_assignment(*protocol, assignment);
    if (!bytes) turn_.note(LogLevel::Error, "", "assignment of member " + id + ": " + bytes.error().message());
    order.assignments[id] = std::move(bytes).value_or(std::string());
  }
  enter(Joining{}, "rebalancing (" + rejoin_reason_ + "), waiting for the coordinator to hand out the work of generation " +
                       e.generation.to_string());
  turn_.order(std::move(order));
}

// ---- every member's part ----

void Membership::on(const AssignmentReceived& e) {
  if (!std::holds_alternative<Joining>(state_)) return;
  const auto protocol = protocol::protocol_of_join_name(e.protocol);
  auto assignment =
      protocol ? protocol::decode_assignment(*protocol, e.assignment) : Result<Assignment>(Failure(protocol.error()));
  member_id_ = e.member_id;
  generation_ = e.generation;
  last_completed_ = e.generation;
  if (!assignment) {
    turn_.note(LogLevel::Error, "",
               "the assignment of generation " + e.generation.to_string() + " cannot be read: " + assignment.error().message());
    enter(Member{turn_.now() + kRejoinAfterNonsense}, "waiting before it rejoins, as its assignment could not be read");
    drop_leadership();
    return;
  }
  if (*protocol == ConnectProtocol::Eager && protocol_ != ConnectProtocol::Eager && !held_.empty()) {
    // The group fell back to a protocol under which everything has been dealt anew while this worker kept what it had.
    held_ = {};
    held_work_ = {};
  }
  protocol_ = *protocol;
  decide(*assignment);
}

void Membership::decide(const Assignment& assignment) {
  if (configs_.offset() < assignment.config_offset) {
    catch_up(assignment);
    return;
  }
  if (assignment.failed()) {
    drop_leadership();
    enter(Member{}, "rejoining, as the leader was behind on the config topic");
    prepare_join("the leader was behind on the config topic");
    return;
  }
  accept(assignment);
}

void Membership::accept(const Assignment& assignment) {
  const bool led = leads();
  accepted_ = assignment;
  ever_had_company_ = ever_had_company_ || !leads();
  if (led && !leads()) hooks_.lost_leadership();
  ever_settled_ = true;
  unsynced_retries_left_ = kUnsyncedRetries;
  std::optional<Time> rejoin_at;
  if (assignment.delay.count() > 0) rejoin_at = turn_.now() + assignment.delay;
  enter(Member{rejoin_at},
        rejoin_at ? "a member of generation " + generation_.to_string() + "; the work of a departed worker waits for its return"
                  : "a member of generation " + generation_.to_string());
  take(assignment);
  if (!leads()) {
    url_of_connector_.clear();
    url_of_task_.clear();
    assignor_.reset();
  }
  if (rejoin_wanted_ && rejoin_because_of_ != kNoPosition && assignment.config_offset >= rejoin_because_of_)
    rejoin_wanted_ = false;
  if (assignment.revokes()) {
    rejoin_wanted_ = true;
    rejoin_reason_ = "the leader took work from this worker";
  } else if (assignor_ && assignor_->left_deleted_work()) {
    rejoin_wanted_ = true;
    rejoin_reason_ = "a worker still runs what is deleted";
  }
  if (rejoin_wanted_) {
    // The work was taken over; only who leads and what is free to be dealt is settled by the next round.
    const std::string reason = rejoin_reason_;
    prepare_join(reason);
    return;
  }
  hooks_.settled();
}

void Membership::take(const Assignment& assignment) {
  assignor::Load next{assignment.connectors, assignment.tasks};
  const assignor::Work fresh = work_of(assignment.connectors, assignment.tasks);
  if (protocol_ != ConnectProtocol::Eager) {
    (void)held_.take(work_of(assignment.revoked_connectors, assignment.revoked_tasks));
    (void)held_.take(fresh);
    next.connectors.insert(next.connectors.end(), held_.connectors.begin(), held_.connectors.end());
    next.tasks.insert(next.tasks.end(), held_.tasks.begin(), held_.tasks.end());
  }
  held_ = std::move(next);
  held_work_ = work_of(held_.connectors, held_.tasks);
  hooks_.work_changed(fresh);
}

// ---- behind on the config log ----

void Membership::catch_up(Assignment assignment) {
  enter(CatchingUp{assignment}, "reading the config topic up to offset " + assignment.config_offset.to_string() +
                                    ", which the assignment of generation " + generation_.to_string() + " needs");
  deadline_ = turn_.now() + options_.worker_sync_timeout;
  log_.read_to_end("this worker is behind its assignment", [this, epoch = epoch_](const Answer& answer) {
    if (epoch != epoch_) return;
    const Assignment behind = std::get<CatchingUp>(state_).assignment;
    if (!answer || configs_.offset() < behind.config_offset) {
      give_up_catching_up();
    } else {
      decide(behind);
    }
  });
}

void Membership::give_up_catching_up() {
  Duration wait = options_.worker_unsync_backoff;
  if (protocol_ != ConnectProtocol::Eager) {
    // While others wait for this worker's return they keep its work back; so it tries a few times within that delay before it
    // stops it.
    if (unsynced_retries_left_ > 0) {
      wait = std::min(wait, options_.scheduled_rebalance_max_delay / 10 / unsynced_retries_left_);
      --unsynced_retries_left_;
    } else {
      turn_.note(LogLevel::Warn, "",
                 "stopping all connectors and tasks of this worker: it could not catch up with the config topic");
      held_ = {};
      held_work_ = {};
      hooks_.work_changed({});
      unsynced_retries_left_ = kUnsyncedRetries;
    }
  }
  turn_.note(LogLevel::Warn, "",
             "the config topic could not be read to its end within worker.sync.timeout.ms (" +
                 std::to_string(options_.worker_sync_timeout.count()) + "); leaving the group for " +
                 std::to_string(wait.count()) + " ms");
  drop_leadership();
  confirmations_.answer_all(failure(ErrorKind::Fenced, "this worker has left its group"));
  turn_.order(LeaveGroup{"the worker is behind on the config topic"});
  enter(BackingOff{turn_.now() + wait}, "out of the group, as it could not read the config topic to its end in time");
  deadline_ = turn_.now() + wait;
}

void Membership::reread() {
  enter(Rereading{}, "reading the config topic to its end before it rejoins the group");
  log_.read_to_end("this worker was behind", [this, epoch = epoch_](const Answer& answer) {
    if (epoch != epoch_) return;
    if (answer) {
      prepare_join("the config topic has been read");
      return;
    }
    enter(BackingOff{turn_.now() + options_.worker_sync_timeout}, "out of the group: " + answer.error().message());
    deadline_ = turn_.now() + options_.worker_sync_timeout;
  });
}

// ---- losing it ----

void Membership::on(const MembershipLost& e) {
  confirmations_.answer_all(failure(ErrorKind::Fenced, "this worker is no member of its group any more (" + e.reason + ")"));
  if (std::holds_alternative<Outside>(state_) || std::holds_alternative<Gone>(state_) ||
      std::holds_alternative<BackingOff>(state_) || std::holds_alternative<Rereading>(state_)) {
    return;
  }
  turn_.note(LogLevel::Warn, "", "lost the membership of the group: " + e.reason + "; rejoining");
  drop_leadership();
  prepare_join("the membership was lost: " + e.reason);
}

void Membership::drop_leadership() {
  const bool led = leads();
  accepted_.reset();
  if (led) hooks_.lost_leadership();
}

void Membership::confirm(Then then) {
  // Even a coordinator that knows this member again has not given it the task: that takes an assignment.
  if (!has_place()) {
    then(failure(ErrorKind::Fenced, "this worker is no member of its group"));
    return;
  }
  turn_.order(ConfirmMembership{confirmations_.ask("confirming the membership of the group", std::nullopt, std::move(then))});
}

void Membership::on(const MembershipConfirmed& e) { confirmations_.answer(e.request, std::string()); }

void Membership::on(const CoordinatorChanged& e) { coordinator_ = e.coordinator ? *e.coordinator : "none (" + e.reason + ")"; }

// ---- time ----

void Membership::on_time() {
  if (deadline_ && *deadline_ <= turn_.now()) {
    deadline_.reset();
    if (std::holds_alternative<Leading>(state_)) {
      deal_after_reading(false);
    } else if (std::holds_alternative<CatchingUp>(state_)) {
      give_up_catching_up();
    } else if (std::holds_alternative<BackingOff>(state_)) {
      reread();
    }
  }
  if (const auto* member = std::get_if<Member>(&state_);
      member != nullptr && member->rejoin_at && *member->rejoin_at <= turn_.now()) {
    prepare_join("the delay for a departed worker is over");
  }
}

std::optional<Time> Membership::next_deadline() const {
  const auto* member = std::get_if<Member>(&state_);
  return member != nullptr && member->rejoin_at ? member->rejoin_at : deadline_;
}

// ---- questions ----

bool Membership::settled() const { return std::holds_alternative<Member>(state_) && accepted_.has_value() && !rejoin_wanted_; }

std::optional<std::string> Membership::owner_url(const std::string& connector) const {
  const auto it = url_of_connector_.find(connector);
  return it == url_of_connector_.end() ? std::nullopt : std::optional(it->second);
}

std::optional<std::string> Membership::owner_url(const TaskId& task) const {
  const auto it = url_of_task_.find(task);
  return it == url_of_task_.end() ? std::nullopt : std::optional(it->second);
}

Stage Membership::stage() const {
  std::string text = doing_;
  if (!coordinator_.empty()) text += " (coordinator: " + coordinator_ + ")";
  return Stage{.component = "group", .doing = std::move(text), .since_ms = since_.time_since_epoch().count()};
}

}  // namespace fencepost::herder
