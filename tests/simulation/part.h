#pragma once

#include <functional>
#include <string>
#include <utility>

#include "herder/events.h"
#include "process.h"
#include "schedule.h"

namespace fencepost::simulation {

class Simulation;

/// What each part of a worker process stands on: the world, the process it lives and dies with, the herder it reports to.
class Part {
 public:
  using Tell = std::function<void(const herder::Event&)>;

 protected:
  Part(Simulation& world, Process& process, std::string worker, Tell tell)
      : world_(world), process_(process), worker_(std::move(worker)), tell_(std::move(tell)) {}

  void in(Duration wait, std::function<void()> what) { process_.in(wait, std::move(what)); }
  void tell(const herder::Event& event) { tell_(event); }

  Simulation& world_;
  Process& process_;
  std::string worker_;

 private:
  Tell tell_;
};

}  // namespace fencepost::simulation
