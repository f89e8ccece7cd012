#include "stores.h"

#include <algorithm>
#include <utility>

#include "simulation.h"

namespace fencepost::simulation {

using namespace herder;

void Stores::start() {
  config_read_ = status_read_ = 0;
  leader_epoch_.reset();
  transactional_ = world_.options_of(worker_).exactly_once != ExactlyOnce::Disabled;
}

void Stores::read_all() {
  follow_config(world_.configs.size());
  follow_status();
}

void Stores::follow_config(std::size_t end) {
  end = std::min(end, world_.configs.size());
  if (config_read_ >= end) return;
  const ConfigRecordsRead read{world_.configs.read(config_read_, end)};
  config_read_ = end;
  if (!read.records.empty()) tell(read);
}

void Stores::follow_status() {
  if (status_read_ >= world_.statuses.size()) return;
  const StatusRecordsRead read{world_.statuses.read(status_read_, world_.statuses.size())};
  status_read_ = world_.statuses.size();
  if (!read.records.empty()) tell(read);
}

Duration Stores::reading() {
  if (!world_.chance.happens(world_.faults.slow_read)) return world_.chance.wait(1, 50);
  ++world_.counters_["slow read of the config topic"];
  return world_.chance.wait(1000, 9000);
}

void Stores::config_appended() {
  in(reading(), [this, end = world_.configs.size()] { follow_config(end); });
}

void Stores::status_appended() {
  in(world_.chance.wait(2, 100), [this] { follow_status(); });
}

void Stores::perform(const ReadConfigLog& a) {
  in(world_.chance.wait(1, 20), [this, a] {
    const std::size_t end = world_.configs.size();
    in(reading(), [this, a, end] {
      follow_config(end);
      tell(ConfigLogEndReached{.request = a.request, .end = LogPosition{static_cast<std::int64_t>(end)}});
    });
  });
}

void Stores::perform(const ClaimConfigLog&) {
  process_.in_line(leader_line_, world_.chance.wait(2, 50), [this] { leader_epoch_ = world_.configs.claim(); });
}

void Stores::perform(const ReleaseConfigLog&) {
  process_.in_line(leader_line_, Duration(0), [this] { leader_epoch_.reset(); });
}

void Stores::append(const std::vector<RecordToWrite>& records) {
  if (world_.breaches.task_count_unwritten && records.front().key.starts_with("tasks-fencing-")) {
    TopicRecord record;
    record.offset = LogPosition{static_cast<std::int64_t>(config_read_) - 1};
    record.key = records.front().key;
    record.value = records.front().value;
    return tell(ConfigRecordsRead{{record}});
  }
  world_.append(world_.configs, records);
}

// Writes of one producer keep their order.
void Stores::perform(const WriteConfigRecords& a) {
  process_.in_line(a.as_leader ? leader_line_ : plain_line_, world_.chance.wait(2, 40), [this, a] { write(a); });
}

void Stores::write(const WriteConfigRecords& a) {
  std::optional<Error> error;
  const bool fenced = a.as_leader && transactional_ && (!leader_epoch_ || !world_.configs.may_write_as_leader(*leader_epoch_));
  const bool fails = !fenced && world_.chance.happens(world_.faults.fail_write);
  if (fenced) {
    ++world_.counters_["leader fenced out of the config topic"];
    error = Error(ErrorKind::Fenced, "another leader claimed the config topic");
  } else if (fails) {
    ++world_.counters_["failed write"];
    error = Error(ErrorKind::Timeout, "the brokers did not answer");
  }
  if (!fenced && (!fails || world_.chance.happens(0.5))) append(a.records);
  in(world_.chance.wait(1, 30), [this, a, error] { tell(ConfigWriteCompleted{.request = a.request, .error = error}); });
}

void Stores::perform(const WriteStatusRecord& a) {
  process_.in_line(status_line_, world_.chance.wait(1, 30),
                   [this, a] { world_.append(world_.statuses, {RecordToWrite{.key = a.key, .value = a.value}}); });
}

}  // namespace fencepost::simulation
