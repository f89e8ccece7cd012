#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "rest/call.h"

namespace fencepost::rest {

/// What a route does with a request's body.
enum class BodyKind : std::uint8_t {
  Ignored,
  Json,  ///< must be declared as application/json
  Bytes  ///< taken as it is
};

struct Route {
  std::string_view method;
  std::string_view path;  ///< {name} stands for any one segment, {name:int} for a number
  void (*handle)(const CallPtr& call);
  BodyKind body = BodyKind::Ignored;
  /// JAX-RS' @Consumes: a Content-Type that is given must fit, even without a body.
  bool checks_content_type = true;
  bool is_health = false;
  bool answers_text = false;  ///< not JSON: the Accept header is not looked at
};

/// The public and the internal endpoints.
[[nodiscard]] std::span<const Route> api_routes();
/// The endpoints of admin.listeners.
[[nodiscard]] std::span<const Route> admin_routes();

}  // namespace fencepost::rest
