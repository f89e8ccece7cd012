#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "herder/turn.h"

namespace fencepost::herder {

/// What comes of a question: text where the answer has some.
using Answer = Result<std::string>;
using Then = std::function<void(const Answer&)>;

[[nodiscard]] inline Answer answer_of(const std::optional<Error>& error) {
  if (error) return Failure(*error);
  return std::string();
}

/// Questions that the herder has put to the shell: what is waited for, since when, and what happens when the answer comes. A
/// question with a deadline is answered by Timeout when it passes, and the late answer finds nobody.
class Questions {
 public:
  explicit Questions(Turn& turn) : turn_(turn) {}

  /// A new question; put its id into the action.
  [[nodiscard]] RequestId ask(std::string doing, std::optional<Duration> within, Then then);
  /// Nothing happens if nobody waits for it any more.
  void answer(RequestId id, const Answer& answer);
  /// Somebody still waits for it.
  [[nodiscard]] bool is_open(RequestId id) const { return open_.contains(id); }
  void answer_all(const Answer& answer);
  void expire();
  [[nodiscard]] std::optional<Time> next_deadline() const;
  /// What has been waited for the longest.
  [[nodiscard]] std::optional<Stage> oldest(std::string component) const;

 private:
  struct Open {
    std::string doing;
    Time since{};
    std::optional<Time> deadline;
    Then then;
  };
  Turn& turn_;
  std::map<RequestId, Open> open_;
};

}  // namespace fencepost::herder
