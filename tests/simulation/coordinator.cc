#include "coordinator.h"

#include <algorithm>
#include <utility>

namespace fencepost::simulation {

std::string Coordinator::join(const std::string& member_id, const std::vector<herder::MetadataOfProtocol>& protocols, Send send) {
  const std::string id = members_.contains(member_id) ? member_id : "m" + std::to_string(++last_id_);
  Member& member = members_[id];
  member.protocols = protocols;
  member.send = std::move(send);
  member.joining = true;
  member.last_seen = schedule_.now();
  if (state_ != State::Preparing) prepare();
  maybe_complete(false);
  return id;
}

void Coordinator::prepare() {
  if (state_ == State::Completing) {
    // Members that wait for their share of the broken round hear it from the answer to SyncGroup.
    for (const auto& [id, member] : members_) {
      if (!member.joining) member.send(herder::RejoinNeeded{"the group rebalances"});
    }
  }
  state_ = State::Preparing;
  const std::uint64_t round = ++round_;
  schedule_.after(rebalance_timeout_, [this, round] {
    if (round == round_ && state_ == State::Preparing) maybe_complete(true);
  });
}

void Coordinator::maybe_complete(bool timed_out) {
  if (state_ != State::Preparing) return;
  if (timed_out) std::erase_if(members_, [](const auto& entry) { return !entry.second.joining; });
  if (members_.empty()) {
    state_ = State::Empty;
    return;
  }
  if (!std::ranges::all_of(members_, [](const auto& entry) { return entry.second.joining; })) return;
  state_ = State::Completing;
  ++round_;
  generation_ = Generation{generation_.value + 1};
  if (!members_.contains(leader_)) leader_ = members_.begin()->first;
  const std::string before = std::exchange(protocol_, choose_protocol());
  if (!before.empty() && before != protocol_) ++protocol_changes_;
  herder::LeaderElected elected{.generation = generation_, .member_id = leader_, .protocol = protocol_, .members = {}};
  for (auto& [id, member] : members_) {
    member.joining = false;
    member.last_seen = schedule_.now();
    if (!std::exchange(member.watched, true)) watch(id);
    for (const auto& offered : member.protocols) {
      if (offered.protocol == protocol_) elected.members.push_back({.id = id, .metadata = offered.metadata});
    }
  }
  for (const auto& [id, member] : members_) {
    // A follower's answer to JoinGroup has no members; its herder hears nothing of it.
    member.send(id == leader_
                    ? elected
                    : herder::LeaderElected{.generation = generation_, .member_id = id, .protocol = protocol_, .members = {}});
  }
}

// As Kafka's coordinator does it: of those that all offer, each votes for the one that it names first. Whatever the members'
// settings are, all offer "default" at least.
std::string Coordinator::choose_protocol() const {
  const auto offers = [](const Member& member, const std::string& name) {
    return std::ranges::any_of(member.protocols, [&](const auto& p) { return p.protocol == name; });
  };
  const auto offered_by_all = [&](const std::string& name) {
    return std::ranges::all_of(members_, [&](const auto& entry) { return offers(entry.second, name); });
  };
  std::map<std::string, int> votes;
  for (const auto& [id, member] : members_) {
    const auto it = std::ranges::find_if(member.protocols, [&](const auto& p) { return offered_by_all(p.protocol); });
    if (it != member.protocols.end()) ++votes[it->protocol];
  }
  const auto most = std::ranges::max_element(votes, {}, [](const auto& entry) { return entry.second; });
  return most == votes.end() ? "default" : most->first;
}

bool Coordinator::sync(const std::string& member_id, Generation generation,
                       const std::map<std::string, std::string>& assignments) {
  if (state_ != State::Completing || generation != generation_ || member_id != leader_) return false;
  state_ = State::Stable;
  for (const auto& [id, member] : members_) {
    const auto it = assignments.find(id);
    member.send(herder::AssignmentReceived{.generation = generation_,
                                           .member_id = id,
                                           .protocol = protocol_,
                                           .assignment = it == assignments.end() ? std::string() : it->second});
  }
  return true;
}

Coordinator::Beat Coordinator::heartbeat(const std::string& member_id, Generation generation) {
  const auto it = members_.find(member_id);
  if (it == members_.end()) return Beat::Unknown;
  it->second.last_seen = schedule_.now();
  if (state_ == State::Preparing) return Beat::Rejoin;
  return generation == generation_ ? Beat::Fine : Beat::Unknown;
}

void Coordinator::leave(const std::string& member_id) {
  if (members_.erase(member_id) == 0) return;
  if (state_ == State::Stable || state_ == State::Completing) prepare();
  maybe_complete(false);
}

void Coordinator::watch(const std::string& member_id) {
  const auto wait = members_.at(member_id).last_seen + session_timeout_ - schedule_.now();
  schedule_.after(std::max(std::chrono::duration_cast<Duration>(wait), Duration(1)), [this, member_id] {
    const auto it = members_.find(member_id);
    if (it == members_.end()) return;
    if (it->second.joining) {
      it->second.last_seen = schedule_.now();  // a member that waits for the others is not expected to beat
      watch(member_id);
    } else if (schedule_.now() - it->second.last_seen >= session_timeout_) {
      leave(member_id);
    } else {
      watch(member_id);
    }
  });
}

}  // namespace fencepost::simulation
