#include <array>
#include <chrono>
#include <cstdio>

#include "herder/core.h"

namespace fencepost::herder {

namespace {

std::string utc(std::int64_t ms) {
  using namespace std::chrono;
  const Time time{milliseconds(ms)};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  std::array<char, 40> text{};
  (void)std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                      static_cast<int>(clock.seconds().count()));
  return text.data();
}

}  // namespace

void Herder::Core::add_life_stages(std::vector<Stage>& stages) const {
  const std::int64_t since_ms = life_since_.time_since_epoch().count();
  if (life_ == Life::Starting) {
    for (const auto& [told, since] : start_steps_) {
      stages.push_back({.component = told.component,
                        .doing = told.waits_for.empty() ? told.doing : told.doing + ", waiting for " + told.waits_for,
                        .since_ms = since.time_since_epoch().count()});
    }
    if (stages.empty()) {
      stages.push_back({.component = "worker", .doing = "reading the internal topics for the first time", .since_ms = since_ms});
    }
  } else if (life_ == Life::Stopping) {
    stages.push_back({.component = "worker", .doing = "shutting down", .since_ms = since_ms});
  }
}

std::vector<Stage> Herder::Core::stages() const {
  std::vector<Stage> stages;
  add_life_stages(stages);
  stages.push_back(membership_.stage());
  for (const auto& stage : {fencing_.stage(), keys_.stage(), writer_.stage(), log_.stage(), fence_asker_.stage(),
                            publisher_.stage(), workload_.stage(), questions_.oldest("requests")}) {
    if (stage) stages.push_back(*stage);
  }
  return stages;
}

std::string Herder::Core::stage_text() const {
  std::string text = "The worker is currently";
  bool first = true;
  for (const Stage& stage : stages()) {
    text += (first ? " " : "; ") + stage.doing + " since " + utc(stage.since_ms) + " (" +
            std::to_string((turn_.now().time_since_epoch().count() - stage.since_ms) / 1000) + " s)";
    first = false;
  }
  return text + ".";
}

Health Herder::Core::health() const {
  Health health{.ready = life_ == Life::Running && membership_.ever_settled(), .message = {}, .stages = stages()};
  // REST says before it that the worker is still starting up.
  health.message = health.ready ? "Worker has completed startup and is ready to handle requests." : stage_text();
  return health;
}

}  // namespace fencepost::herder
