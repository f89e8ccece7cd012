#pragma once

#include <string>
#include <vector>

#include "herder/requests.h"
#include "rest/http.h"
#include "rest/port.h"

namespace fencepost::rest {

/// The HTTP status of each kind of error: the one table.
[[nodiscard]] int status_of(ErrorKind kind);

/// What a client sees of the herder's answer. A Created has its Location added by its route; a ForwardTo never comes here.
[[nodiscard]] HttpReply to_reply(const herder::Response& response);

/// GET /connectors?expand=...: an object by name, with what was asked for.
[[nodiscard]] std::string expand(const herder::View& views, bool with_status, bool with_info);

}  // namespace fencepost::rest
