#include "net/cluster.h"

#include <algorithm>
#include <random>
#include <utility>

#include "net/link.h"
#include "net/tls.h"
#include "wire/apis.h"
#include "wire/errors.h"

namespace fencepost::net {

namespace {
// More than any worker has transactional ids in use; only a bound.
constexpr std::size_t kCoordinatorsRememberedMax = 10'000;
}  // namespace

struct Cluster::Random {
  std::minstd_rand engine{std::random_device{}()};
  std::uniform_real_distribution<double> chance{0.0, 1.0};
};

Result<std::unique_ptr<Cluster>> Cluster::create(Loop& loop, Settings settings, Log log) {
  if (settings.bootstrap.empty()) return failure(ErrorKind::InvalidConfig, "bootstrap.servers: names no broker");
  std::shared_ptr<boost::asio::ssl::context> tls;
  if (uses_tls(settings.security)) {
    FENCEPOST_TRY(tls, make_tls_context(settings.tls));
  }
  return std::unique_ptr<Cluster>(new Cluster(loop, std::move(settings), std::move(log), std::move(tls)));
}

Cluster::Cluster(Loop& loop, Settings settings, Log log, std::shared_ptr<boost::asio::ssl::context> tls)
    : loop_(loop),
      settings_(std::make_shared<const Settings>(std::move(settings))),
      log_(std::move(log)),
      tls_(std::move(tls)),
      random_(std::make_unique<Random>()) {}

Cluster::~Cluster() = default;

double Cluster::chance() { return random_->chance(random_->engine); }

Link& Cluster::link(const Endpoint& endpoint, Lane lane) {
  auto& slot = links_[{endpoint, lane}];
  if (!slot)
    slot = std::make_unique<Link>(
        loop_, settings_, tls_, endpoint, [this] { return chance(); }, log_);
  return *slot;
}

void Cluster::send_call(const Endpoint& to, Lane lane, Call call) {
  call.done = [weak = std::weak_ptr(alive_), done = std::move(call.done)](Result<Answer> answer) {
    if (weak.lock()) done(std::move(answer));
  };
  link(to, lane).send(std::move(call));
}

void Cluster::later(Duration after, std::function<void()> work) {
  const std::uint64_t id = next_timer_++;
  auto& timer = timers_[id];
  timer = std::make_unique<Timer>(loop_);
  timer->start(after, [this, id, work = std::move(work)] {
    const auto keep = std::move(timers_.extract(id).mapped());
    work();
  });
}

std::optional<Endpoint> Cluster::choose_broker(const std::vector<Endpoint>& tried) {
  // Brokers that Metadata named come first; the bootstrap list is the way back when all of them have moved.
  std::vector<Endpoint> candidates = brokers_;
  if (!candidates.empty()) {
    const auto turn = static_cast<std::ptrdiff_t>(chance() * static_cast<double>(candidates.size()));
    std::rotate(candidates.begin(), candidates.begin() + turn, candidates.end());
  }
  for (const Endpoint& endpoint : settings_->bootstrap) {
    if (std::find(candidates.begin(), candidates.end(), endpoint) == candidates.end()) candidates.push_back(endpoint);
  }
  std::erase_if(candidates, [&](const Endpoint& e) { return std::find(tried.begin(), tried.end(), e) != tried.end(); });
  if (candidates.empty()) return std::nullopt;
  const auto now = std::chrono::steady_clock::now();
  const auto rank = [&](const Endpoint& e) {
    const Link& candidate = link(e, Lane::General);
    return std::pair(!candidate.ready(), std::max(candidate.not_before(), now));
  };
  return *std::min_element(candidates.begin(), candidates.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

void Cluster::ask_any(AnyBroker question) {
  const auto endpoint = choose_broker(question.tried);
  if (!endpoint) {
    question.tried.clear();
    return ask_any(std::move(question));
  }
  question.tried.push_back(*endpoint);
  const Call original = question.make_call();
  Call call = original;
  call.done = [this, from = *endpoint, question = std::move(question), original](Result<Answer> answer) mutable {
    answer_from_any(from, std::move(question), std::move(original), std::move(answer));
  };
  send_call(*endpoint, Lane::General, std::move(call));
}

void Cluster::answer_from_any(const Endpoint& from, AnyBroker question, Call call, Result<Answer> answer) {
  const bool again =
      !answer && answer.error().retriable() && std::chrono::steady_clock::now() + settings_->retry_backoff < question.deadline;
  if (!again) {
    if (answer) refresh_brokers_if_old();
    return call.done(std::move(answer));
  }
  log_.debug("asking another broker than " + from.to_string() + ": " + answer.error().message());
  const bool all_tried = !choose_broker(question.tried);
  later(all_tried ? settings_->retry_backoff : Duration{0},
        [this, question = std::move(question)]() mutable { ask_any(std::move(question)); });
}

void Cluster::find_brokers(Duration timeout, std::function<void(Result<std::vector<Endpoint>>)> callback) {
  ask_any_broker(wire::MetadataRequest{.topics = std::vector<wire::MetadataRequest::Topic>{}, .allow_auto_topic_creation = false},
                 timeout, [this, callback = std::move(callback)](Result<wire::MetadataResponse> answer) {
                   if (!answer) return callback(Failure(std::move(answer).error().while_doing("asking for the brokers")));
                   std::vector<Endpoint> brokers;
                   for (const auto& broker : answer->brokers) {
                     if (broker.port <= 0 || broker.port > 65535 || broker.host.empty()) continue;
                     brokers.push_back({.host = broker.host, .port = static_cast<std::uint16_t>(broker.port)});
                   }
                   if (!brokers.empty()) brokers_ = brokers;
                   brokers_read_ = std::chrono::steady_clock::now();
                   callback(std::move(brokers));
                 });
}

void Cluster::refresh_brokers_if_old() {
  const bool fresh =
      brokers_read_ != SteadyTime{} && std::chrono::steady_clock::now() - brokers_read_ < settings_->metadata_max_age;
  if (refreshing_ || fresh) return;
  refreshing_ = true;
  find_brokers(settings_->request_timeout, [this](const Result<std::vector<Endpoint>>& brokers) {
    refreshing_ = false;
    if (!brokers) log_.debug(brokers.error().message());
  });
}

// ---- coordinators ----

struct Cluster::Search {
  CoordinatorKind kind;
  std::vector<std::string> keys;  ///< not yet known
  SteadyTime deadline;
  Coordinators known;
  std::size_t expected = 0;
  std::function<void(Result<Coordinators>)> callback;

  [[nodiscard]] Duration left() const {
    return std::chrono::duration_cast<Duration>(deadline - std::chrono::steady_clock::now());
  }
};

void Cluster::find_coordinators(CoordinatorKind kind, std::vector<std::string> keys, Duration timeout,
                                std::function<void(Result<Coordinators>)> callback) {
  const auto search = std::make_shared<Search>(Search{
      .kind = kind, .keys = {}, .deadline = deadline_in(timeout), .known = {}, .expected = 0, .callback = std::move(callback)});
  for (std::string& key : keys) {
    const auto remembered = coordinators_.find({kind, key});
    if (remembered != coordinators_.end()) {
      search->known.emplace(std::move(key), remembered->second);
    } else {
      search->keys.push_back(std::move(key));
    }
  }
  std::sort(search->keys.begin(), search->keys.end());
  search->keys.erase(std::unique(search->keys.begin(), search->keys.end()), search->keys.end());
  search->expected = search->known.size() + search->keys.size();
  if (!search->keys.empty()) return search_all(search);
  loop_.post([weak = std::weak_ptr(alive_), search] {
    if (weak.lock()) search->callback(std::move(search->known));
  });
}

void Cluster::search_all(const std::shared_ptr<Search>& search) {
  constexpr std::int16_t kTakesManyKeys = 4;
  ask_any_broker(
      wire::FindCoordinatorRequest{
          .key = {}, .key_type = static_cast<std::int8_t>(search->kind), .coordinator_keys = search->keys},
      search->left(),
      [this, search](Result<wire::FindCoordinatorResponse> answer) {
        // A broker before 3.0 takes one key a request.
        if (!answer && answer.error().kind() == ErrorKind::InvalidConfig) return search_one_by_one(search);
        if (!answer) return search->callback(Failure(std::move(answer).error().while_doing("looking for the coordinator")));
        for (const auto& c : answer->coordinators) {
          found(*search, c.key, c.error_code, c.error_message.value_or(""), c.host, c.port);
        }
        for (const std::string& key : search->keys) {
          if (!search->known.contains(key))
            found(*search, key, wire::to_number(wire::ErrorCode::CoordinatorNotAvailable), "", "", 0);
        }
        finish_if_complete(search);
      },
      kTakesManyKeys);
}

void Cluster::search_one_by_one(const std::shared_ptr<Search>& search) {
  for (const std::string& key : search->keys) {
    ask_any_broker(
        wire::FindCoordinatorRequest{.key = key, .key_type = static_cast<std::int8_t>(search->kind), .coordinator_keys = {key}},
        search->left(), [this, search, key](Result<wire::FindCoordinatorResponse> answer) {
          if (answer) {
            found(*search, key, answer->error_code, answer->error_message.value_or(""), answer->host, answer->port);
          } else {
            search->known.emplace(key, Failure(std::move(answer).error()));
          }
          finish_if_complete(search);
        });
  }
}

void Cluster::finish_if_complete(const std::shared_ptr<Search>& search) {
  if (search->known.size() >= search->expected) search->callback(std::move(search->known));
}

void Cluster::found(Search& search, const std::string& key, std::int16_t error_code, const std::string& message,
                    const std::string& host, std::int32_t port) {
  if (!std::binary_search(search.keys.begin(), search.keys.end(), key)) return;
  if (error_code == 0 && (host.empty() || port <= 0 || port > 65535)) {
    error_code = wire::to_number(wire::ErrorCode::CoordinatorNotAvailable);
  }
  if (error_code != 0) {
    search.known.insert_or_assign(key, Failure(wire::to_error(error_code, "looking for the coordinator of " + key, message)));
    return;
  }
  Endpoint endpoint{.host = host, .port = static_cast<std::uint16_t>(port)};
  if (coordinators_.size() >= kCoordinatorsRememberedMax) coordinators_.clear();
  coordinators_.insert_or_assign({search.kind, key}, endpoint);
  search.known.insert_or_assign(key, std::move(endpoint));
}

void Cluster::forget_coordinator(CoordinatorKind kind, const std::string& key) { coordinators_.erase({kind, key}); }

}  // namespace fencepost::net
