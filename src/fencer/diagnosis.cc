#include <utility>

#include "fencer/fencer.h"
#include "wire/apis.h"
#include "wire/errors.h"

namespace fencepost::fencer {

namespace {

/// Collects the answers of several brokers.
struct Listing {
  std::size_t missing = 0;
  bool any_answered = false;
  std::optional<Error> error;
  std::vector<ListedTransaction> found;
  std::function<void(Result<std::vector<ListedTransaction>>)> done;

  void add(const Result<wire::ListTransactionsResponse>& answer) {
    if (!answer) {
      error = answer.error();
    } else if (answer->error_code != 0) {
      error = wire::to_error(answer->error_code, "listing transactions");
    } else {
      any_answered = true;
      for (const auto& t : answer->transaction_states) {
        found.push_back({.transactional_id = t.transactional_id, .producer_id = t.producer_id, .state = t.transaction_state});
      }
    }
    if (--missing == 0) finish();
  }

  void finish() {
    if (!any_answered && error) return done(Failure(*error));
    done(std::move(found));
  }
};

struct Description {
  std::size_t missing = 0;
  Fencer::Described found;
  std::function<void(Fencer::Described)> done;

  void add(const std::vector<std::string>& ids, const Result<wire::DescribeTransactionsResponse>& answer) {
    for (const std::string& id : ids) {
      if (!answer) found.insert_or_assign(id, Failure(answer.error()));
    }
    if (answer) {
      for (const auto& t : answer->transaction_states) found.insert_or_assign(t.transactional_id, details(t));
    }
    if (--missing == 0) done(std::move(found));
  }

  static Result<TransactionDetails> details(const wire::DescribeTransactionsResponse::Transaction& t) {
    if (t.error_code != 0) return Failure(wire::to_error(t.error_code, "describing the transaction of " + t.transactional_id));
    TransactionDetails out{.producer_id = t.producer_id,
                           .epoch = t.producer_epoch,
                           .state = t.transaction_state,
                           .timeout = Duration(t.transaction_timeout_ms),
                           .started = Time(Duration(t.transaction_start_time_ms)),
                           .topics = {}};
    for (const auto& topic : t.topics) out.topics.push_back(topic.topic);
    return out;
  }
};

}  // namespace

void Fencer::list_transactions(Duration timeout, std::function<void(Result<std::vector<ListedTransaction>>)> done) {
  cluster_.loop().post([this, weak = std::weak_ptr(alive_), timeout, done = std::move(done)]() mutable {
    if (!weak.lock()) return;
    cluster_.find_brokers(timeout,
                          [this, weak, timeout, done = std::move(done)](const Result<std::vector<net::Endpoint>>& brokers) {
                            if (!weak.lock()) return;
                            if (!brokers) return done(Failure(brokers.error()));
                            if (brokers->empty())
                              return done(failure(ErrorKind::Unavailable, "the cluster names no broker to list transactions"));
                            const auto listing = std::make_shared<Listing>();
                            listing->missing = brokers->size();
                            listing->done = done;
                            for (const net::Endpoint& broker : *brokers) {
                              cluster_.send<wire::ListTransactionsRequest>(broker, net::Lane::General, {}, timeout,
                                                                           [weak, listing](const auto& answer) {
                                                                             if (weak.lock()) listing->add(answer);
                                                                           });
                            }
                          });
  });
}

void Fencer::describe_transactions(std::vector<std::string> transactional_ids, Duration timeout,
                                   std::function<void(Described)> done) {
  cluster_.loop().post([this, weak = std::weak_ptr(alive_), ids = std::move(transactional_ids), timeout,
                        done = std::move(done)]() mutable {
    if (!weak.lock()) return;
    if (ids.empty()) return done({});
    cluster_.find_coordinators(
        net::CoordinatorKind::Transaction, ids, timeout,
        [this, weak, ids, timeout, done = std::move(done)](const Result<net::Cluster::Coordinators>& coordinators) {
          if (!weak.lock()) return;
          const auto description = std::make_shared<Description>();
          description->done = done;
          std::map<net::Endpoint, std::vector<std::string>> by_broker;
          for (const std::string& id : ids) {
            const auto where = coordinators ? coordinators->at(id) : Result<net::Endpoint>(Failure(coordinators.error()));
            if (where) {
              by_broker[*where].push_back(id);
            } else {
              description->found.insert_or_assign(id, Failure(where.error()));
            }
          }
          description->missing = by_broker.size();
          if (by_broker.empty()) return done(std::move(description->found));
          for (const auto& [broker, its_ids] : by_broker) {
            cluster_.send<wire::DescribeTransactionsRequest>(broker, net::Lane::General, {.transactional_ids = its_ids}, timeout,
                                                             [weak, description, list = its_ids](const auto& answer) {
                                                               if (weak.lock()) description->add(list, answer);
                                                             });
          }
        });
  });
}

}  // namespace fencepost::fencer
