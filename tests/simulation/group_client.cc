#include "group_client.h"

#include <map>
#include <optional>
#include <utility>

#include "protocol/group.h"
#include "simulation.h"

namespace fencepost::simulation {

using namespace herder;

namespace {

constexpr Duration kBeatEvery = std::chrono::seconds(3);
constexpr Duration kTryAgain{500};

}  // namespace

void GroupClient::forget() {
  stage_ = Stage::Idle;
  join_again_ = rejoin_reported_ = false;
  member_id_.clear();
  generation_ = kNoGeneration;
  ++session_;
  heard_.clear();
  to_confirm_.clear();
}

void GroupClient::start() {
  forget();
  in(kBeatEvery, [this] { beat(); });
}

bool GroupClient::cut_off() const { return world_.schedule.now() < cut_off_until_; }

void GroupClient::perform(const JoinGroup& a) {
  const bool changed = protocols_ != a.protocols;
  protocols_ = a.protocols;
  rejoin_reported_ = false;
  if (request_under_way()) {
    join_again_ = join_again_ || stage_ == Stage::Syncing || changed;
    return;
  }
  send_join();
}

void GroupClient::send_join() {
  stage_ = Stage::Joining;
  join_again_ = false;
  in(cut_off() ? kTryAgain : world_.chance.wait(2, 60), [this, session = session_] {
    if (session != session_) return;
    if (cut_off()) return send_join();
    const std::uint64_t incarnation = process_.incarnation();
    member_id_ = world_.coordinator->join(member_id_, protocols_, [this, incarnation, session](const Event& event) {
      if (incarnation != process_.incarnation() || session != session_) return;
      heard_.push_back(event);
      process_.in_line(line_, world_.chance.wait(1, 40), [this, session] { hear(session); });
    });
  });
}

void GroupClient::hear(std::uint64_t session) {
  if (session != session_ || heard_.empty()) return;
  if (cut_off()) return in(kTryAgain, [this, session] { hear(session); });
  const Event next = heard_.front();
  heard_.pop_front();
  from_coordinator(next);
}

void GroupClient::from_coordinator(const Event& event) {
  if (const auto* elected = std::get_if<LeaderElected>(&event)) {
    if (stage_ != Stage::Joining) return;
    generation_ = elected->generation;
    protocol_ = elected->protocol;
    last_beat_ = world_.schedule.now();
    if (join_again_) return send_join();
    const bool leads = !elected->members.empty();
    stage_ = leads ? Stage::Dealing : Stage::Syncing;
    if (leads) tell(event);
  } else if (const auto* assigned = std::get_if<AssignmentReceived>(&event)) {
    if (stage_ != Stage::Syncing || assigned->generation != generation_) return;
    if (join_again_) return send_join();
    stage_ = Stage::Idle;
    last_beat_ = world_.schedule.now();
    tell(event);
    if (!member_id_.empty()) send_beat();
  } else if (stage_ == Stage::Syncing) {
    if (join_again_) return send_join();
    stage_ = Stage::Idle;
    if (!std::exchange(rejoin_reported_, true)) tell(event);
  }
}

void GroupClient::perform(const SendAssignments& a) {
  if (stage_ != Stage::Dealing || a.generation != generation_) return;
  stage_ = Stage::Syncing;
  send_assignments(world_.breaches.dealt_twice ? dealt_twice(a) : world_.breaches.dealt_to_one ? dealt_to_one(a) : a, session_);
}

// All after the first one that is given a connector are given it as well.
SendAssignments GroupClient::dealt_twice(const SendAssignments& a) const {
  const auto protocol = protocol::protocol_of_join_name(protocol_).value();
  std::map<std::string, protocol::Assignment> all;
  for (const auto& [member, bytes] : a.assignments) all[member] = protocol::decode_assignment(protocol, bytes).value();
  std::optional<std::string> connector;
  for (auto& [member, assignment] : all) {
    if (connector) assignment.connectors.push_back(*connector);
    if (!connector && !assignment.connectors.empty()) connector = assignment.connectors.front();
  }
  SendAssignments twice = a;
  for (const auto& [member, assignment] : all)
    twice.assignments[member] = protocol::encode_assignment(protocol, assignment).value();
  return twice;
}

// All goes to the first one.
SendAssignments GroupClient::dealt_to_one(const SendAssignments& a) const {
  const auto protocol = protocol::protocol_of_join_name(protocol_).value();
  std::map<std::string, protocol::Assignment> all;
  for (const auto& [member, bytes] : a.assignments) all[member] = protocol::decode_assignment(protocol, bytes).value();
  SendAssignments one = a;
  protocol::Assignment& first = all.begin()->second;
  for (auto& [member, assignment] : all) {
    if (&assignment == &first) continue;
    first.connectors.insert(first.connectors.end(), assignment.connectors.begin(), assignment.connectors.end());
    first.tasks.insert(first.tasks.end(), assignment.tasks.begin(), assignment.tasks.end());
    assignment.connectors.clear();
    assignment.tasks.clear();
  }
  for (const auto& [member, assignment] : all)
    one.assignments[member] = protocol::encode_assignment(protocol, assignment).value();
  return one;
}

void GroupClient::send_assignments(const SendAssignments& a, std::uint64_t session) {
  in(world_.chance.wait(1, 40), [this, a, session] {
    if (session != session_ || a.generation != generation_) return;
    if (cut_off()) return in(kTryAgain, [this, a, session] { send_assignments(a, session); });
    if (world_.coordinator->sync(member_id_, a.generation, a.assignments)) return;
    heard_.emplace_back(RejoinNeeded{"the round is over"});
    process_.in_line(line_, Duration(1), [this, session] { hear(session); });
  });
}

void GroupClient::beat() {
  in(kBeatEvery, [this] { beat(); });
  if (generation_ == kNoGeneration) return;
  if (world_.schedule.now() - last_beat_ > Simulation::kSessionTimeout)
    return lose_membership("no heartbeat was answered within the session timeout");
  send_beat();
}

void GroupClient::send_beat() {
  in(world_.chance.wait(1, 30), [this, session = session_, sent = world_.schedule.now()] {
    if (session != session_ || cut_off() || world_.chance.happens(world_.faults.lose_beat)) return;
    const auto beat = world_.coordinator->heartbeat(member_id_, generation_);
    in(world_.chance.wait(1, 30),
       [this, session, sent, beat, generation = generation_, confirms = std::exchange(to_confirm_, {})] {
         if (session != session_) return;
         if (cut_off()) {
           to_confirm_.insert(to_confirm_.end(), confirms.begin(), confirms.end());
           return;
         }
         if (beat == Coordinator::Beat::Unknown) {
           to_confirm_.insert(to_confirm_.end(), confirms.begin(), confirms.end());
           return request_under_way() || generation != generation_ ? void()
                                                                   : lose_membership("the coordinator does not know this member");
         }
         last_beat_ = std::max(last_beat_, sent);
         for (const RequestId request : confirms) tell(MembershipConfirmed{.request = request, .generation = generation});
         if (beat != Coordinator::Beat::Rejoin || session != session_ || request_under_way() || generation != generation_) return;
         if (!std::exchange(rejoin_reported_, true)) tell(RejoinNeeded{"the group rebalances"});
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
  send_beat();
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
