#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/log.h"
#include "base/time.h"
#include "herder/actions.h"
#include "herder/events.h"
#include "net/cluster.h"

namespace fencepost::group {

struct Settings {
  std::string group_id;
  Duration session_timeout{10'000};    ///< session.timeout.ms
  Duration rebalance_timeout{60'000};  ///< rebalance.timeout.ms
  Duration heartbeat_interval{3'000};  ///< heartbeat.interval.ms
  Duration leave_timeout{3'000};       ///< how long leave() may wait for the coordinator
};

class Membership;

/// This worker's membership in its group (protocol type "connect"). It decides nothing: what happens is reported as the herder's
/// events, and the herder's orders are the methods. After RejoinNeeded and MembershipLost it waits for join(); the member id is
/// kept after the first and given up after the second. Heartbeats go on by themselves, on a connection of their own, so that
/// neither a busy herder nor a long rebalance hides a broken network.
///
/// Events:  RejoinNeeded, LeaderElected, AssignmentReceived, MembershipLost, MembershipConfirmed, CoordinatorChanged.
/// Threads: methods from any; `report` is called on the loop's thread. The loop and the cluster outlive it, and it is
///          destroyed on the loop's thread or after the loop has stopped.
class GroupClient {
 public:
  using Report = std::function<void(herder::Event)>;

  GroupClient(net::Cluster& cluster, Settings settings, Report report, Log log);
  ~GroupClient();
  GroupClient(const GroupClient&) = delete;
  GroupClient& operator=(const GroupClient&) = delete;

  /// Joins, or joins anew with other metadata; the first protocol is the preferred one. Goes on until it succeeds.
  void join(std::vector<herder::MetadataOfProtocol> protocols);
  /// The leader's answer to LeaderElected; dropped where the generation is not that one any more.
  void sync(Generation generation, std::map<std::string, std::string> assignments);
  /// Sends a heartbeat now -> MembershipConfirmed, once the coordinator has answered one that was sent after this call, or
  /// MembershipLost.
  void confirm(RequestId request);
  /// Tells the coordinator, and calls `done` when it has heard it or leave_timeout is over. Nothing is reported afterwards until
  /// join().
  void leave(std::string reason, std::function<void()> done = {});
  /// Ends all activity without telling the coordinator.
  void stop();

 private:
  net::Loop& loop_;
  std::shared_ptr<Membership> membership_;
};

}  // namespace fencepost::group
