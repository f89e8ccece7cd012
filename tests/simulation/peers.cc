#include "peers.h"

#include <memory>
#include <utility>
#include <vector>

#include "simulation.h"

namespace fencepost::simulation {

using namespace herder;

namespace {

std::vector<Properties> parse_task_configs(const SendTaskConfigsToLeader& a) {
  // The model's task configs are {"tasks":"n","i":"k","v":"x"}: enough to count them and to make them again.
  std::vector<Properties> configs;
  std::size_t at = 0;
  const auto text = [&](const std::string& key, std::size_t from) {
    const std::size_t begin = a.body.find("\"" + key + "\":\"", from) + key.size() + 4;
    return a.body.substr(begin, a.body.find('"', begin) - begin);
  };
  while ((at = a.body.find('{', at)) != std::string::npos) {
    configs.push_back(Properties{{"tasks", text("tasks", at)}, {"i", text("i", at)}, {"v", text("v", at)}});
    ++at;
  }
  return configs;
}

Signature signature_of(const std::optional<SignedRequest>& signed_by, std::string body) {
  Signature signature;
  signature.body = std::move(body);
  if (signed_by) {
    signature.mac_base64 = signed_by->mac_base64;
    signature.algorithm = signed_by->algorithm;
  }
  return signature;
}

}  // namespace

void Peers::request(Hop hop, const Request& what, Answered answered) {
  if (!process_.alive()) return answered(Error(ErrorKind::Unavailable, "connection refused"));
  const RequestId id{1'000'000'000 + ++last_id_};
  requests_.emplace(id, std::move(answered));
  in(Duration(0), [this, id, hop, what] { tell(RequestReceived{.request = id, .hop = hop, .what = what}); });
}

void Peers::reset() {
  offset_changes_.clear();
  for (auto& [request, answered] : std::exchange(requests_, {})) answered(Error(ErrorKind::Unavailable, "connection reset"));
}

void Peers::perform(const Reply& a) {
  const auto it = requests_.find(a.request);
  if (it == requests_.end()) return;
  const Answered answered = std::move(it->second);
  requests_.erase(it);
  answered(a.response);
}

void Peers::perform(const ValidateConfig& a) {
  in(world_.chance.wait(1, 300), [this, a] { tell(ConfigValidated{.request = a.request, .error = std::nullopt}); });
}

void Peers::ask_leader(RequestId request, const std::string& url, const Request& what) {
  world_.forward(url, Hop::FromClient, what, [this, incarnation = process_.incarnation(), request](const Response& response) {
    if (incarnation != process_.incarnation()) return;
    std::optional<Error> error;
    if (const auto* refused = std::get_if<Error>(&response)) error = *refused;
    in(Duration(1), [this, request, error] { tell(LeaderAnswered{.request = request, .error = error}); });
  });
}

void Peers::perform(const AskLeaderToFence& a) {
  ask_leader(a.request, a.leader_url, FenceZombies{.connector = a.connector, .signature = signature_of(a.signature, "")});
}

void Peers::perform(const SendTaskConfigsToLeader& a) {
  ask_leader(a.request, a.leader_url,
             PublishTaskConfigs{
                 .connector = a.connector, .configs = parse_task_configs(a), .signature = signature_of(a.signature, a.body)});
}

void Peers::perform(const ReadOffsets& a) {
  in(world_.chance.wait(1, 100), [this, a] { tell(OffsetsAnswered{.request = a.request, .text = std::string("[]")}); });
}

std::string Peers::first_id(const std::string& connector) const {
  return world_.options_of(worker_).group_id + "-" + TaskId{connector, 0}.to_string();
}

void Peers::perform(const ChangeOffsets& a) {
  in(world_.chance.wait(5, 500), [this, a] {
    offset_changes_[a.request] = {.connector = a.connector, .epoch = world_.target.fence(first_id(a.connector))};
    if (world_.breaches.offset_change_unasked) return perform(AnswerOffsetChange{.request = a.request, .refused = std::nullopt});
    tell(OffsetChangeAsked{.request = a.request, .connector = a.connector});
  });
}

void Peers::perform(const AnswerOffsetChange& a) {
  const auto it = offset_changes_.find(a.request);
  if (it == offset_changes_.end()) return;
  const OffsetChange change = it->second;
  offset_changes_.erase(it);
  in(world_.chance.wait(5, 500), [this, a, change] {
    if (!a.refused) return write_offsets(a.request, change);
    ++world_.counters_["change of source offsets refused at the last moment"];
    tell(OffsetsAnswered{.request = a.request, .text = Failure(*a.refused)});
  });
}

void Peers::write_offsets(RequestId request, const OffsetChange& change) {
  if (!world_.target.current(first_id(change.connector), change.epoch)) {
    ++world_.counters_["change of source offsets fenced"];
    return tell(OffsetsAnswered{.request = request, .text = failure(ErrorKind::Conflict, "its tasks run again")});
  }
  ++world_.counters_["source offsets changed"];
  world_.target.reset(change.connector);
  tell(OffsetsAnswered{.request = request, .text = std::string("changed")});
}

void Peers::perform(const MakeSessionKey& a) {
  ++world_.counters_["session key made"];
  in(Duration(1), [this, a] {
    std::string key;
    while (key.size() < a.key_bytes) key += static_cast<char>('a' + world_.chance.between(0, 25));
    tell(SessionKeyMade{.request = a.request, .key = key});
  });
}

// One id after the other: a leader that dies or sleeps in the middle has fenced some, or fences the others late.
void Peers::perform(const FenceProducers& a) {
  ++world_.counters_["fence of producers"];
  const bool slow = world_.chance.happens(world_.faults.slow_fence);
  const bool fails = world_.chance.happens(world_.faults.fail_fence);
  const auto left = std::make_shared<std::size_t>(a.transactional_ids.size());
  Duration last{0};
  for (const auto& id : a.transactional_ids) {
    last += slow ? world_.chance.wait(500, 6000) : world_.chance.wait(2, 200);
    in(last, [this, id, left, fails] {
      if (fails && *left == 1) return;
      --*left;
      if (!world_.breaches.ids_unfenced) (void)world_.target.fence(id);
    });
  }
  in(last + world_.chance.wait(1, 30), [this, a, fails] {
    std::optional<Error> error;
    if (fails) error = Error(ErrorKind::Timeout, "the transaction coordinator did not answer");
    tell(ProducersFenced{.request = a.request, .error = error});
  });
}

}  // namespace fencepost::simulation
