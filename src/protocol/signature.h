#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "protocol/group.h"
#include "protocol/session_key.h"

/// How workers sign their requests to one another (KIP-507).
namespace fencepost::protocol {

inline constexpr std::string_view kSignatureHeader = "X-Connect-Authorization";
inline constexpr std::string_view kSignatureAlgorithmHeader = "X-Connect-Request-Signature-Algorithm";

/// Whether a worker can use this algorithm for keys and signatures: HmacSHA256 and its kin, in any case, as in Java.
[[nodiscard]] bool is_mac_algorithm(std::string_view algorithm);
/// How many random bytes a key of this algorithm has where `inter.worker.key.size` is not set, as with Java's generators.
/// Nothing for an unknown algorithm.
[[nodiscard]] std::optional<std::size_t> default_key_bytes(std::string_view algorithm);

/// The value of the signature header: Base64 of the MAC of the body's bytes. InvalidConfig for an unknown algorithm.
[[nodiscard]] Result<std::string> sign(const SessionKey& key, std::string_view algorithm, std::string_view body);

/// What a signed request is judged by.
struct SignedRequest {
  std::optional<std::string_view> signature;  ///< the header's value
  std::optional<std::string_view> algorithm;
  std::string_view body;
};

/// Checks an internal request in Connect's order. Fine if the group does not sign (below Sessioned).
/// Errors: InvalidConfig (REST: 400) for a request that cannot be judged, Unavailable (503) without a session key, Forbidden
/// (403) for a wrong signature, which takes the same time wherever it differs. `allowed` is
/// `inter.worker.verification.algorithms`.
[[nodiscard]] Result<void> verify(ConnectProtocol protocol, const SignedRequest& request, const std::vector<std::string>& allowed,
                                  const std::optional<SessionKey>& key);

}  // namespace fencepost::protocol
