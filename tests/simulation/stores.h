#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "herder/actions.h"
#include "part.h"

namespace fencepost::simulation {

/// How one worker reads and writes the config and status topics, as src/store does.
class Stores : public Part {
 public:
  Stores(Simulation& world, Process& process, std::string worker, Tell tell)
      : Part(world, process, std::move(worker), std::move(tell)) {}

  void start();
  /// Reads what is there at the start.
  void read_all();
  void config_appended();
  void status_appended();
  /// So many records of the config topic has this worker read.
  [[nodiscard]] std::size_t config_read() const { return config_read_; }
  [[nodiscard]] std::size_t status_read() const { return status_read_; }

  void perform(const herder::ReadConfigLog& a);
  void perform(const herder::WriteConfigRecords& a);
  void perform(const herder::ClaimConfigLog& a);
  void perform(const herder::ReleaseConfigLog& a);
  void perform(const herder::WriteStatusRecord& a);

 private:
  void follow_config(std::size_t end);
  void follow_status();
  [[nodiscard]] Duration reading();
  void write(const herder::WriteConfigRecords& a);
  void append(const std::vector<herder::RecordToWrite>& records);

  std::size_t config_read_ = 0;
  std::size_t status_read_ = 0;
  std::optional<std::int64_t> leader_epoch_;
  bool transactional_ = false;
  Time leader_line_{};
  Time plain_line_{};
  Time status_line_{};
};

}  // namespace fencepost::simulation
