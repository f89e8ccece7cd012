#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/properties.h"
#include "base/time.h"

namespace fencepost::kafka {

enum class ClientKind : unsigned char { Producer, Consumer, Admin };

/// What the caller promises to its user about this client. Under ExactlyOnce every setting that would weaken the promise is
/// refused instead of obeyed.
enum class Delivery : unsigned char { AtLeastOnce, ExactlyOnce };

/// Java client settings in librdkafka's words. `settings` holds passwords: it is never printed.
struct Translated {
  ClientKind kind = ClientKind::Consumer;
  std::map<std::string, std::string> settings;
  /// One sentence for each setting that has no counterpart or was adapted.
  std::vector<std::string> warnings;

  // Settings that our own code carries out, with Java's defaults.
  std::size_t max_poll_records = 500;         ///< consumer: records a poll hands on
  std::optional<Duration> max_block;          ///< producer: how long produce() waits for room in its queue; nothing: for ever
  Duration default_api_timeout{60'000};       ///< consumer, admin: bound of blocking calls
  std::size_t max_request_bytes = 1'048'576;  ///< producer: the largest record
  Duration transaction_timeout{60'000};       ///< producer

  [[nodiscard]] std::optional<std::string> get(std::string_view name) const;
};

/// Translates a Java client's properties (no prefix: "linger.ms", "security.protocol", ...). Errors are InvalidConfig and
/// name the Java setting, its value (never a password) and the cure. Files named by ssl.truststore.location and
/// ssl.keystore.location are read: PEM and PKCS12, by their contents, whatever ssl.*store.type says; JKS is refused.
[[nodiscard]] Result<Translated> translate(ClientKind kind, const Properties& java, Delivery delivery = Delivery::AtLeastOnce);

/// Whether Java's client of this kind knows a setting of that name.
[[nodiscard]] bool is_client_setting(ClientKind kind, std::string_view name);

/// What a client for the worker's own topics (config, status, global offsets) is configured with: the worker's top-level
/// client settings, as in Connect; without those that the worker uses for itself (group.id, client.id, session.timeout.ms ...).
[[nodiscard]] Properties internal_client_properties(ClientKind kind, const Properties& worker);

/// What a client of a task is configured with, as in Connect: `defaults`, over them bootstrap.servers of the worker, over them
/// the worker's "producer." / "consumer." / "admin." settings, over them the connector's overrides (prefix taken off).
/// Top-level security settings of the worker do not reach tasks: that is Connect's rule.
[[nodiscard]] Properties task_client_properties(ClientKind kind, const Properties& worker, const Properties& defaults,
                                                const Properties& connector_overrides);

/// Connect's defaults for the producers of source tasks: no deadline for delivery, all acknowledgements, and order kept by
/// one request in flight (at least once) or by idempotence (exactly once).
[[nodiscard]] Properties source_producer_defaults(Delivery delivery);

/// The login module of sasl.jaas.config and its options.
struct JaasLogin {
  std::string module;
  std::map<std::string, std::string> options;
};
/// Parses `org...PlainLoginModule required username="a" password="b";`. Errors never repeat the text, which holds passwords.
[[nodiscard]] Result<JaasLogin> parse_jaas(std::string_view text);

}  // namespace fencepost::kafka
