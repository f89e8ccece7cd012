#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "net/asio.h"
#include "rest/asio.h"

namespace fencepost::rest {

using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;
using TlsContext = boost::asio::ssl::context;

/// A client's socket, with TLS or without: what Beast and Asio read from and write to.
class Stream {
 public:
  using executor_type = Socket::executor_type;

  /// Without a context: plain.
  Stream(Socket socket, const std::shared_ptr<TlsContext>& tls) : context_(tls) {
    if (tls) {
      tls_.emplace(std::move(socket), *tls);
    } else {
      plain_.emplace(std::move(socket));
    }
  }

  [[nodiscard]] Socket& socket() { return tls_ ? tls_->next_layer() : *plain_; }
  [[nodiscard]] executor_type get_executor() { return socket().get_executor(); }
  [[nodiscard]] bool is_tls() const { return tls_.has_value(); }

  template <class Handler>
  void async_handshake(Handler handler) {
    tls_->async_handshake(boost::asio::ssl::stream_base::server, std::move(handler));
  }
  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    if (tls_) {
      tls_->async_read_some(buffers, std::forward<Handler>(handler));
    } else {
      plain_->async_read_some(buffers, std::forward<Handler>(handler));
    }
  }
  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    if (tls_) {
      tls_->async_write_some(buffers, std::forward<Handler>(handler));
    } else {
      plain_->async_write_some(buffers, std::forward<Handler>(handler));
    }
  }

 private:
  std::shared_ptr<TlsContext> context_;
  std::optional<Socket> plain_;
  std::optional<boost::asio::ssl::stream<Socket>> tls_;
};

}  // namespace fencepost::rest
