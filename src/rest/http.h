#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fencepost::rest {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

/// The first header of a name, whatever its case; nothing where there is none.
[[nodiscard]] std::optional<std::string_view> find_header(const HeaderList& headers, std::string_view name);
[[nodiscard]] bool equals_ignoring_case(std::string_view a, std::string_view b);

/// A request as it came; nothing is decoded.
struct HttpRequest {
  std::string method;
  std::string target;  ///< path and query
  HeaderList headers;
  std::string body;
  std::string scheme = "http";  ///< of the listener that it came to

  [[nodiscard]] std::string_view path() const;
  /// Without the question mark.
  [[nodiscard]] std::string_view query() const;
};

struct HttpReply {
  int status = 200;
  HeaderList headers;
  std::string body;  ///< empty: no body and no Content-Type
  const char* media_type = "application/json";

  [[nodiscard]] static HttpReply json(int status, std::string body) {
    HttpReply reply;
    reply.status = status;
    reply.body = std::move(body);
    return reply;
  }
};

/// {"error_code": status, "message": message}.
[[nodiscard]] HttpReply error_reply(int status, std::string_view message);
/// What Jersey says without anything better to say: "HTTP 404 Not Found".
[[nodiscard]] HttpReply plain_error(int status);
/// "Not Found" of 404.
[[nodiscard]] std::string_view reason_of(int status);

}  // namespace fencepost::rest
