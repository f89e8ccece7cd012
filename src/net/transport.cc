#include "net/transport.h"

#include <utility>

namespace fencepost::net {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using boost::system::error_code;

class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(asio::io_context& context) : socket_(context) {}

  asio::ip::tcp::socket& socket() override { return socket_; }
  void handshake(Done done) override {
    asio::post(socket_.get_executor(), [done = std::move(done)] { done({}); });
  }
  void read_some(asio::mutable_buffer into, Moved done) override { socket_.async_read_some(into, std::move(done)); }
  void write(asio::const_buffer bytes, Moved done) override { asio::async_write(socket_, bytes, std::move(done)); }
  std::string verification_failure() const override { return {}; }

 private:
  asio::ip::tcp::socket socket_;
};

class TlsTransport final : public Transport {
 public:
  TlsTransport(asio::io_context& context, std::shared_ptr<ssl::context> tls, const std::string& host, bool verify_hostname)
      : tls_(std::move(tls)), stream_(context, *tls_) {
    error_code not_an_address;
    asio::ip::make_address(host, not_an_address);
    // RFC 6066 allows names only in the server name indication.
    if (not_an_address) SSL_set_tlsext_host_name(stream_.native_handle(), host.c_str());
    if (verify_hostname) {
      error_code error;
      stream_.set_verify_callback(ssl::host_name_verification(host), error);
    }
  }

  asio::ip::tcp::socket& socket() override { return stream_.next_layer(); }
  void handshake(Done done) override { stream_.async_handshake(ssl::stream_base::client, std::move(done)); }
  void read_some(asio::mutable_buffer into, Moved done) override { stream_.async_read_some(into, std::move(done)); }
  void write(asio::const_buffer bytes, Moved done) override { asio::async_write(stream_, bytes, std::move(done)); }
  std::string verification_failure() const override {
    const long result = SSL_get_verify_result(const_cast<ssl::stream<asio::ip::tcp::socket>&>(stream_).native_handle());
    return result == X509_V_OK ? std::string{} : X509_verify_cert_error_string(result);
  }

 private:
  std::shared_ptr<ssl::context> tls_;
  ssl::stream<asio::ip::tcp::socket> stream_;
};

}  // namespace

void Transport::close() {
  error_code ignored;
  socket().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  socket().close(ignored);
}

std::unique_ptr<Transport> make_transport(asio::io_context& context, const std::shared_ptr<ssl::context>& tls,
                                          const std::string& host, bool verify_hostname) {
  if (tls) return std::make_unique<TlsTransport>(context, tls, host, verify_hostname);
  return std::make_unique<PlainTransport>(context);
}

}  // namespace fencepost::net
