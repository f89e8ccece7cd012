#include "assignor/leader.h"

#include <algorithm>
#include <utility>

#include "assignor/eager.h"

namespace fencepost::assignor {
namespace {

using protocol::Assignment;
using protocol::ConnectProtocol;

Round incremental_round(const LeaderRound& round, Configured configured) {
  Round out{round.now, round.generation, round.last_completed_generation, {}, std::move(configured)};
  for (const auto& [id, metadata] : round.members) {
    Load load;
    if (metadata.assignment) load = {metadata.assignment->connectors, metadata.assignment->tasks};
    out.workers.push_back({id, std::move(load)});
  }
  return out;
}

bool leaves_deleted_work(const Round& round, const Outcome& outcome) {
  const Work configured = all_of(round.configured);
  return std::ranges::any_of(round.workers, [&](const Round::Worker& worker) {
    const Work revoked = work_of(outcome.changes.at(worker.id).revoked);
    return !work_of(worker.load).without(configured).without(revoked).empty();
  });
}

}  // namespace

LogPosition newest_config_offset(const LeaderRound& round) {
  LogPosition newest = kNoPosition;
  for (const auto& [id, metadata] : round.members) newest = std::max(newest, metadata.config_offset);
  return newest;
}

Configured configured_in(const protocol::ConfigState& configs) {
  Configured out;
  for (const auto& [connector, info] : configs.all()) {
    if (info.config) out[connector] = info.inconsistent ? 0 : info.task_count;
  }
  return out;
}

std::map<std::string, Assignment> Leader::assign(const LeaderRound& round, const protocol::ConfigState& configs) {
  Assignment common;
  common.leader = round.leader;
  if (const auto at = round.members.find(round.leader); at != round.members.end()) common.leader_url = at->second.url;

  left_deleted_work_ = false;
  std::map<std::string, Assignment> out;
  if (const LogPosition newest = newest_config_offset(round); configs.offset() < newest) {
    common.error = Assignment::ConfigMismatch;
    common.config_offset = newest;
    for (const auto& [id, metadata] : round.members) out[id] = common;
    return out;
  }
  common.config_offset = configs.offset();
  if (round.protocol == ConnectProtocol::Eager) {
    std::vector<std::string> workers;
    for (const auto& [id, metadata] : round.members) workers.push_back(id);
    for (auto& [id, load] : assign_eagerly(std::move(workers), configured_in(configs))) {
      Assignment& assignment = out[id] = common;
      assignment.connectors = std::move(load.connectors);
      assignment.tasks = std::move(load.tasks);
    }
    return out;
  }
  const Round reported = incremental_round(round, configured_in(configs));
  Outcome outcome = incremental_.assign(reported);
  left_deleted_work_ = leaves_deleted_work(reported, outcome);
  common.delay = outcome.delay;
  for (auto& [id, change] : outcome.changes) {
    Assignment& assignment = out[id] = common;
    assignment.connectors = std::move(change.assigned.connectors);
    assignment.tasks = std::move(change.assigned.tasks);
    assignment.revoked_connectors = std::move(change.revoked.connectors);
    assignment.revoked_tasks = std::move(change.revoked.tasks);
  }
  return out;
}

}  // namespace fencepost::assignor
