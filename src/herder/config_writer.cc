#include "herder/config_writer.h"

#include <utility>

namespace fencepost::herder {

void ConfigWriter::submit(std::string what, Change change) {
  queue_.push_back(Waiting{.what = std::move(what), .change = std::move(change)});
  run_next();
}

// A change that ends before it returns must not nest the next one into itself: a long queue would eat the stack.
void ConfigWriter::run_next() {
  if (running_next_) return;
  running_next_ = true;
  while (!busy_ && !queue_.empty()) {
    Waiting next = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    doing_ = next.what;
    since_ = turn_.now();
    next.change([this] {
      busy_ = false;
      run_next();
    });
  }
  running_next_ = false;
}

std::optional<Stage> ConfigWriter::stage() const {
  if (!busy_) return std::nullopt;
  std::string text = doing_;
  if (!queue_.empty()) text += " (" + std::to_string(queue_.size()) + " more changes wait)";
  return Stage{.component = "config changes", .doing = std::move(text), .since_ms = since_.time_since_epoch().count()};
}

}  // namespace fencepost::herder
