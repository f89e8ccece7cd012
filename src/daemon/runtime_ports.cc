#include "daemon/runtime_ports.h"

#include <utility>

namespace fencepost::daemon {
namespace {

constexpr std::chrono::milliseconds kReadTimeout{30'000};

}  // namespace

runtime::OffsetTable OffsetsBinding::of_connector(std::string_view connector) const {
  runtime::OffsetTable out;
  for (auto& entry : log_.entries(connector)) out.emplace(std::move(entry.key), std::move(entry.value));
  return out;
}

void OffsetsBinding::read_to_end(runtime::Completion done) {
  log_.read_to_end(kReadTimeout, [done = std::move(done)](const Result<void>& outcome) { done(outcome); });
}

void OffsetsBinding::write(std::vector<runtime::OffsetRecord> records, runtime::Completion done) {
  log_.write(records, [done = std::move(done)](const Result<void>& outcome) { done(outcome); });
}

void FencerBinding::fence(const std::string& transactional_id, runtime::Completion done) {
  fencer_.fence({.transactional_ids = {transactional_id}}, [done = std::move(done)](const fencer::Fenced& fenced) {
    auto error = fencer::first_failure(fenced);
    done(error ? Result<void>(Failure(std::move(*error))) : Result<void>());
  });
}

}  // namespace fencepost::daemon
