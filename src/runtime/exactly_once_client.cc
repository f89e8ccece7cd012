// How the writer gets its transactional client, and how it makes sure that nobody newer has the id.

#include <utility>

#include "runtime/exactly_once_writer.h"
#include "runtime/traces.h"

namespace fencepost::runtime {

using namespace std::chrono_literals;

namespace {

/// Between attempts to make a client.
constexpr auto kInitBackoff = 200ms;

}  // namespace

Result<void> ExactlyOnceWriter::make_client() {
  auto made = clients_.producer(settings_.producer, true, log_, [this](const Delivery& d) { delivered(d); });
  if (!made) return Failure(std::move(made).error());
  std::shared_ptr<ProducerPort> producer = *std::move(made);
  {
    const std::lock_guard lock(interrupt_mutex_);
    producer_ = producer;
    if (interrupted_) producer->cancel();
  }
  if (auto initialised = producer->init_transactions(kTransactionCall); !initialised) {
    Error error = std::move(initialised).error().error;
    {
      const std::lock_guard lock(interrupt_mutex_);
      producer_.reset();
    }
    return Failure(std::move(error));
  }
  last_use_ = Steady::now();
  record_->client(true);
  return {};
}

void ExactlyOnceWriter::drop_client() {
  std::shared_ptr<ProducerPort> old;
  {
    const std::lock_guard lock(interrupt_mutex_);
    old = std::exchange(producer_, nullptr);
  }
  transaction_open_ = false;
  first_batch_.reset();
  record_->client(false);
}

void ExactlyOnceWriter::first_batch(const exactly_once::StartEvent& event) {
  if (!first_batch_ || over_) return;
  for (const exactly_once::StartAction& action : first_batch_->apply(event)) {
    if (std::holds_alternative<exactly_once::AskOwnership>(action)) {
      host_.ask_owner([this](const exactly_once::OwnershipAnswered& answer) { first_batch(answer); });
    } else if (std::holds_alternative<exactly_once::InitProducer>(action)) {
      init_producer();
    } else if (std::holds_alternative<exactly_once::CompareOffsets>(action)) {
      compare_offsets();
    } else if (std::holds_alternative<exactly_once::BeginTransaction>(action)) {
      busy_ = false;
      run_steps();
      return;
    } else if (const auto* abandon = std::get_if<exactly_once::AbandonStart>(&action)) {
      give_up([this, reason = abandon->reason] { host_.yield_to_successor(reason); });
    } else if (const auto* anew = std::get_if<exactly_once::StartAnew>(&action)) {
      give_up([this, reason = anew->reason] { host_.start_anew(reason); });
    } else if (const auto* fail = std::get_if<exactly_once::FailStart>(&action)) {
      give_up([this, error = fail->error] { host_.fail(trace_of(error)); });
    }
  }
}

void ExactlyOnceWriter::init_producer() {
  if (init_attempts_++ > 0 && !init_due_) {
    init_due_ = Steady::now() + kInitBackoff;  // proceed() comes back here
    return;
  }
  init_due_.reset();
  auto result = std::make_shared<Result<void>>();
  host_.call_apart([this, result] { *result = make_client(); },
                   [this, result] {
                     if (*result) {
                       first_batch(exactly_once::StepDone{});
                     } else {
                       first_batch(exactly_once::StepFailed{result->error()});
                     }
                   });
}

void ExactlyOnceWriter::compare_offsets() {
  auto result = std::make_shared<Result<bool>>(false);
  host_.call_apart([this, result] { *result = offsets_.still_as_known(); },
                   [this, result] {
                     if (*result) {
                       first_batch(exactly_once::OffsetsCompared{**result});
                     } else {
                       first_batch(exactly_once::StepFailed{result->error()});
                     }
                   });
}

}  // namespace fencepost::runtime
