#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace fencepost {

/// What kind of failure it is, for code that must choose what to do next. REST maps kinds to HTTP statuses in one table.
enum class ErrorKind : std::uint8_t {
  InvalidConfig,  ///< what the user gave is wrong; repeating it is pointless
  NotFound,
  Conflict,     ///< right request, wrong moment (rebalancing, already exists)
  Forbidden,    ///< not signed, or signed wrongly
  Timeout,      ///< no answer in time; it may have happened all the same
  Fenced,       ///< a newer incarnation owns this now
  Unavailable,  ///< the other side cannot serve at present
  Corrupt,      ///< bytes that do not follow their format
  Failed,       ///< the operation was carried out and did not succeed
  Bug           ///< we contradict ourselves
};

[[nodiscard]] std::string_view to_string(ErrorKind kind);

/// What went wrong: the kind for code; the thing, the value and the cure for a person.
class Error {
 public:
  Error(ErrorKind kind, std::string message);

  [[nodiscard]] ErrorKind kind() const { return kind_; }
  [[nodiscard]] const std::string& message() const { return message_; }

  /// Puts what was being done before the message: "starting task orders-0: ...".
  [[nodiscard]] Error while_doing(std::string_view what) &&;

  /// Whether the same call may succeed later without anybody changing anything.
  [[nodiscard]] bool retriable() const { return kind_ == ErrorKind::Timeout || kind_ == ErrorKind::Unavailable; }

  friend bool operator==(const Error&, const Error&) = default;

 private:
  ErrorKind kind_;
  std::string message_;
};

template <class T>
using Result = tl::expected<T, Error>;
using Failure = tl::unexpected<Error>;

[[nodiscard]] inline Failure failure(ErrorKind kind, std::string message) { return Failure(Error(kind, std::move(message))); }

}  // namespace fencepost

#define FENCEPOST_CONCAT_INNER(a, b) a##b
#define FENCEPOST_CONCAT(a, b) FENCEPOST_CONCAT_INNER(a, b)

// NOLINTBEGIN(bugprone-macro-parentheses): a declaration takes none
/// FENCEPOST_TRY(const int port, parse_port(text)); returns the error from the enclosing function, or goes on with the value.
#define FENCEPOST_TRY(declaration, expression) \
  FENCEPOST_TRY_INNER(FENCEPOST_CONCAT(fencepost_try_, __LINE__), declaration, expression)
#define FENCEPOST_TRY_INNER(name, declaration, expression)         \
  auto name = (expression);                                        \
  if (!name) return ::fencepost::Failure(std::move(name).error()); \
  declaration = *std::move(name)

/// FENCEPOST_CHECK(write(bytes)); the same for a Result<void>.
#define FENCEPOST_CHECK(expression)                                                        \
  do {                                                                                     \
    auto fencepost_check = (expression);                                                   \
    if (!fencepost_check) return ::fencepost::Failure(std::move(fencepost_check).error()); \
  } while (false)
// NOLINTEND(bugprone-macro-parentheses)
