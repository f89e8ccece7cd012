#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "rest/http.h"

namespace fencepost::rest {

/// Fixed headers of every answer, and what browsers of other origins may do: the settings response.http.headers.config,
/// access.control.allow.origin and access.control.allow.methods.
class ResponseHeaders {
 public:
  /// Errors: InvalidConfig, naming the setting and the part of it that makes no sense.
  [[nodiscard]] static Result<ResponseHeaders> parse(std::string_view headers_config, std::string_view allowed_origins,
                                                     std::string_view allowed_methods);

  /// To an answer of the transport's own: the fixed headers only.
  void add_to(HttpReply& reply) const;
  /// To the answer of a request.
  void add_to(HttpReply& reply, const HttpRequest& request) const;

 private:
  struct Fixed {
    bool is_date = false;  ///< the value is a time in ms, shown as an HTTP date
    bool replaces = false;
    std::string name;
    std::string value;
  };
  static Result<Fixed> parse_rule(std::string_view rule);
  [[nodiscard]] bool allows(std::string_view origin) const;

  std::vector<Fixed> fixed_;
  std::vector<std::string> origins_;
  std::string methods_;
};

}  // namespace fencepost::rest
