#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "net/settings.h"

namespace fencepost::rest {

struct RequestSignature {
  std::string algorithm;
  std::string mac_base64;
};

/// What one worker asks of another: the internal requests of README section 6 of the protocol.
///
/// Threads: any. No thread waits; `done` is called once, from a thread of the HTTP client or from the caller's own.
class LeaderClient {
 public:
  /// Nothing where the leader did as asked. Errors: Unavailable and Conflict may be repeated (the leader cannot be reached, has
  /// no key yet, or a rebalance is under way); Forbidden, NotFound, InvalidConfig as the leader said; Failed else.
  using Done = std::function<void(std::optional<Error>)>;

  explicit LeaderClient(Log log, std::chrono::seconds timeout = std::chrono::seconds(90), const net::TlsSettings& tls = {});
  ~LeaderClient();
  LeaderClient(const LeaderClient&) = delete;
  LeaderClient& operator=(const LeaderClient&) = delete;

  /// PUT leader/connectors/C/fence.
  void fence(const std::string& leader_url, const std::string& connector, const std::optional<RequestSignature>& signature,
             Done done) const;
  /// POST leader/connectors/C/tasks; `body` is the JSON list that was signed.
  void send_task_configs(const std::string& leader_url, const std::string& connector, const std::string& body,
                         const std::optional<RequestSignature>& signature, Done done) const;

 private:
  class Clients;
  std::unique_ptr<Clients> clients_;
};

}  // namespace fencepost::rest
