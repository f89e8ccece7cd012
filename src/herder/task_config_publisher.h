#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "herder/backoff.h"
#include "herder/events.h"
#include "herder/questions.h"
#include "protocol/config_state.h"

namespace fencepost::herder {

struct PublisherHooks {
  std::function<bool()> settled;
  /// The run of the connector if it may be asked now.
  std::function<std::optional<RunId>(const std::string& connector)> active_run;
  /// Writes as the leader, or sends to it; the answer comes in any case.
  std::function<void(const std::string& connector, const std::vector<Properties>& configs, Then then)> publish;
};

/// Asks a connector that runs here for its task configs and publishes them where they differ from those in the log; again and
/// again with back-off until that has worked or the connector runs here no more.
class TaskConfigPublisher {
 public:
  TaskConfigPublisher(Turn& turn, const protocol::ConfigState& configs, PublisherHooks hooks)
      : turn_(turn), configs_(configs), hooks_(std::move(hooks)) {}

  void reconfigure(const std::string& connector);
  void on(const TaskConfigsGenerated& e);
  void settled();
  /// Task configs were committed. If they are incomplete, or not what this worker said last of its connector (an old request came
  /// late, a doubled forward), it says it again.
  void committed(const std::string& connector);
  void on_time();
  [[nodiscard]] std::optional<Time> next_deadline() const;
  [[nodiscard]] std::optional<Stage> stage() const;

 private:
  struct Job {
    Time since{};
    Backoff backoff;
    std::optional<RunId> asked;  ///< the run that is generating
    bool publishing = false;
    bool again = false;  ///< asked for while under way
    std::optional<Time> again_at;
    std::string last_error;
    std::uint64_t number = 0;
  };
  void generate(const std::string& connector);
  void retry(const std::string& connector, const Error& error);
  void finish(const std::string& connector);
  void publish(const std::string& connector, const std::vector<Properties>& configs);

  Turn& turn_;
  const protocol::ConfigState& configs_;
  PublisherHooks hooks_;
  std::map<std::string, std::vector<Properties>> said_;  ///< of connectors that run here, newest
  std::map<std::string, Job> jobs_;
  std::uint64_t last_number_ = 0;
};

/// Whether these task configs must be written: they differ, the last commit was incomplete, or they were made for another config
/// of the connector, whose converters and the like the tasks take over only when they start anew (B11).
[[nodiscard]] bool task_configs_are_news(const protocol::ConfigState& configs, const std::string& connector,
                                         const std::vector<Properties>& generated);

}  // namespace fencepost::herder
