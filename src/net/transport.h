#pragma once

#include <functional>
#include <memory>
#include <string>

#include "net/asio.h"
#include "net/settings.h"

namespace fencepost::net {

/// A stream of bytes to a broker: TCP, or TLS over it. One read and one write may be under way at a time.
class Transport {
 public:
  using Done = std::function<void(const boost::system::error_code&)>;
  using Moved = std::function<void(const boost::system::error_code&, std::size_t)>;

  virtual ~Transport() = default;
  [[nodiscard]] virtual boost::asio::ip::tcp::socket& socket() = 0;
  /// After the socket is connected.
  virtual void handshake(Done done) = 0;
  virtual void read_some(boost::asio::mutable_buffer into, Moved done) = 0;
  virtual void write(boost::asio::const_buffer bytes, Moved done) = 0;
  /// Why the peer's certificate was refused; empty where it was not.
  [[nodiscard]] virtual std::string verification_failure() const = 0;
  void close();
};

/// `tls` null: plain TCP.
[[nodiscard]] std::unique_ptr<Transport> make_transport(boost::asio::io_context& context,
                                                        const std::shared_ptr<boost::asio::ssl::context>& tls,
                                                        const std::string& host, bool verify_hostname);

}  // namespace fencepost::net
