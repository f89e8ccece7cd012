#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fencer/fencer.h"
#include "wire/apis.h"

namespace fencepost::fencer {

/// One fence() under way.
class Fencing : public std::enable_shared_from_this<Fencing> {
 public:
  Fencing(net::Cluster& cluster, FenceOrder order, std::function<void(Fenced)> done, Log log);

  void start();

 private:
  struct Attempt {
    int failures = 0;
    std::optional<Error> last;
  };

  void send_waiting();
  void coordinators_answered(const std::vector<std::string>& ids, const Result<net::Cluster::Coordinators>& found);
  void send(const std::string& id, const net::Endpoint& coordinator);
  void answered(const std::string& id, const Result<wire::InitProducerIdResponse>& answer);
  void again(const std::string& id, Error why, Duration backoff_max);
  void finish(const std::string& id, Result<FencedProducer> outcome);
  void time_over();
  [[nodiscard]] Duration left() const;
  [[nodiscard]] Error explain(std::int16_t code, const std::string& id) const;

  net::Cluster& cluster_;
  FenceOrder order_;
  std::function<void(Fenced)> done_;
  Log log_;
  net::SteadyTime deadline_;
  std::map<std::string, Attempt> open_;  ///< ids without an outcome
  std::set<std::string> waiting_;        ///< of those, the ones to be sent when the timer fires
  Fenced outcomes_;
  net::Timer retry_timer_;
  net::Timer deadline_timer_;
};

}  // namespace fencepost::fencer
