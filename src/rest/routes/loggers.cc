#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "json/writer.h"
#include "rest/routes/handlers.h"

namespace fencepost::rest::routes {
namespace {

constexpr std::array<std::string_view, 8> kLevels = {"OFF", "FATAL", "ERROR", "WARN", "INFO", "DEBUG", "TRACE", "ALL"};

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

void put(json::Writer& out, const LoggerLevel& logger) {
  out.begin_object().key("level").string(logger.level).key("last_modified");
  if (logger.last_modified_ms) {
    out.integer(*logger.last_modified_ms);
  } else {
    out.null();
  }
  out.end_object();
}

void set_here(const CallPtr& call, const std::string& level) {
  std::string body;
  json::Writer out(body);
  out.begin_array();
  for (const auto& name : call->services().port.set_logger_level(call->parameter(0), upper(level))) out.string(name);
  out.end_array();
  call->answer(HttpReply::json(200, std::move(body)));
}

}  // namespace

void list_loggers(const CallPtr& call) {
  std::string body;
  json::Writer out(body);
  out.begin_object();
  for (const auto& logger : call->services().port.logger_levels()) {
    out.key(logger.logger);
    put(out, logger);
  }
  out.end_object();
  call->answer(HttpReply::json(200, std::move(body)));
}

void get_logger(const CallPtr& call) {
  for (const auto& logger : call->services().port.logger_levels()) {
    if (logger.logger != call->parameter(0)) continue;
    std::string body;
    json::Writer out(body);
    put(out, logger);
    return call->answer(HttpReply::json(200, std::move(body)));
  }
  call->answer(error_reply(404, fmt::format("Logger {} not found.", call->parameter(0))));
}

void set_logger(const CallPtr& call) {
  const auto given = read_config(call->request().body);
  if (!given) return call->refuse(given.error());
  const auto level = given->get("level");
  if (!level) return call->answer(error_reply(400, "Desired 'level' parameter was not specified in request."));
  if (std::find(kLevels.begin(), kLevels.end(), upper(*level)) == kLevels.end()) {
    return call->answer(
        error_reply(404, fmt::format("Invalid log level '{}'; use one of {}.", *level, fmt::join(kLevels, ", "))));
  }
  const auto scope = find_query(call->query(), "scope");
  // Each worker reads it in the config topic, and answers for itself alone; as given, since Java shows it so there.
  if (scope && upper(*scope) == "CLUSTER")
    return call->ask(herder::SetClusterLoggerLevel{call->parameter(0), std::string(*level)});
  if (scope && !scope->empty() && upper(*scope) != "WORKER") {
    call->services().log.warn(
        fmt::format("REST: the scope '{}' of a log level is neither worker nor cluster; worker is taken", *scope));
  }
  set_here(call, std::string(*level));
}

}  // namespace fencepost::rest::routes
