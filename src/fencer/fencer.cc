#include "fencer/fencer.h"

#include <algorithm>
#include <utility>

#include "fencer/fencing.h"
#include "wire/errors.h"

namespace fencepost::fencer {

Fencer::Fencer(net::Cluster& cluster, Log log) : cluster_(cluster), log_(std::move(log)) {}

Fencer::~Fencer() = default;

void Fencer::fence(FenceOrder order, std::function<void(Fenced)> done) {
  cluster_.loop().post([this, weak = std::weak_ptr(alive_), order = std::move(order), done = std::move(done)]() mutable {
    if (!weak.lock()) return;
    const std::uint64_t number = next_++;
    const auto fencing = std::make_shared<Fencing>(
        cluster_, std::move(order),
        [this, number, done = std::move(done)](Fenced fenced) {
          running_.erase(number);
          done(std::move(fenced));
        },
        log_);
    running_.emplace(number, fencing);
    fencing->start();
  });
}

std::optional<Error> first_failure(const Fenced& fenced) {
  std::optional<Error> first;
  std::size_t failed = 0;
  for (const auto& [id, outcome] : fenced) {
    if (outcome) continue;
    ++failed;
    if (!first) first = outcome.error();
  }
  if (failed > 1) return Error(first->kind(), first->message() + " (and " + std::to_string(failed - 1) + " more ids)");
  return first;
}

}  // namespace fencepost::fencer
