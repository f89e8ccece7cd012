#include "rest/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

namespace fencepost::rest {
namespace {

constexpr std::string_view kLoopback = "127.0.0.1";

/// The address that this machine's name stands for.
std::string own_address() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return std::string(kLoopback);
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(name.data(), nullptr, &hints, &found) != 0 || found == nullptr) return std::string(kLoopback);
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  std::array<char, NI_MAXHOST> text{};
  const int failed = getnameinfo(found->ai_addr, found->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  return failed != 0 ? std::string(kLoopback) : std::string(text.data());
}

bool is_every_interface(const std::string& host) { return host.empty() || host == "0.0.0.0" || host == "::"; }

}  // namespace

Result<Advertised> advertise(const std::vector<Endpoint>& listeners, const AdvertisedSettings& settings) {
  const auto chosen = std::find_if(listeners.begin(), listeners.end(), [&](const Endpoint& listener) {
    return settings.scheme.empty() || listener.scheme == settings.scheme;
  });
  if (chosen == listeners.end()) {
    return failure(ErrorKind::InvalidConfig,
                   fmt::format("rest.advertised.listener: '{}' is the protocol of none of the listeners", settings.scheme));
  }
  Endpoint out = *chosen;
  if (!settings.host.empty()) {
    out.host = settings.host;
  } else if (is_every_interface(out.host)) {
    out.host = own_address();
  }
  out.port = settings.port.value_or(out.port);
  const std::string url = to_string(out);
  return Advertised{url + "/", url.substr(url.find("://") + 3)};
}

}  // namespace fencepost::rest
