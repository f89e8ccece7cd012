#include "base/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <utility>

#include "base/log_control.h"
#include "base/text.h"

namespace fencepost {
namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::Trace:
      return spdlog::level::trace;
    case LogLevel::Debug:
      return spdlog::level::debug;
    case LogLevel::Info:
      return spdlog::level::info;
    case LogLevel::Warn:
      return spdlog::level::warn;
    case LogLevel::Error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

constexpr std::string_view kContextMark = "\x1f";  // parts context from message on the way to the JSON formatter

void append_json_text(std::string_view text, spdlog::memory_buf_t& out) {
  static constexpr std::array<char, 16> kHex = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
  out.push_back('"');
  for (const char c : log_text(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (byte < 0x20) {
      for (const char escape : {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]}) out.push_back(escape);
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

class JsonMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& msg, const std::tm&, spdlog::memory_buf_t& out) override {
    const std::string_view text(msg.payload.data(), msg.payload.size());
    const auto mark = text.find(kContextMark);
    constexpr std::string_view kContext = R"("context":)";
    constexpr std::string_view kMessage = R"(,"message":)";
    out.append(kContext.data(), kContext.data() + kContext.size());
    append_json_text(mark == std::string_view::npos ? "" : text.substr(0, mark), out);
    out.append(kMessage.data(), kMessage.data() + kMessage.size());
    append_json_text(mark == std::string_view::npos ? text : text.substr(mark + 1), out);
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<JsonMessage>(); }
};

class TextMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& msg, const std::tm&, spdlog::memory_buf_t& out) override {
    const std::string_view text(msg.payload.data(), msg.payload.size());
    const auto mark = text.find(kContextMark);
    const auto append = [&out](std::string_view part) { out.append(part.data(), part.data() + part.size()); };
    if (mark == std::string_view::npos) return append(log_text(text));
    append("[");
    append(log_text(text.substr(0, mark)));
    append("] ");
    append(log_text(text.substr(mark + 1)));
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<TextMessage>(); }
};

}  // namespace

Log::Log() = default;

Log::Log(std::shared_ptr<spdlog::logger> sink, std::string context) : sink_(std::move(sink)), context_(std::move(context)) {}

Log Log::with_context(std::string context) const { return Log(sink_, std::move(context)); }

bool Log::enabled(LogLevel level) const { return sink_ != nullptr && sink_->should_log(to_spdlog(level)); }

void Log::write(LogLevel level, std::string_view message) const {
  if (!enabled(level)) return;
  if (context_.empty()) {
    sink_->log(to_spdlog(level), spdlog::string_view_t(message.data(), message.size()));
    return;
  }
  std::string line = context_;
  line += kContextMark;
  line += message;
  sink_->log(to_spdlog(level), spdlog::string_view_t(line.data(), line.size()));
}

Log make_console_log(LogLevel level, LogFormat format) { return make_adjustable_console_log(level, format).log; }

AdjustableLog make_adjustable_console_log(LogLevel level, LogFormat format) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  if (format == LogFormat::Json) {
    formatter->add_flag<JsonMessage>('*').set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l",%*})");
  } else {
    formatter->add_flag<TextMessage>('*').set_pattern("[%Y-%m-%d %H:%M:%S,%e] %L %*");
  }
  auto sink = std::make_shared<spdlog::sinks::stdout_sink_mt>();
  sink->set_formatter(std::move(formatter));
  auto logger = std::make_shared<spdlog::logger>("fencepost", std::move(sink));
  logger->set_level(to_spdlog(level));
  logger->flush_on(spdlog::level::info);
  return {Log(logger),
          [logger](std::optional<LogLevel> lowest) { logger->set_level(lowest ? to_spdlog(*lowest) : spdlog::level::off); }};
}

}  // namespace fencepost
