#pragma once

#include <memory>

#include "base/error.h"
#include "net/asio.h"
#include "net/settings.h"

namespace fencepost::net {

/// A client's TLS context; InvalidConfig names the setting whose file or text is of no use.
[[nodiscard]] Result<std::shared_ptr<boost::asio::ssl::context>> make_tls_context(const TlsSettings& settings);

}  // namespace fencepost::net
