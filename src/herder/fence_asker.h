#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "herder/backoff.h"
#include "herder/events.h"
#include "herder/questions.h"

namespace fencepost::herder {

struct FenceAskerHooks {
  /// Whether it is known who leads.
  std::function<bool()> settled;
  /// Fences here if this worker leads, otherwise asks the leader; the answer comes in any case.
  std::function<void(const std::string& connector, Then then)> fence;
  /// The fence is in the config log, which has been read beyond it.
  std::function<void(const std::string& connector)> fenced;
  std::function<void(const std::string& connector, const Error& why)> given_up;
  std::function<void(const std::string& why, Then then)> read_log;
};

/// Gets the fence for connectors whose source tasks wait for it. Refusals that pass by themselves (the group rebalances, newer
/// task configs, no leader, an old key) are asked again and fail no task (B21).
class FenceAsker {
 public:
  FenceAsker(Turn& turn, FenceAskerHooks hooks) : turn_(turn), hooks_(std::move(hooks)) {}

  /// Nothing happens while the connector's fence is being asked for already.
  void want(const std::string& connector);
  void forget(const std::string& connector) { asked_.erase(connector); }
  /// The group has settled: ask now, there may be another leader.
  void settled();
  void on_time();
  [[nodiscard]] std::optional<Time> next_deadline() const;
  [[nodiscard]] std::optional<Stage> stage() const;

 private:
  struct Asked {
    Time since{};
    Backoff backoff;
    bool under_way = false;
    std::optional<Time> again_at;
    std::string last_refusal;
    std::uint64_t number = 0;
  };
  void ask(const std::string& connector);
  void answered(const std::string& connector, const Answer& answer);

  Turn& turn_;
  FenceAskerHooks hooks_;
  std::map<std::string, Asked> asked_;
  std::uint64_t last_number_ = 0;
};

}  // namespace fencepost::herder
