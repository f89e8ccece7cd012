#include "rest/response_headers.h"

#include <fmt/format.h>

#include <algorithm>

namespace fencepost::rest {
namespace {

constexpr std::string_view kSetting = "response.http.headers.config";
constexpr std::string_view kDefaultMethods = "GET,POST,HEAD";
constexpr std::string_view kBlank = " \t\r\n";

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// Splits at commas outside double quotes; the quotes are taken off.
std::vector<std::string> split_quoted(std::string_view text) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string& part : split_quoted(text)) {
    if (const auto trimmed = trim(part); !trimmed.empty()) out.emplace_back(trimmed);
  }
  return out;
}

bool is_token(std::string_view text) {
  return !text.empty() && text.find_first_of(" \t\r\n\"(),/:;<=>?@[\\]{}") == std::string_view::npos;
}

}  // namespace

Result<ResponseHeaders::Fixed> ResponseHeaders::parse_rule(std::string_view rule) {
  const auto refuse = [&](std::string_view why) {
    return failure(ErrorKind::InvalidConfig,
                   fmt::format("{}: '{}' {}; each entry is '[set|add] Name: value', entries are separated by commas, one that "
                               "holds a comma stands in double quotes",
                               kSetting, rule, why));
  };
  const auto action_end = rule.find_first_of(kBlank);
  if (action_end == std::string_view::npos) return refuse("has no header");
  const std::string_view action = rule.substr(0, action_end);
  Fixed out;
  out.is_date = equals_ignoring_case(action, "setDate") || equals_ignoring_case(action, "addDate");
  out.replaces = equals_ignoring_case(action, "set") || equals_ignoring_case(action, "setDate");
  if (!out.is_date && !out.replaces && !equals_ignoring_case(action, "add")) return refuse("begins with no known action");
  const std::string_view header = trim(rule.substr(action_end));
  const auto colon = header.find(':');
  if (colon == std::string_view::npos) return refuse("has no colon");
  out.name = std::string(trim(header.substr(0, colon)));
  out.value = std::string(trim(header.substr(colon + 1)));
  if (!is_token(out.name)) return refuse("has no valid header name");
  if (out.value.find_first_of("\r\n") != std::string::npos) return refuse("has a line break in its value");
  return out;
}

Result<ResponseHeaders> ResponseHeaders::parse(std::string_view headers_config, std::string_view allowed_origins,
                                               std::string_view allowed_methods) {
  ResponseHeaders out;
  if (!trim(headers_config).empty()) {
    for (const std::string& rule : split_quoted(headers_config)) {
      FENCEPOST_TRY(auto fixed, parse_rule(trim(rule)));
      out.fixed_.push_back(std::move(fixed));
    }
  }
  out.origins_ = split_list(allowed_origins);
  const auto methods = split_list(trim(allowed_methods).empty() ? kDefaultMethods : allowed_methods);
  for (const std::string& method : methods) out.methods_ += (out.methods_.empty() ? "" : ",") + method;
  return out;
}

void ResponseHeaders::add_to(HttpReply& reply) const {
  for (const Fixed& fixed : fixed_) {
    if (fixed.replaces) {
      std::erase_if(reply.headers, [&](const auto& header) { return equals_ignoring_case(header.first, fixed.name); });
    }
    reply.headers.emplace_back(fixed.name, fixed.value);
  }
}

void ResponseHeaders::add_to(HttpReply& reply, const HttpRequest& request) const {
  add_to(reply);
  if (origins_.empty()) return;
  reply.headers.emplace_back("Vary", "Origin");
  const auto origin = find_header(request.headers, "Origin");
  if (!origin || !allows(*origin)) return;
  reply.headers.emplace_back("Access-Control-Allow-Origin", std::string(*origin));
  const bool is_preflight = request.method == "OPTIONS" && find_header(request.headers, "Access-Control-Request-Method");
  if (!is_preflight) return;
  reply.headers.emplace_back("Access-Control-Allow-Methods", methods_);
  reply.headers.emplace_back("Access-Control-Allow-Headers", "Content-Type");
  reply.headers.emplace_back("Access-Control-Max-Age", "60");
}

bool ResponseHeaders::allows(std::string_view origin) const {
  return std::any_of(origins_.begin(), origins_.end(),
                     [&](const std::string& allowed) { return allowed == "*" || equals_ignoring_case(allowed, origin); });
}

}  // namespace fencepost::rest
