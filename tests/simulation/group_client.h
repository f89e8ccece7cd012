#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "herder/actions.h"
#include "part.h"

namespace fencepost::simulation {

/// The membership of one worker, as src/group keeps it: joins, heartbeats, their loss. It can be cut off from the coordinator
/// while all the rest of the worker lives on.
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
  [[nodiscard]] bool cut_off() const;
  void send_join(const herder::JoinGroup& a, std::uint64_t session);
  void send_assignments(const herder::SendAssignments& a, std::uint64_t session);
  void from_coordinator(std::uint64_t session, const herder::Event& event);
  void beat();
  void send_beat();
  void lose_membership(const std::string& reason);
  void forget();

  std::string member_id_;
  Generation generation_ = kNoGeneration;
  std::uint64_t session_ = 0;  ///< of the membership: what was sent to an earlier one is dropped
  bool awaiting_join_ = false;
  bool rejoin_reported_ = false;
  Time last_beat_{};  ///< when the newest one that was answered was sent
  Time cut_off_until_{};
  std::vector<RequestId> to_confirm_;
};

}  // namespace fencepost::simulation
