#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "net/settings.h"
#include "rest/http.h"

namespace fencepost::rest {

/// HTTP requests to other workers, on cpprestsdk's client. One client a worker is kept, with its connections.
///
/// Threads: any; nobody waits. `done` is called once, from a thread of cpprestsdk's pool or from the caller's own.
class PeerClient {
 public:
  /// Errors: Unavailable: nobody answered (refused, cut, timed out, no URL); whether it was done is not known.
  using Done = std::function<void(Result<HttpReply>)>;

  explicit PeerClient(std::chrono::seconds timeout, net::TlsSettings tls = {});
  ~PeerClient();
  PeerClient(const PeerClient&) = delete;
  PeerClient& operator=(const PeerClient&) = delete;

  /// `worker_url` as in the group's metadata: "http://host:port/" or https; the request's target is an encoded path with its
  /// query.
  void send(const std::string& worker_url, HttpRequest request, Done done);

 private:
  class Clients;
  std::unique_ptr<Clients> clients_;
};

}  // namespace fencepost::rest
