#pragma once

#include <cstdint>
#include <memory>

#include "base/error.h"
#include "net/asio.h"
#include "net/settings.h"

namespace fencepost::net {

/// A client's TLS context; InvalidConfig names the setting whose file or text is of no use.
[[nodiscard]] Result<std::shared_ptr<boost::asio::ssl::context>> make_tls_context(const TlsSettings& settings);
/// The same for a context that somebody else has made.
[[nodiscard]] Result<void> apply_tls_settings(boost::asio::ssl::context& context, const TlsSettings& settings);

/// What a server asks of its clients: ssl.client.auth.
enum class ClientCertificate : std::uint8_t { NotAsked, Requested, Required };
/// A server's; it needs a key with its certificate.
[[nodiscard]] Result<std::shared_ptr<boost::asio::ssl::context>> make_server_tls_context(const TlsSettings& settings,
                                                                                         ClientCertificate client);

}  // namespace fencepost::net
