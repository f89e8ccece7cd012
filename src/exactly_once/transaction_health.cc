#include "exactly_once/transaction_health.h"

namespace fencepost::exactly_once {
namespace {

/// Brokers look for transactions past their timeout every ten seconds by default; writing the markers takes its time too.
constexpr Duration kCoordinatorLateness{30'000};

std::string seconds(Duration d) { return std::to_string(d.count() / 1000) + " s"; }

}  // namespace

bool is_open(const CoordinatorView& coordinator) {
  return coordinator.state == "Ongoing" || coordinator.state == "PrepareCommit" || coordinator.state == "PrepareAbort" ||
         coordinator.state == "PrepareEpochFence";
}

TransactionVerdict judge_transaction(const CoordinatorView& coordinator, const OwnerView& owner, Time now) {
  if (!is_open(coordinator)) return {};
  const std::string producer =
      "producer " + std::to_string(coordinator.producer_id) + " with epoch " + std::to_string(coordinator.epoch);
  const Duration age = coordinator.started ? now - *coordinator.started : Duration(0);
  if (coordinator.state != "Ongoing") {
    const bool late = age > coordinator.timeout + kCoordinatorLateness;
    return {late, "the transaction coordinator, which ends it (" + coordinator.state + ", " + producer + ")",
            late ? "a partition's leader does not take the coordinator's markers: look at the brokers" : ""};
  }
  if (owner.answers && owner.running && owner.open) {
    if (age <= coordinator.timeout + kCoordinatorLateness)
      return {false, "the task on " + owner.worker + " (" + producer + ")", ""};
    return {true, "the task on " + owner.worker + " (" + producer + ")",
            "the coordinator should have ended it after " + seconds(coordinator.timeout) +
                " and did not: look at the brokers; POST .../transactions/abort with force=true ends it now"};
  }
  const std::string until =
      age < coordinator.timeout ? "in " + seconds(coordinator.timeout - age) : std::string("any moment (its timeout is over)");
  const std::string cure = "the coordinator ends it " + until + " by itself; POST .../transactions/abort ends it at once";
  if (!owner.answers) {
    return {true, producer + ", perhaps the task on " + owner.worker + ", which does not answer", cure};
  }
  if (owner.running) {
    return {
        true,
        producer + ": not the task on " + owner.worker + ", which has none open, but an earlier run of it or a foreign program",
        cure};
  }
  return {true, producer + ": no running task, but an earlier run of it or a foreign program", cure};
}

}  // namespace fencepost::exactly_once
