#include "base/forwarding_log.h"

#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <utility>

namespace fencepost {
namespace {

LogLevel from_spdlog(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::trace:
      return LogLevel::Trace;
    case spdlog::level::debug:
      return LogLevel::Debug;
    case spdlog::level::info:
      return LogLevel::Info;
    case spdlog::level::warn:
      return LogLevel::Warn;
    default:
      return LogLevel::Error;
  }
}

class ForwardingSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit ForwardingSink(std::function<void(LogLevel, std::string_view)> receiver) : receiver_(std::move(receiver)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& msg) override {
    receiver_(from_spdlog(msg.level), std::string_view(msg.payload.data(), msg.payload.size()));
  }
  void flush_() override {}

  std::function<void(LogLevel, std::string_view)> receiver_;
};

}  // namespace

Log make_forwarding_log(std::function<void(LogLevel, std::string_view)> receiver) {
  auto logger = std::make_shared<spdlog::logger>("forwarding", std::make_shared<ForwardingSink>(std::move(receiver)));
  logger->set_level(spdlog::level::trace);
  return Log(std::move(logger));
}

}  // namespace fencepost
