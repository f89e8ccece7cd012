#include "net/loop.h"

#include "net/asio.h"

namespace fencepost::net {

namespace asio = boost::asio;

Loop::Loop() : context_(std::make_unique<asio::io_context>(1)) {}
Loop::~Loop() = default;

void Loop::run() {
  const auto keep_working = asio::make_work_guard(*context_);
  context_->run();
}

void Loop::stop() { context_->stop(); }

void Loop::post(std::function<void()> work) { asio::post(*context_, std::move(work)); }

struct Timer::State {
  explicit State(asio::io_context& context) : timer(context) {}
  asio::steady_timer timer;
  // Asio may have queued a handler already when it is cancelled; its round tells it that it is stale.
  std::uint64_t round = 0;
  bool running = false;
};

Timer::Timer(Loop& loop) : state_(std::make_shared<State>(loop.context())) {}
Timer::~Timer() { cancel(); }

void Timer::start_at(SteadyTime when, std::function<void()> callback) {
  state_->timer.expires_at(when);
  state_->running = true;
  const std::uint64_t round = ++state_->round;
  state_->timer.async_wait([state = state_, round, callback = std::move(callback)](const boost::system::error_code& error) {
    if (error || state->round != round) return;
    state->running = false;
    callback();
  });
}

void Timer::cancel() {
  ++state_->round;
  state_->running = false;
  state_->timer.cancel();
}

bool Timer::running() const { return state_->running; }

}  // namespace fencepost::net
