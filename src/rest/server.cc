#include "rest/server.h"

#include <fmt/format.h>

#include "rest/address.h"
#include "rest/router.h"
#include "rest/transport.h"

namespace fencepost::rest {

class Server::Core {
 public:
  Core(const Options& options, Port& port, ResponseHeaders headers, const Log& log)
      : services_(std::make_shared<Services>(options, port, std::move(headers), log)),
        api_(routes_of_api(options)),
        admin_(admin_routes()) {}
  ~Core() { close(); }

  Result<void> open(const Log& log) {
    const Options& options = services_->options;
    FENCEPOST_TRY(const auto public_endpoints, parse_endpoints("listeners", options.listeners));
    if (public_endpoints.empty()) {
      return failure(ErrorKind::InvalidConfig, "listeners: the list is empty; give at least one, as http://host:port");
    }
    FENCEPOST_TRY(const auto admin_endpoints,
                  parse_endpoints("admin.listeners", options.admin_listeners.value_or(std::vector<std::string>())));
    std::vector<Transport::Listener> listeners;
    FENCEPOST_CHECK(add(listeners, "listeners", public_endpoints, api_, options.tls));
    FENCEPOST_CHECK(add(listeners, "admin.listeners", admin_endpoints, admin_, options.admin_tls));
    const Transport::Limits limits{.header_bytes_max = options.header_bytes_max,
                                   .body_bytes_max = options.request_bytes_max,
                                   .threads = options.threads,
                                   .idle = options.idle_timeout};
    const auto decorate = [services = services_](HttpReply& reply) { services->headers.add_to(reply); };
    FENCEPOST_TRY(auto opened, Transport::open(listeners, limits, decorate, log));
    endpoints_ = opened->endpoints();
    const auto public_count = static_cast<std::ptrdiff_t>(public_endpoints.size());
    FENCEPOST_TRY(advertised_, advertise({endpoints_.begin(), endpoints_.begin() + public_count},
                                         {options.advertised_listener, options.advertised_host, options.advertised_port}));
    services_->advertised_url = advertised_.url;
    transport_ = std::move(opened);
    transport_->start();
    return {};
  }

  void close() {
    services_->validation.close();
    if (transport_) transport_->close();
  }

  [[nodiscard]] const std::vector<Endpoint>& endpoints() const { return endpoints_; }
  [[nodiscard]] const Advertised& advertised() const { return advertised_; }

 private:
  Result<void> add(std::vector<Transport::Listener>& listeners, std::string_view setting, const std::vector<Endpoint>& endpoints,
                   const Router& router, const Tls& tls) {
    std::shared_ptr<boost::asio::ssl::context> context;
    for (const auto& endpoint : endpoints) {
      const bool is_https = endpoint.scheme == "https";
      if (is_https && !context) {
        auto made = net::make_server_tls_context(tls.settings, tls.client);
        if (!made) return Failure(std::move(made).error().while_doing(fmt::format("{}: {}", setting, to_string(endpoint))));
        context = *std::move(made);
      }
      listeners.push_back({endpoint, handler(router), is_https ? context : nullptr});
    }
    return {};
  }

  /// Without listeners of their own the endpoints under /admin are among the others.
  static Router routes_of_api(const Options& options) {
    std::vector<Route> routes(api_routes().begin(), api_routes().end());
    if (!options.admin_listeners) routes.insert(routes.end(), admin_routes().begin(), admin_routes().end());
    return Router(routes);
  }

  Transport::Handler handler(const Router& router) {
    return [services = services_, &router](HttpRequest request, Transport::Reply reply) {
      return router.take(services, std::move(request), std::move(reply));
    };
  }

  std::shared_ptr<Services> services_;
  Router api_;
  Router admin_;
  std::vector<Endpoint> endpoints_;
  Advertised advertised_;
  std::unique_ptr<Transport> transport_;
};

Server::Server(std::unique_ptr<Core> core) : core_(std::move(core)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::open(const Options& options, Port& port, Log log) {
  FENCEPOST_TRY(auto headers, ResponseHeaders::parse(options.response_headers, options.allow_origin, options.allow_methods));
  auto core = std::make_unique<Core>(options, port, std::move(headers), log);
  FENCEPOST_CHECK(core->open(log));
  return std::unique_ptr<Server>(new Server(std::move(core)));
}

const std::vector<Endpoint>& Server::endpoints() const { return core_->endpoints(); }
const std::string& Server::advertised_url() const { return core_->advertised().url; }
const std::string& Server::worker_id() const { return core_->advertised().worker_id; }
void Server::close() { core_->close(); }

}  // namespace fencepost::rest
