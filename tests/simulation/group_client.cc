#include "group_client.h"

#include <utility>

#include "simulation.h"

namespace fencepost::simulation {

using namespace herder;

namespace {

constexpr Duration kBeatEvery = std::chrono::seconds(3);
constexpr Duration kTryAgain{500};

}  // namespace

void GroupClient::forget() {
  member_id_.clear();
  generation_ = kNoGeneration;
  ++session_;
  awaiting_join_ = rejoin_reported_ = false;
  to_confirm_.clear();
}

void GroupClient::start() {
  forget();
  in(kBeatEvery, [this] { beat(); });
}

bool GroupClient::cut_off() const { return world_.schedule.now() < cut_off_until_; }

void GroupClient::perform(const JoinGroup& a) {
  awaiting_join_ = true;
  rejoin_reported_ = false;
  send_join(a, session_);
}

void GroupClient::send_join(const JoinGroup& a, std::uint64_t session) {
  in(world_.chance.wait(2, 60), [this, a, session] {
    if (session != session_) return;
    if (cut_off()) return in(kTryAgain, [this, a, session] { send_join(a, session); });
    const std::uint64_t incarnation = process_.incarnation();
    member_id_ = world_.coordinator->join(member_id_, a.protocols, [this, incarnation, session](const Event& event) {
      if (incarnation != process_.incarnation()) return;
      in(world_.chance.wait(1, 40), [this, session, event] { from_coordinator(session, event); });
    });
  });
}

void GroupClient::from_coordinator(std::uint64_t session, const Event& event) {
  if (session != session_) return;
  if (cut_off()) return in(kTryAgain, [this, session, event] { from_coordinator(session, event); });
  if (const auto* elected = std::get_if<LeaderElected>(&event)) {
    if (elected->generation < generation_) return;
    awaiting_join_ = false;
    generation_ = elected->generation;
    last_beat_ = world_.schedule.now();
    if (elected->members.empty()) return;
  } else if (const auto* assigned = std::get_if<AssignmentReceived>(&event)) {
    if (assigned->generation < generation_) return;
    awaiting_join_ = false;
    generation_ = assigned->generation;
    last_beat_ = world_.schedule.now();
    if (!to_confirm_.empty()) send_beat();
  } else if (std::exchange(rejoin_reported_, true)) {
    return;
  }
  tell(event);
}

void GroupClient::perform(const SendAssignments& a) { send_assignments(a, session_); }

void GroupClient::send_assignments(const SendAssignments& a, std::uint64_t session) {
  in(world_.chance.wait(1, 40), [this, a, session] {
    if (session != session_) return;
    if (cut_off()) return in(kTryAgain, [this, a, session] { send_assignments(a, session); });
    if (!world_.coordinator->sync(member_id_, a.generation, a.assignments)) {
      in(Duration(1), [this, session] { from_coordinator(session, RejoinNeeded{"the round is over"}); });
    }
  });
}

void GroupClient::beat() {
  in(kBeatEvery, [this] { beat(); });
  if (member_id_.empty() || awaiting_join_) return;
  if (world_.schedule.now() - last_beat_ > Simulation::kSessionTimeout)
    return lose_membership("no heartbeat was answered within the session timeout");
  send_beat();
}

void GroupClient::send_beat() {
  in(world_.chance.wait(1, 30), [this, session = session_, sent = world_.schedule.now()] {
    if (session != session_ || cut_off() || world_.chance.happens(world_.faults.lose_beat)) return;
    const auto beat = world_.coordinator->heartbeat(member_id_, generation_);
    in(world_.chance.wait(1, 30), [this, session, sent, beat, generation = generation_,
                                   confirms = std::exchange(to_confirm_, {})] {
      if (session != session_) return;
      if (cut_off()) {
        to_confirm_.insert(to_confirm_.end(), confirms.begin(), confirms.end());
        return;
      }
      if (beat == Coordinator::Beat::Unknown) {
        to_confirm_.insert(to_confirm_.end(), confirms.begin(), confirms.end());
        return awaiting_join_ || generation != generation_ ? void()
                                                           : lose_membership("the coordinator does not know this member");
      }
      last_beat_ = std::max(last_beat_, sent);
      for (const RequestId request : confirms) tell(MembershipConfirmed{.request = request, .generation = generation});
      if (beat == Coordinator::Beat::Rejoin && session == session_ && !awaiting_join_ && !std::exchange(rejoin_reported_, true))
        tell(RejoinNeeded{"the group rebalances"});
    });
  });
}

void GroupClient::perform(const ConfirmMembership& a) {
  if (member_id_.empty()) {
    in(Duration(1), [this, session = session_] {
      if (session == session_) tell(MembershipLost{"not a member at present"});
    });
    return;
  }
  to_confirm_.push_back(a.request);
  if (!awaiting_join_) send_beat();
}

void GroupClient::lose_membership(const std::string& reason) {
  ++world_.counters_["membership lost"];
  forget();
  tell(MembershipLost{reason});
}

void GroupClient::perform(const LeaveGroup&) {
  const std::string member = member_id_;
  const bool reaches = !cut_off();
  forget();
  if (reaches) world_.schedule.after(Duration(20), [this, member] { world_.coordinator->leave(member); });
}

}  // namespace fencepost::simulation
