#include "group/membership.h"

#include <algorithm>
#include <utility>

#include "wire/errors.h"

namespace fencepost::group {

using wire::ErrorCode;
using wire::to_number;

namespace {

constexpr const char* kProtocolType = "connect";
// A broker answers JoinGroup at the latest when the rebalance timeout is over; this much later it must have got here.
constexpr Duration kAnswerSlack{5'000};
constexpr Duration kRetryMax{2'000};
// One round of asking for the coordinator; short, so that a health check hears of it soon.
constexpr Duration kSearchTimeout{5'000};

bool is(std::int16_t code, ErrorCode expected) { return code == to_number(expected); }

}  // namespace

Membership::Membership(net::Cluster& cluster, Settings settings, GroupClient::Report report, Log log)
    : cluster_(cluster),
      settings_(std::move(settings)),
      report_(std::move(report)),
      log_(std::move(log)),
      backoff_(cluster.settings().retry_backoff, kRetryMax),
      retry_timer_(cluster.loop()),
      search_timer_(cluster.loop()),
      heartbeat_timer_(cluster.loop()),
      session_timer_(cluster.loop()) {}

template <class Request>
void Membership::send(net::Lane lane, Request request, Duration timeout,
                      std::function<void(Result<typename Request::Response>)> then) {
  cluster_.send<Request>(*coordinator_, lane, std::move(request), timeout,
                         [weak = weak_from_this(), round = round_, then = std::move(then)](auto answer) {
                           const auto self = weak.lock();
                           if (self && self->round_ == round) then(std::move(answer));
                         });
}

Duration Membership::rebalance_request_timeout() const {
  return std::max(cluster_.settings().request_timeout, settings_.rebalance_timeout + kAnswerSlack);
}

// ---- orders ----

void Membership::join(std::vector<herder::MetadataOfProtocol> protocols) {
  protocols_ = std::move(protocols);
  if (request_under_way()) {
    // A broker works off a connection's requests one by one, so nothing is gained by sending it at once.
    join_again_ = stage_ == Stage::Syncing || protocols_ != protocols_sent_;
    return;
  }
  backoff_.reset();
  try_to_join();
}

void Membership::sync(Generation generation, std::map<std::string, std::string> assignments) {
  if (stage_ != Stage::AwaitingAssignments || generation != generation_) {
    log_.debug("dropped assignments of generation " + generation.to_string() + ", the group is past it");
    return;
  }
  if (!coordinator_) return rejoin_needed("the coordinator was lost before the assignments could be sent");
  send_sync(std::move(assignments));
}

void Membership::confirm(RequestId request) {
  if (!is_member()) {
    report_(herder::MembershipLost{.reason = "this worker is not a member of group " + settings_.group_id + " at present"});
    return;
  }
  to_confirm_.push_back(request);
  beat();
}

void Membership::leave(const std::string& reason, std::function<void()> done) {
  if (!done) done = [] {};
  const bool known_to_broker = !member_id_.empty() && coordinator_.has_value();
  const std::string member_id = member_id_;
  const auto coordinator = coordinator_;
  stop();
  if (!known_to_broker) return done();
  wire::LeaveGroupRequest request{.group_id = settings_.group_id, .member_id = member_id, .members = {}};
  request.members.push_back({.member_id = member_id, .group_instance_id = {}, .reason = reason});
  // Not on the connection of JoinGroup: behind one that is under way it would wait until the rebalance is over.
  cluster_.send<wire::LeaveGroupRequest>(*coordinator, net::Lane::General, std::move(request), settings_.leave_timeout,
                                         [done = std::move(done), log = log_](const Result<wire::LeaveGroupResponse>& answer) {
                                           if (!answer) log.warn("leaving the group: " + answer.error().message());
                                           done();
                                         });
}

void Membership::stop() {
  forget_member();
  retry_timer_.cancel();
  search_timer_.cancel();
  searching_coordinator_ = false;
}

// ---- the coordinator ----

void Membership::search_coordinator() {
  if (std::exchange(searching_coordinator_, true)) return;
  cluster_.find_coordinators(net::CoordinatorKind::Group, {settings_.group_id}, kSearchTimeout,
                             [weak = weak_from_this(), round = round_](const Result<net::Cluster::Coordinators>& all) {
                               const auto self = weak.lock();
                               if (self && self->round_ == round) self->coordinator_answered(all);
                             });
}

void Membership::coordinator_answered(const Result<net::Cluster::Coordinators>& all) {
  searching_coordinator_ = false;
  const auto mine = all ? all->at(settings_.group_id) : Result<net::Endpoint>(Failure(all.error()));
  if (!mine) {
    coordinator_lost(mine.error().message());
    search_timer_.start(backoff_.next(cluster_.chance()), [this] { search_coordinator(); });
    return;
  }
  search_timer_.cancel();
  coordinator_found(*mine);
  if (stage_ == Stage::Searching) return try_to_join();
  beat();
}

void Membership::coordinator_found(const net::Endpoint& endpoint) {
  coordinator_ = endpoint;
  coordinator_reported_lost_ = false;
  log_.info("the coordinator of group " + settings_.group_id + " is " + endpoint.to_string());
  report_(herder::CoordinatorChanged{.coordinator = endpoint.to_string(), .reason = {}});
}

void Membership::coordinator_lost(const std::string& reason) {
  cluster_.forget_coordinator(net::CoordinatorKind::Group, settings_.group_id);
  coordinator_.reset();
  if (std::exchange(coordinator_reported_lost_, true)) return;
  log_.warn("no coordinator for group " + settings_.group_id + ": " + reason);
  report_(herder::CoordinatorChanged{.coordinator = std::nullopt, .reason = reason});
}

// ---- joining ----

void Membership::try_to_join() {
  stage_ = Stage::Searching;
  join_again_ = false;
  retry_timer_.cancel();
  if (!coordinator_) return search_coordinator();
  stage_ = Stage::Joining;
  protocols_sent_ = protocols_;
  JoinRequest request{.group_id = settings_.group_id,
                      .session_timeout_ms = static_cast<std::int32_t>(settings_.session_timeout.count()),
                      .rebalance_timeout_ms = static_cast<std::int32_t>(settings_.rebalance_timeout.count()),
                      .member_id = member_id_,
                      .group_instance_id = {},
                      .protocol_type = kProtocolType,
                      .protocols = {},
                      .reason = {}};
  for (const auto& protocol : protocols_)
    request.protocols.push_back({.name = protocol.protocol, .metadata = {protocol.metadata}});
  send<JoinRequest>(net::Lane::Group, std::move(request), rebalance_request_timeout(),
                    [this](auto answer) { join_answered(std::move(answer)); });
}

void Membership::try_to_join_later() {
  stage_ = Stage::Searching;
  retry_timer_.start(backoff_.next(cluster_.chance()), [this] { try_to_join(); });
}

void Membership::join_answered(Result<JoinRequest::Response> answer) {
  if (!answer) {
    coordinator_lost(std::move(answer).error().while_doing("joining the group").message());
    return try_to_join_later();
  }
  if (answer->error_code != 0) {
    if (is(answer->error_code, ErrorCode::MemberIdRequired) && member_id_.empty() && !answer->member_id.empty()) {
      member_id_ = answer->member_id;
      return try_to_join();
    }
    return join_refused(answer->error_code);
  }
  joined(*std::move(answer));
}

void Membership::join_refused(std::int16_t code) {
  const Error error = wire::to_error(code, "joining group " + settings_.group_id);
  switch (static_cast<ErrorCode>(code)) {
    case ErrorCode::UnknownMemberId:
    case ErrorCode::IllegalGeneration:
    case ErrorCode::FencedInstanceId:
      return lost(error.message());
    case ErrorCode::CoordinatorNotAvailable:
    case ErrorCode::NotCoordinator:
      coordinator_lost(error.message());
      return try_to_join_later();
    case ErrorCode::CoordinatorLoadInProgress:
    case ErrorCode::RebalanceInProgress:
      return try_to_join_later();
    default:
      // A wrong setting or a missing right. Somebody may mend it at the broker, so keep asking, but say it aloud.
      log_.error(error.message());
      report_(herder::CoordinatorChanged{.coordinator = coordinator_name(), .reason = error.message()});
      return try_to_join_later();
  }
}

void Membership::joined(JoinRequest::Response answer) {
  backoff_.reset();
  member_id_ = std::move(answer.member_id);
  generation_ = Generation(answer.generation_id);
  protocol_ = answer.protocol_name.value_or("");
  in_contact_since(std::chrono::steady_clock::now());
  plan_heartbeat();
  if (join_again_) return try_to_join();
  if (answer.leader != member_id_ || answer.skip_assignment) return send_sync({});
  stage_ = Stage::AwaitingAssignments;
  herder::LeaderElected elected{.generation = generation_, .member_id = member_id_, .protocol = protocol_, .members = {}};
  for (auto& member : answer.members) {
    elected.members.push_back({.id = std::move(member.member_id), .metadata = std::move(member.metadata.data)});
  }
  report_(std::move(elected));
}

void Membership::send_sync(std::map<std::string, std::string> assignments) {
  stage_ = Stage::Syncing;
  SyncRequest request{.group_id = settings_.group_id,
                      .generation_id = generation_.value,
                      .member_id = member_id_,
                      .group_instance_id = {},
                      .protocol_type = kProtocolType,
                      .protocol_name = protocol_,
                      .assignments = {}};
  for (auto& [member, bytes] : assignments)
    request.assignments.push_back({.member_id = member, .assignment = {std::move(bytes)}});
  send<SyncRequest>(net::Lane::Group, std::move(request), rebalance_request_timeout(),
                    [this](auto answer) { sync_answered(std::move(answer)); });
}

void Membership::sync_answered(Result<SyncRequest::Response> answer) {
  stage_ = Stage::RejoinReported;
  if (!answer) {
    coordinator_lost(answer.error().message());
    return join_again_ ? try_to_join_later() : rejoin_needed("the coordinator was lost while waiting for the assignment");
  }
  const Error error = wire::to_error(answer->error_code, "waiting for the assignment of group " + settings_.group_id);
  switch (static_cast<ErrorCode>(answer->error_code)) {
    case ErrorCode::None:
      break;
    case ErrorCode::UnknownMemberId:
    case ErrorCode::IllegalGeneration:
    case ErrorCode::FencedInstanceId:
      return lost(error.message());
    case ErrorCode::CoordinatorNotAvailable:
    case ErrorCode::NotCoordinator:
      coordinator_lost(error.message());
      [[fallthrough]];
    default:
      return join_again_ ? try_to_join() : rejoin_needed(error.message());
  }
  if (join_again_) return try_to_join();
  stage_ = Stage::Stable;
  report_(herder::AssignmentReceived{.generation = generation_,
                                     .member_id = member_id_,
                                     .protocol = protocol_,
                                     .assignment = std::move(answer->assignment.data)});
  // At once, not only after the interval: had this process been paused meanwhile, the answer would be old news, and the
  // coordinator says so now.
  beat();
}

// ---- staying ----

void Membership::plan_heartbeat() {
  heartbeat_timer_.start(settings_.heartbeat_interval, [this] { beat(); });
}

void Membership::beat() {
  if (!is_member()) return;
  plan_heartbeat();
  if (heartbeat_under_way_) return;
  if (!coordinator_) return search_coordinator();
  heartbeat_under_way_ = true;
  wire::HeartbeatRequest request{
      .group_id = settings_.group_id, .generation_id = generation_.value, .member_id = member_id_, .group_instance_id = {}};
  // Half a session: a connection that swallows everything is given up while there is time to try another.
  Beat beat{.sent = std::chrono::steady_clock::now(), .generation = generation_, .confirms = std::exchange(to_confirm_, {})};
  send<wire::HeartbeatRequest>(net::Lane::General, std::move(request), settings_.session_timeout / 2,
                               [this, beat = std::move(beat)](const auto& answer) {
                                 heartbeat_under_way_ = false;
                                 heartbeat_answered(answer, beat);
                               });
}

void Membership::heartbeat_answered(const Result<wire::HeartbeatResponse>& answer, const Beat& beat) {
  const auto code = answer ? static_cast<ErrorCode>(answer->error_code) : ErrorCode::None;
  const bool heard = answer && (code == ErrorCode::None || code == ErrorCode::RebalanceInProgress);
  if (heard) {
    still_member(beat);
  } else {
    // The next one that gets through confirms them, or the membership is lost.
    to_confirm_.insert(to_confirm_.end(), beat.confirms.begin(), beat.confirms.end());
  }
  const std::string reason =
      answer ? wire::to_error(answer->error_code, "heartbeat").message() : "heartbeat: " + answer.error().message();
  if (!answer || code == ErrorCode::CoordinatorNotAvailable || code == ErrorCode::NotCoordinator) {
    coordinator_lost(reason);
    return search_coordinator();
  }
  // JoinGroup or SyncGroup bring the same news themselves, and an older generation's no longer matter.
  if (request_under_way() || stage_ == Stage::Searching || beat.generation != generation_) return;
  switch (code) {
    case ErrorCode::None:
    case ErrorCode::CoordinatorLoadInProgress:
      return;
    case ErrorCode::RebalanceInProgress:
      // Once is enough: the herder calls join() when it has let go of what it must.
      if (stage_ != Stage::RejoinReported) rejoin_needed("the group is rebalancing");
      return;
    case ErrorCode::UnknownMemberId:
    case ErrorCode::IllegalGeneration:
    case ErrorCode::FencedInstanceId:
      return lost(reason);
    default:
      log_.warn(reason);
  }
}

void Membership::still_member(const Beat& beat) {
  // The time of sending counts: an answer that lay in the socket while this process was paused proves nothing about now.
  in_contact_since(beat.sent);
  for (const RequestId request : beat.confirms) {
    report_(herder::MembershipConfirmed{.request = request, .generation = beat.generation});
  }
  if (!to_confirm_.empty()) this->beat();
}

void Membership::in_contact_since(net::SteadyTime when) {
  session_timer_.start_at(when + settings_.session_timeout, [this] { session_over(); });
}

void Membership::session_over() {
  lost("no heartbeat reached " + coordinator_name() + " for " + std::to_string(settings_.session_timeout.count()) +
       " ms (session.timeout.ms); the network was cut or this process was paused");
}

void Membership::rejoin_needed(const std::string& reason) {
  stage_ = Stage::RejoinReported;
  report_(herder::RejoinNeeded{.reason = reason});
}

void Membership::lost(const std::string& reason) {
  const bool wants_join = stage_ == Stage::Searching || request_under_way();
  const bool was_member = is_member();
  forget_member();
  // One that never was a member has lost nothing that the herder would have to give up.
  if (!was_member && wants_join) return try_to_join_later();
  log_.warn("membership of group " + settings_.group_id + " lost: " + reason);
  report_(herder::MembershipLost{.reason = reason});
}

void Membership::forget_member() {
  ++round_;
  stage_ = Stage::Outside;
  join_again_ = false;
  to_confirm_.clear();
  member_id_.clear();
  generation_ = kNoGeneration;
  heartbeat_under_way_ = false;
  searching_coordinator_ = false;
  retry_timer_.cancel();
  search_timer_.cancel();
  heartbeat_timer_.cancel();
  session_timer_.cancel();
}

}  // namespace fencepost::group
