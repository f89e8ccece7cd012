#include <fmt/format.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <utility>

#include "base/endpoint.h"
#include "kafka/client_settings.h"
#include "kafka/client_settings_table.h"
#include "kafka/key_stores.h"

namespace fencepost::kafka {
namespace {

using table::find_row;
using table::kIntMax;
using table::name_of;
using table::Row;
using table::Rule;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

Failure bad_value(std::string_view name, std::string_view value, std::string_view allowed) {
  return failure(ErrorKind::InvalidConfig, fmt::format("{}: '{}' is not possible; use {}", name, value, allowed));
}

Result<std::int64_t> whole_number(std::string_view name, std::string_view text) {
  const std::string_view digits = trimmed(text);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) {
    return bad_value(name, text, "a whole number");
  }
  return number;
}

Result<bool> flag(std::string_view name, std::string_view text) {
  const std::string word = lower(trimmed(text));
  if (word == "true") return true;
  if (word == "false") return false;
  return bad_value(name, text, "true or false");
}

/// One translation: the Java properties on one side, what is being made of them on the other.
class Translation {
 public:
  Translation(ClientKind kind, const Properties& java, Delivery delivery) : java_(java), delivery_(delivery) { out_.kind = kind; }

  Result<Translated> run() {
    defaults();
    for (const auto& [name, value] : java_) {
      if (value) FENCEPOST_CHECK(row(name, *value));
    }
    FENCEPOST_CHECK(security());
    switch (out_.kind) {
      case ClientKind::Producer:
        FENCEPOST_CHECK(producer());
        break;
      case ClientKind::Consumer:
        FENCEPOST_CHECK(consumer());
        break;
      case ClientKind::Admin:
        break;
    }
    reconcile();
    FENCEPOST_TRY(const std::int64_t api, number_or("default.api.timeout.ms", 60'000));
    out_.default_api_timeout = Duration(api);
    return std::move(out_);
  }

 private:
  void defaults() {
    auto& s = out_.settings;
    s["log.connection.close"] = "false";  // idle connections are cut by brokers and firewalls: no news
    s["reconnect.backoff.ms"] = "50";
    s["reconnect.backoff.max.ms"] = "1000";
    s["socket.keepalive.enable"] = "true";
    if (out_.kind == ClientKind::Consumer) {
      s["isolation.level"] = "read_uncommitted";  // Java's default; librdkafka's is read_committed
      s["enable.auto.commit"] = "false";
      s["enable.auto.offset.store"] = "false";
      s["check.crcs"] = "true";
      s["allow.auto.create.topics"] = "true";
      s["partition.assignment.strategy"] = "range";  // what Java's default makes of a mixed group
      // Without it a fetcher whose queue was full sleeps a second.
      s["fetch.queue.backoff.ms"] = "1";
      s["queued.max.messages.kbytes"] = "8192";
      s["queued.min.messages"] = "1000000";  // so that bytes bound the queue, not a count
    }
    if (out_.kind == ClientKind::Producer) {
      s["partitioner"] = "murmur2_random";  // keys land where Java's producers put them
      s["queue.buffering.max.messages"] = "100000";
      s["message.timeout.ms"] = "120000";
      s["message.max.bytes"] = "1048576";
    }
  }

  Result<void> row(const std::string& name, const std::string& value) {
    const Row* row = find_row(out_.kind, name);
    if (row == nullptr || row->rule == Rule::NoCounterpart) {
      out_.warnings.push_back(fmt::format("{} setting '{}' has no counterpart here and is ignored", name_of(out_.kind), name));
      return {};
    }
    switch (row->rule) {
      case Rule::Copy:
        out_.settings[std::string(row->native)] = value;
        return {};
      case Rule::Endpoints:
        // librdkafka would look for a host of that name for ever.
        if (auto endpoints = parse_endpoints(value); !endpoints) return Failure(std::move(endpoints).error().while_doing(name));
        out_.settings[std::string(row->native)] = value;
        return {};
      case Rule::Lower:
        out_.settings[std::string(row->native)] = lower(trimmed(value));
        return {};
      case Rule::Flag: {
        FENCEPOST_TRY(const bool on, flag(name, value));
        out_.settings[std::string(row->native)] = on ? "true" : "false";
        return {};
      }
      case Rule::Number:
        return number(*row, value);
      case Rule::Reserved: {
        if (lower(value) == "false") return {};
        return bad_value(name, value, "false: the worker completes its transactions itself");
      }
      case Rule::Ours:
      case Rule::NoCounterpart:
        return {};
    }
    return {};
  }

  Result<void> number(const Row& row, const std::string& value) {
    FENCEPOST_TRY(const std::int64_t given, whole_number(row.java, value));
    const std::int64_t used = std::clamp(given, row.low, row.high);
    // -1 is Java's word for "the system's" or "never", and what is beyond 32 bits means "no limit".
    if (used != given && given != -1 && given < kIntMax) {
      out_.warnings.push_back(fmt::format("{} setting '{}': {} is beyond what is possible here, {} is used", name_of(out_.kind),
                                          row.java, given, used));
    }
    out_.settings[std::string(row.native)] = std::to_string(used);
    return {};
  }

  [[nodiscard]] Result<std::int64_t> number_or(std::string_view name, std::int64_t fallback) const {
    const auto text = java_.get(name);
    return text ? whole_number(name, *text) : Result<std::int64_t>(fallback);
  }

  Result<void> security() {
    FENCEPOST_CHECK(translate_key_stores(java_, out_.settings));
    if (const auto algorithm = java_.get("ssl.endpoint.identification.algorithm")) {
      const std::string word = lower(trimmed(*algorithm));
      if (!word.empty() && word != "https")
        return bad_value("ssl.endpoint.identification.algorithm", *algorithm, "https or nothing");
      out_.settings["ssl.endpoint.identification.algorithm"] = word.empty() ? "none" : "https";
    }
    if (const auto suites = java_.get("ssl.cipher.suites"); suites && !suites->empty()) cipher_suites(*suites);
    const std::string protocol = out_.settings.contains("security.protocol") ? out_.settings["security.protocol"] : "plaintext";
    if (!protocol.starts_with("sasl_")) return {};
    return sasl();
  }

  void cipher_suites(std::string_view suites) {
    std::string names;
    while (!suites.empty()) {
      const auto comma = std::min(suites.find(','), suites.size());
      const std::string iana(trimmed(suites.substr(0, comma)));
      suites.remove_prefix(std::min(comma + 1, suites.size()));
      const std::string_view native = OPENSSL_cipher_name(iana.c_str());
      // The suites of TLS 1.3 are always offered; the list is about those below.
      if (iana.empty() || native.starts_with("TLS_")) continue;
      if (native.empty() || native == "(NONE)") {
        out_.warnings.push_back(fmt::format("ssl.cipher.suites: '{}' is unknown here and is ignored", iana));
        continue;
      }
      if (!names.empty()) names += ':';
      names += native;
    }
    if (!names.empty()) out_.settings["ssl.cipher.suites"] = names;
  }

  Result<void> sasl() {
    const std::string mechanism = java_.get_or("sasl.mechanism", "GSSAPI");
    if (mechanism != "PLAIN" && mechanism != "GSSAPI" && !mechanism.starts_with("SCRAM-SHA-")) {
      return bad_value("sasl.mechanism", mechanism, "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or GSSAPI");
    }
    const auto text = java_.get("sasl.jaas.config");
    if (!text) {
      if (mechanism == "GSSAPI") return {};  // the ticket cache of the worker's user
      return failure(
          ErrorKind::InvalidConfig,
          fmt::format("sasl.jaas.config is missing; sasl.mechanism={} takes its user and password from it", mechanism));
    }
    FENCEPOST_TRY(const JaasLogin login, parse_jaas(*text));
    const auto option = [&](const char* name) {
      const auto at = login.options.find(name);
      return at == login.options.end() ? std::optional<std::string>() : at->second;
    };
    const std::string_view module = std::string_view(login.module).substr(login.module.rfind('.') + 1);
    const std::string_view wanted = mechanism == "PLAIN"    ? "PlainLoginModule"
                                    : mechanism == "GSSAPI" ? "Krb5LoginModule"
                                                            : "ScramLoginModule";
    if (module != wanted) {
      return failure(
          ErrorKind::InvalidConfig,
          fmt::format("sasl.jaas.config: login module '{}' does not fit sasl.mechanism={}; use {}", module, mechanism, wanted));
    }
    if (mechanism == "GSSAPI") {
      if (const auto v = option("principal")) out_.settings["sasl.kerberos.principal"] = *v;
      if (const auto v = option("keyTab")) out_.settings["sasl.kerberos.keytab"] = *v;
      if (const auto v = option("serviceName")) out_.settings.try_emplace("sasl.kerberos.service.name", *v);
      return {};
    }
    const auto user = option("username");
    const auto password = option("password");
    if (!user || !password) return failure(ErrorKind::InvalidConfig, "sasl.jaas.config: username or password is missing");
    out_.settings["sasl.username"] = *user;
    out_.settings["sasl.password"] = *password;
    return {};
  }

  Result<void> producer() {
    FENCEPOST_CHECK(guarantees());
    FENCEPOST_TRY(const std::int64_t memory, number_or("buffer.memory", 33'554'432));
    out_.settings["queue.buffering.max.kbytes"] = std::to_string(std::clamp<std::int64_t>(memory / 1024, 1, kIntMax));
    if (const auto timeout = java_.get("request.timeout.ms")) {
      FENCEPOST_TRY(const std::int64_t ms, whole_number("request.timeout.ms", *timeout));
      out_.settings["request.timeout.ms"] = std::to_string(std::clamp<std::int64_t>(ms, 1, 900'000));
    }
    if (java_.contains("max.block.ms")) {
      FENCEPOST_TRY(const std::int64_t ms, number_or("max.block.ms", 60'000));
      if (ms < kIntMax) out_.max_block = Duration(ms);
    } else {
      out_.max_block = Duration(60'000);
    }
    out_.max_request_bytes = std::stoul(out_.settings["message.max.bytes"]);
    const auto codec = out_.get("compression.type").value_or("none");
    if (const auto level = java_.get("compression." + codec + ".level")) out_.settings["compression.level"] = *level;
    return transactions();
  }

  /// acks, idempotence, retries and requests in flight hang together, for Java's client as for librdkafka.
  Result<void> guarantees() {
    const std::string acks = lower(trimmed(java_.get_or("acks", "all")));
    if (acks != "all" && acks != "-1" && acks != "0" && acks != "1") return bad_value("acks", acks, "all, 1 or 0");
    const bool acks_all = acks == "all" || acks == "-1";
    FENCEPOST_TRY(const std::int64_t retries, number_or("retries", kIntMax));
    FENCEPOST_TRY(const std::int64_t in_flight, number_or("max.in.flight.requests.per.connection", 5));
    const auto asked = java_.get("enable.idempotence");
    bool idempotent = acks_all && retries > 0 && in_flight <= 5;
    if (asked) {
      FENCEPOST_TRY(const bool on, flag("enable.idempotence", *asked));
      const bool must = on || delivery_ == Delivery::ExactlyOnce;
      if (must && !on) return weakens("enable.idempotence", *asked, "true");
      if (!on) idempotent = false;
    }
    if (delivery_ == Delivery::ExactlyOnce || (asked && lower(*asked) == "true")) {
      if (!acks_all) return weakens("acks", acks, "all");
      if (retries <= 0) return weakens("retries", std::to_string(retries), "more than 0");
      if (in_flight > 5) return weakens("max.in.flight.requests.per.connection", std::to_string(in_flight), "5 or less");
    }
    out_.settings["acks"] = acks_all ? "-1" : acks;
    out_.settings["enable.idempotence"] = idempotent ? "true" : "false";
    if (!java_.contains("max.in.flight.requests.per.connection")) out_.settings["max.in.flight.requests.per.connection"] = "5";
    return {};
  }

  Failure weakens(std::string_view name, std::string_view value, std::string_view needed) const {
    return failure(ErrorKind::InvalidConfig,
                   fmt::format("{}: '{}' would weaken {}; use {} or leave it out", name, value,
                               delivery_ == Delivery::ExactlyOnce ? "exactly-once delivery" : "enable.idempotence=true", needed));
  }

  /// A delivery that outlives its transaction, or a request that outlives it, is refused by librdkafka.
  Result<void> transactions() {
    FENCEPOST_TRY(const std::int64_t timeout, number_or("transaction.timeout.ms", 60'000));
    out_.transaction_timeout = Duration(timeout);
    if (!out_.settings.contains("transactional.id")) {
      out_.settings.erase("transaction.timeout.ms");
      return {};
    }
    const auto bound = [&](const char* name, std::int64_t highest) {
      auto& value = out_.settings[name];
      value = std::to_string(value.empty() ? highest : std::min<std::int64_t>(std::stoll(value), highest));
    };
    bound("message.timeout.ms", std::max<std::int64_t>(timeout - 1, 1));
    bound("socket.timeout.ms", std::clamp<std::int64_t>(timeout - 100, 900, 30'000));
    return {};
  }

  Result<void> consumer() {
    FENCEPOST_TRY(const std::int64_t records, number_or("max.poll.records", 500));
    if (records < 1) return bad_value("max.poll.records", std::to_string(records), "1 or more");
    out_.max_poll_records = static_cast<std::size_t>(records);
    const std::string reset = lower(trimmed(java_.get_or("auto.offset.reset", "latest")));
    if (reset != "earliest" && reset != "latest" && reset != "none") {
      return bad_value("auto.offset.reset", reset, "earliest, latest or none");
    }
    out_.settings["auto.offset.reset"] = reset == "none" ? "error" : reset;
    if (const auto strategies = java_.get("partition.assignment.strategy")) assignors(*strategies);
    if (out_.get("group.protocol") == "consumer") {
      for (const char* classic : {"session.timeout.ms", "heartbeat.interval.ms", "partition.assignment.strategy"})
        out_.settings.erase(classic);
    }
    return {};
  }

  /// Java class names -> librdkafka's words; eager and cooperative ones do not mix there.
  void assignors(std::string_view classes) {
    std::string eager;
    bool cooperative = false;
    while (!classes.empty()) {
      const auto comma = std::min(classes.find(','), classes.size());
      const std::string_view name = trimmed(classes.substr(0, comma));
      classes.remove_prefix(std::min(comma + 1, classes.size()));
      const std::string_view simple = name.substr(name.rfind('.') + 1);
      if (simple == "RangeAssignor") {
        eager += eager.empty() ? "range" : ",range";
      } else if (simple == "RoundRobinAssignor") {
        eager += eager.empty() ? "roundrobin" : ",roundrobin";
      } else if (simple == "CooperativeStickyAssignor") {
        cooperative = true;
      } else {
        out_.warnings.push_back(fmt::format("partition.assignment.strategy: '{}' is not known here and is ignored", name));
      }
    }
    if (!eager.empty()) {
      out_.settings["partition.assignment.strategy"] = eager;
    } else if (cooperative) {
      out_.settings["partition.assignment.strategy"] = "cooperative-sticky";
    }
  }

  /// What librdkafka demands of settings with one another and Java does not.
  void reconcile() {
    const auto number = [this](const char* name, std::int64_t fallback) {
      const auto text = out_.get(name);
      return text ? std::stoll(*text) : fallback;
    };
    const auto put = [this](const char* name, std::int64_t value) { out_.settings[name] = std::to_string(value); };
    if (java_.contains("reconnect.backoff.ms")) {
      put("reconnect.backoff.max.ms", std::max(number("reconnect.backoff.max.ms", 0), number("reconnect.backoff.ms", 0)));
    } else {
      put("reconnect.backoff.ms", std::min(number("reconnect.backoff.max.ms", 0), number("reconnect.backoff.ms", 0)));
    }
    if (out_.kind == ClientKind::Producer) {
      // A commit flushes whatever lingers, so in a transaction this delays nothing that anyone may see. A short time costs much:
      // librdkafka's thread polls without a pause while a record is overdue and all requests that are allowed are in flight.
      const std::int64_t usual = delivery_ == Delivery::ExactlyOnce ? 200 : 5;
      put("linger.ms", std::min(number("linger.ms", usual), number("message.timeout.ms", kIntMax) - 1));
    }
    if (out_.kind != ClientKind::Consumer) return;
    put("message.max.bytes", std::min<std::int64_t>(number("fetch.max.bytes", kIntMax), 1'000'000));
    if (java_.contains("request.timeout.ms")) {
      put("socket.timeout.ms",
          std::clamp<std::int64_t>(number("fetch.wait.max.ms", 500) + 1'000, number("socket.timeout.ms", 0), 300'000));
    }
    const std::int64_t session = number("session.timeout.ms", 45'000);
    if (out_.get("group.id") && number("max.poll.interval.ms", 300'000) < session) {
      if (java_.contains("max.poll.interval.ms")) {
        out_.warnings.push_back(fmt::format("max.poll.interval.ms is below session.timeout.ms, {} is used", session));
      }
      put("max.poll.interval.ms", session);
    }
  }

  const Properties& java_;
  Delivery delivery_;
  Translated out_;
};

}  // namespace

std::optional<std::string> Translated::get(std::string_view name) const {
  const auto at = settings.find(std::string(name));
  return at == settings.end() ? std::nullopt : std::optional(at->second);
}

Result<Translated> translate(ClientKind kind, const Properties& java, Delivery delivery) {
  return Translation(kind, java, delivery).run();
}

}  // namespace fencepost::kafka
