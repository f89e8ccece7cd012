#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "herder/actions.h"
#include "herder/events.h"
#include "schedule.h"

namespace fencepost::simulation {

/// The broker's group coordinator of the classic protocol: joins gather until all are there or the rebalance timeout is over, the
/// leader deals, heartbeats keep members, silence removes them.
class Coordinator {
 public:
  enum class Beat { Fine, Rejoin, Unknown };
  /// Reaches a member over the network; it is for the caller to delay and to lose it.
  using Send = std::function<void(herder::Event)>;

  Coordinator(Schedule& schedule, Duration session_timeout, Duration rebalance_timeout)
      : schedule_(schedule), session_timeout_(session_timeout), rebalance_timeout_(rebalance_timeout) {}

  /// An empty or unknown id gets a new one, which is returned.
  std::string join(const std::string& member_id, const std::vector<herder::MetadataOfProtocol>& protocols, Send send);
  /// False: not the leader of this round any more.
  bool sync(const std::string& member_id, Generation generation, const std::map<std::string, std::string>& assignments);
  Beat heartbeat(const std::string& member_id, Generation generation);
  void leave(const std::string& member_id);
  [[nodiscard]] std::size_t members() const { return members_.size(); }
  [[nodiscard]] int rebalances() const { return generation_.value; }
  /// Of the newest generation.
  [[nodiscard]] const std::string& protocol() const { return protocol_; }
  [[nodiscard]] std::uint64_t protocol_changes() const { return protocol_changes_; }

 private:
  enum class State { Empty, Preparing, Completing, Stable };
  struct Member {
    std::vector<herder::MetadataOfProtocol> protocols;
    Send send;
    bool joining = false;
    bool watched = false;
    Time last_seen{};
  };
  void prepare();
  void maybe_complete(bool timed_out);
  void watch(const std::string& member_id);
  [[nodiscard]] std::string choose_protocol() const;

  Schedule& schedule_;
  Duration session_timeout_;
  Duration rebalance_timeout_;
  State state_ = State::Empty;
  std::map<std::string, Member> members_;
  std::string leader_;
  std::string protocol_;
  Generation generation_{0};
  std::uint64_t round_ = 0;
  std::uint64_t last_id_ = 0;
  std::uint64_t protocol_changes_ = 0;
};

}  // namespace fencepost::simulation
