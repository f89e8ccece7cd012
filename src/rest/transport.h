#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "rest/endpoint.h"
#include "rest/http.h"

namespace boost::asio::ssl {
class context;
}

namespace fencepost::rest {

/// What carries requests in and answers out.
///
/// cpprestsdk's listener stands on a transport of ours, put in place through the http_server interface that it has for this: its
/// own one limits neither headers nor bodies, lets clients that expect "100 Continue" wait, answers malformed requests without
/// JSON, and frees connections that are still written to when it closes.
class Transport {
 public:
  /// Answers one request; to be called once, from any thread. Later calls, and those after close(), are dropped.
  using Reply = std::function<void(HttpReply)>;
  /// How long the answer may take, and what the client is told when it does not come by then; a later one is dropped.
  struct Patience {
    std::chrono::milliseconds allowed{0};
    std::function<HttpReply()> too_late{};
  };
  /// Called on one of the transport's threads.
  using Handler = std::function<Patience(HttpRequest, Reply)>;

  struct Limits {
    std::size_t header_bytes_max = 8192;
    std::size_t body_bytes_max = 32U << 20U;
    std::size_t threads = 2;
    std::chrono::milliseconds idle{60000};
    std::chrono::milliseconds farewell{2000};  ///< how long close() waits for requests that are under way
  };
  struct Listener {
    Endpoint endpoint;
    Handler handler;
    std::shared_ptr<boost::asio::ssl::context> tls{};  ///< of an https endpoint
  };

  /// Binds; nothing is accepted before start(). `decorate` is applied to answers that the transport gives by itself. Errors:
  /// InvalidConfig for a host that is no address of this machine, Unavailable for a port in use.
  [[nodiscard]] static Result<std::unique_ptr<Transport>> open(const std::vector<Listener>& listeners, const Limits& limits,
                                                               std::function<void(HttpReply&)> decorate, const Log& log);
  virtual ~Transport() = default;

  virtual void start() = 0;
  /// As asked for, with the ports that were given out for 0.
  [[nodiscard]] virtual const std::vector<Endpoint>& endpoints() const = 0;
  /// Waits until nothing of it runs any more. Not to be called from a handler or an answer.
  virtual void close() = 0;
};

}  // namespace fencepost::rest
