#include "metrics/catalog.h"

namespace fencepost::metrics {
namespace {

constexpr Metric kCatalog[] = {
    {"fencepost_task_transaction_state", Type::Gauge,
     "1 for the state that the task's transaction is in: no_client, idle, open, committing or aborting."},
    {"fencepost_task_transaction_open_seconds", Type::Gauge, "How long the task's transaction has been open; 0 while none is."},
    {"fencepost_task_transaction_uncommitted_records", Type::Gauge,
     "Records in the task's open transaction: it holds the last stable offset of their partitions; 0 while none is open."},
    {"fencepost_task_transaction_commits_total", Type::Counter, "Transactions that the task committed."},
    {"fencepost_task_transaction_aborts_total", Type::Counter, "Transactions of the task that were aborted, by reason."},
    {"fencepost_task_fenced_total", Type::Counter, "How often the task's producer was fenced, by whom."},
    {"fencepost_task_self_healing_restarts_total", Type::Counter,
     "How often the task began anew from its committed offsets by itself."},
};

}  // namespace

std::span<const Metric> catalog() { return kCatalog; }

const Metric& metric(Id id) { return kCatalog[static_cast<std::size_t>(id)]; }

}  // namespace fencepost::metrics
