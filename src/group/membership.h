#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "group/group_client.h"
#include "net/backoff.h"
#include "wire/apis.h"

namespace fencepost::group {

/// What GroupClient does on the loop's thread: one request of JoinGroup or SyncGroup at a time, and heartbeats beside them.
///
/// An answer counts only in the round in which its request was sent; losing the membership, leaving and stopping begin a new
/// round.
class Membership : public std::enable_shared_from_this<Membership> {
 public:
  Membership(net::Cluster& cluster, Settings settings, GroupClient::Report report, Log log);

  void join(std::vector<herder::MetadataOfProtocol> protocols);
  void sync(Generation generation, std::map<std::string, std::string> assignments);
  void confirm(RequestId request);
  void leave(const std::string& reason, std::function<void()> done);
  void stop();

 private:
  enum class Stage : std::uint8_t {
    Outside,              ///< nothing was ordered, or the membership was lost
    Searching,            ///< for the coordinator, or waiting before the next attempt to join
    Joining,              ///< JoinGroup is under way
    AwaitingAssignments,  ///< this worker leads and the herder works them out
    Syncing,              ///< SyncGroup is under way
    Stable,
    RejoinReported  ///< still a member; the herder is to call join()
  };
  using JoinRequest = wire::JoinGroupRequest;
  using SyncRequest = wire::SyncGroupRequest;

  // finding the coordinator
  void search_coordinator();
  void coordinator_answered(const Result<net::Cluster::Coordinators>& all);
  void coordinator_found(const net::Endpoint& endpoint);
  void coordinator_lost(const std::string& reason);

  // joining
  void try_to_join();
  void try_to_join_later();
  void join_answered(Result<JoinRequest::Response> answer);
  void join_refused(std::int16_t code);
  void joined(JoinRequest::Response answer);
  void send_sync(std::map<std::string, std::string> assignments);
  void sync_answered(Result<SyncRequest::Response> answer);

  // staying
  void beat();
  struct Beat {
    net::SteadyTime sent;
    Generation generation;
    std::vector<RequestId> confirms;  ///< what its success answers
  };
  void heartbeat_answered(const Result<wire::HeartbeatResponse>& answer, const Beat& beat);
  void still_member(const Beat& beat);
  void plan_heartbeat();
  void in_contact_since(net::SteadyTime when);
  void session_over();
  void rejoin_needed(const std::string& reason);
  void lost(const std::string& reason);
  void forget_member();

  [[nodiscard]] bool is_member() const { return generation_ != kNoGeneration; }
  [[nodiscard]] bool request_under_way() const { return stage_ == Stage::Joining || stage_ == Stage::Syncing; }
  [[nodiscard]] Duration rebalance_request_timeout() const;
  [[nodiscard]] std::string coordinator_name() const { return coordinator_ ? coordinator_->to_string() : "the coordinator"; }
  template <class Request>
  void send(net::Lane lane, Request request, Duration timeout, std::function<void(Result<typename Request::Response>)> then);

  net::Cluster& cluster_;
  Settings settings_;
  GroupClient::Report report_;
  Log log_;

  Stage stage_ = Stage::Outside;
  std::uint64_t round_ = 0;
  std::vector<herder::MetadataOfProtocol> protocols_;
  std::vector<herder::MetadataOfProtocol> protocols_sent_;  ///< with the JoinGroup of this round
  bool join_again_ = false;  ///< the metadata has changed while a request was under way, whose answer is worthless thereby
  std::string member_id_;
  Generation generation_ = kNoGeneration;
  std::string protocol_;

  std::optional<net::Endpoint> coordinator_;
  bool searching_coordinator_ = false;
  bool coordinator_reported_lost_ = false;
  net::Backoff backoff_;
  net::Timer retry_timer_;
  net::Timer search_timer_;
  net::Timer heartbeat_timer_;
  net::Timer session_timer_;
  bool heartbeat_under_way_ = false;
  std::vector<RequestId> to_confirm_;  ///< by the next heartbeat
};

}  // namespace fencepost::group
