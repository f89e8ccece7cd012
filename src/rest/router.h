#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rest/routes.h"

namespace fencepost::rest {

/// Finds the handler of a request in a table, and says no as Jersey does: 404 for a path, 405 for a method, 415 and 406 for media
/// types, in this order. HEAD is answered as GET, OPTIONS with what is allowed.
class Router {
 public:
  explicit Router(std::span<const Route> routes);

  /// Answers the request by `reply`, at once or later.
  Transport::Patience take(const std::shared_ptr<Services>& services, HttpRequest request, Transport::Reply reply) const;

 private:
  struct Pattern {
    Route route;
    std::vector<std::string> segments;
  };
  [[nodiscard]] std::vector<const Pattern*> matching(const std::vector<std::string>& path) const;

  std::vector<Pattern> patterns_;
};

}  // namespace fencepost::rest
