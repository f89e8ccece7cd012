#include "base/error.h"

#include <utility>

namespace fencepost {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::InvalidConfig:
      return "invalid config";
    case ErrorKind::NotFound:
      return "not found";
    case ErrorKind::Conflict:
      return "conflict";
    case ErrorKind::Forbidden:
      return "forbidden";
    case ErrorKind::Timeout:
      return "timeout";
    case ErrorKind::Fenced:
      return "fenced";
    case ErrorKind::Unavailable:
      return "unavailable";
    case ErrorKind::Corrupt:
      return "corrupt";
    case ErrorKind::Failed:
      return "failed";
    case ErrorKind::Bug:
      return "bug";
  }
  return "unknown";
}

Error::Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}

Error Error::while_doing(std::string_view what) && {
  message_.insert(0, std::string(what) + ": ");
  return std::move(*this);
}

}  // namespace fencepost
