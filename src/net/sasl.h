#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "net/settings.h"

namespace fencepost::net {

/// The client's side of one SASL exchange, by Cyrus SASL. What it returns is to be sent as it is and never to be printed.
class SaslExchange {
 public:
  virtual ~SaslExchange() = default;
  /// The first message; may be empty.
  [[nodiscard]] virtual Result<std::string> start() = 0;
  /// Our answer to the server's message. Forbidden where the server did not prove that it knows the password (SCRAM).
  [[nodiscard]] virtual Result<std::string> step(std::string_view challenge) = 0;
  /// Nothing more is to be sent, once what was returned last has been.
  [[nodiscard]] virtual bool complete() const = 0;
};

/// InvalidConfig for a mechanism that is not PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or GSSAPI, or whose credentials are missing.
[[nodiscard]] Result<std::unique_ptr<SaslExchange>> make_sasl_exchange(const SaslSettings& settings, const std::string& host);

}  // namespace fencepost::net
