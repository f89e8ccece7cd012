#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "net/tls.h"
#include "rest/endpoint.h"
#include "rest/port.h"

namespace fencepost::rest {

/// TLS of https listeners, and of requests to workers that advertise https.
struct Tls {
  net::TlsSettings settings;
  net::ClientCertificate client = net::ClientCertificate::NotAsked;  ///< `ssl.client.auth`
};

/// The worker settings that concern REST, by their Kafka Connect names; defaults are Connect's.
struct Options {
  std::vector<std::string> listeners = {"http://:8083"};
  /// `admin.listeners`: nothing means the endpoints under /admin are served on `listeners`; an empty list switches them off.
  std::optional<std::vector<std::string>> admin_listeners;
  Tls tls;                                       ///< `listeners.https.ssl.*`, or without any of these `ssl.*`
  Tls admin_tls;                                 ///< `admin.listeners.https.ssl.*`, likewise
  std::string advertised_host;                   ///< `rest.advertised.host.name`; empty: from the listener
  std::optional<std::uint16_t> advertised_port;  ///< `rest.advertised.port`
  std::string advertised_listener;               ///< `rest.advertised.listener`: http or https; empty: the first listener's
  std::string allow_origin;                      ///< `access.control.allow.origin`: a list, or *
  std::string allow_methods;                     ///< `access.control.allow.methods`
  std::string response_headers;                  ///< `response.http.headers.config`
  bool topic_tracking = true;                    ///< `topic.tracking.enable`
  bool topic_tracking_reset = true;              ///< `topic.tracking.allow.reset`
  std::size_t request_bytes_max = 32U << 20U;    ///< `rest.request.max.bytes`, ours: a larger body is refused with 413
  std::size_t header_bytes_max = 8192;           ///< request line and headers, as with Jetty: 414 or 431
  std::size_t threads = 2;
  std::chrono::seconds request_timeout{90};  ///< the herder's own deadline; the server waits a little longer
  std::chrono::seconds health_timeout{10};
  std::chrono::seconds idle_timeout{60};  ///< how long a connection may be silent
};

/// The REST API on its listeners. It answers from the moment it is open; what the herder cannot answer yet it says itself.
class Server {
 public:
  /// Binds all listeners. Errors: InvalidConfig for settings that make no sense, Unavailable for a port that is in use.
  [[nodiscard]] static Result<std::unique_ptr<Server>> open(const Options& options, Port& port, Log log);
  /// Closes.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Where it listens, with the ports that were given out for 0.
  [[nodiscard]] const std::vector<Endpoint>& endpoints() const;
  /// What other workers and clients are told, with a trailing slash: "http://host:port/".
  [[nodiscard]] const std::string& advertised_url() const;
  /// "host:port" of the advertised URL, as it stands in statuses.
  [[nodiscard]] const std::string& worker_id() const;

  /// Accepts nothing more, gives requests that are under way a moment to be answered, and closes. The port is not called any
  /// more afterwards, and answers that still come are dropped. Waits; not to be called from an answer.
  void close();

 private:
  class Core;
  explicit Server(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

}  // namespace fencepost::rest
