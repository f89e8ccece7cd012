#include "runtime/traces.h"

#include <string_view>
#include <utility>

#include "fencepost/errors.h"

namespace fencepost::runtime {
namespace {

constexpr std::string_view kConnectException = "org.apache.kafka.connect.errors.ConnectException";

struct Link {
  std::string_view java_class;
  std::string message;
  std::exception_ptr cause;
};

template <class E>
Link link_of(std::string_view java_class, const E& error) {
  Link link{java_class, error.what(), nullptr};
  if (const auto* nested = dynamic_cast<const std::nested_exception*>(&error)) link.cause = nested->nested_ptr();
  return link;
}

Link unfold(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const DataError& e) {
    return link_of("org.apache.kafka.connect.errors.DataException", e);
  } catch (const RetriableError& e) {
    return link_of("org.apache.kafka.connect.errors.RetriableException", e);
  } catch (const ConfigError& e) {
    return link_of("org.apache.kafka.common.config.ConfigException", e);
  } catch (const ConnectError& e) {
    return link_of(kConnectException, e);
  } catch (const std::bad_alloc& e) {
    return link_of("java.lang.OutOfMemoryError", e);
  } catch (const std::exception& e) {
    return link_of("java.lang.RuntimeException", e);
  } catch (...) {
    return {"java.lang.Throwable", "the plugin threw something that is no exception", nullptr};
  }
}

}  // namespace

std::string trace_of(const std::exception_ptr& error) {
  Link link = unfold(error);
  std::string text = std::string(link.java_class) + ": " + link.message;
  while (link.cause) {
    link = unfold(link.cause);
    text += "\nCaused by: " + std::string(link.java_class) + ": " + link.message;
  }
  return text;
}

std::string trace_of(const Error& error) { return std::string(kConnectException) + ": " + error.message(); }

std::string trace_of(const std::string& what, const std::string& cause_trace) {
  return std::string(kConnectException) + ": " + what + "\nCaused by: " + cause_trace;
}

std::string message_of(const std::exception_ptr& error) { return unfold(error).message; }

}  // namespace fencepost::runtime
