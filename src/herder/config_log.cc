#include "herder/config_log.h"

#include <utility>

namespace fencepost::herder {

void ConfigLog::read_to_end(std::string why, Then then) {
  next_read_.push_back(Waiting{.why = std::move(why), .then = std::move(then)});
  if (!reading_) start_read();
}

void ConfigLog::start_read() {
  reading_ = true;
  std::vector<Waiting> waiting = std::exchange(next_read_, {});
  std::string doing = "reading the config topic to its end (" + waiting.front().why + ")";
  const RequestId id = questions_.ask(std::move(doing), std::nullopt, [this, waiting = std::move(waiting)](const Answer& answer) {
    reading_ = false;
    if (!next_read_.empty()) start_read();
    for (const Waiting& w : waiting) w.then(answer);
  });
  turn_.order(ReadConfigLog{id});
}

void ConfigLog::read_to_end_as_leader(std::string why, Then then) {
  const auto read = [this, why = std::move(why), then = std::move(then)](const Answer& member) {
    if (!member || !hooks_.leads()) return then(failure(ErrorKind::Conflict, "this worker no longer leads the group"));
    if (!claimed_) claim();
    change_claim_ = claims_;
    read_to_end(why, then);
  };
  if (claimed_ || !hooks_.leads()) return read(std::string());
  hooks_.confirm_membership(read);
}

void ConfigLog::write(std::vector<protocol::Record> records, bool as_leader, std::string what, Then then) {
  if (as_leader && (!claimed_ || change_claim_ != claims_)) {
    return then(failure(ErrorKind::Conflict, std::string(kConflictingOperation) +
                                                 ". This worker lost its hold on the config topic before it could write " + what +
                                                 "."));
  }
  const RequestId id = questions_.ask(
      "writing " + what + " to the config topic", std::nullopt,
      [this, as_leader, what, then = std::move(then)](const Answer& answer) {
        if (!answer) {
          // Whatever went wrong, the leader's producer may be fenced: the next write takes the id again.
          if (as_leader) claimed_ = false;
          then(failure(ErrorKind::Failed, "Failed to write " + what + " to the config topic: " + answer.error().message()));
          return;
        }
        read_to_end("reading back " + what, then);
      });
  WriteConfigRecords order{.request = id, .records = {}, .as_leader = as_leader};
  for (auto& record : records)
    order.records.push_back(RecordToWrite{.key = std::move(record.key), .value = std::move(record.value)});
  turn_.order(std::move(order));
}

void ConfigLog::claim() {
  claimed_ = true;
  ++claims_;
  if (transactional()) turn_.order(ClaimConfigLog{});
}

void ConfigLog::release() {
  if (std::exchange(claimed_, false) && transactional()) turn_.order(ReleaseConfigLog{});
}

void ConfigLog::on(const ConfigLogEndReached& e) {
  questions_.answer(e.request, e.end ? Answer(std::string()) : Answer(Failure(e.end.error())));
}

void ConfigLog::on(const ConfigWriteCompleted& e) { questions_.answer(e.request, answer_of(e.error)); }

}  // namespace fencepost::herder
