#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "herder/actions.h"
#include "part.h"

namespace fencepost::simulation {

/// The membership of one worker, as src/group keeps it: one request of JoinGroup or SyncGroup at a time, heartbeats, their loss.
/// It can be cut off from the coordinator while all the rest of the worker lives on.
class GroupClient : public Part {
 public:
  GroupClient(Simulation& world, Process& process, std::string worker, Tell tell)
      : Part(world, process, std::move(worker), std::move(tell)) {}

  void start();
  void cut_off_until(Time end) { cut_off_until_ = end; }

  void perform(const herder::JoinGroup& a);
  void perform(const herder::SendAssignments& a);
  void perform(const herder::ConfirmMembership& a);
  void perform(const herder::LeaveGroup& a);

 private:
  enum class Stage { Idle, Joining, Dealing, Syncing };

  [[nodiscard]] bool cut_off() const;
  void send_join();
  void send_assignments(const herder::SendAssignments& a, std::uint64_t session);
  [[nodiscard]] herder::SendAssignments dealt_twice(const herder::SendAssignments& a) const;
  [[nodiscard]] herder::SendAssignments dealt_to_one(const herder::SendAssignments& a) const;
  void hear(std::uint64_t session);
  void from_coordinator(const herder::Event& event);
  void beat();
  void send_beat();
  void lose_membership(const std::string& reason);
  void forget();
  [[nodiscard]] bool request_under_way() const { return stage_ == Stage::Joining || stage_ == Stage::Syncing; }

  Stage stage_ = Stage::Idle;
  std::vector<herder::MetadataOfProtocol> protocols_;
  bool join_again_ = false;  ///< asked for while a request was under way, whose answer is worthless thereby
  std::string member_id_;
  Generation generation_ = kNoGeneration;
  std::string protocol_;       ///< of that generation
  std::uint64_t session_ = 0;  ///< of the membership: what was sent to an earlier one is dropped
  bool rejoin_reported_ = false;
  std::deque<herder::Event> heard_;  ///< answers on their way, in their order
  Time line_{};
  Time last_beat_{};  ///< when the newest one that was answered was sent
  Time cut_off_until_{};
  std::vector<RequestId> to_confirm_;
};

}  // namespace fencepost::simulation
