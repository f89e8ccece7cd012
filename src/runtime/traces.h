#pragma once

#include <exception>
#include <string>

#include "base/error.h"

namespace fencepost::runtime {

/// The text of a status's trace: "org.apache.kafka.connect.errors.DataException: message", and a line "Caused by: ..." for each
/// exception nested in it. Tools look for Java's class names, so plugins' exceptions go by those.
[[nodiscard]] std::string trace_of(const std::exception_ptr& error);
/// An error of ours as Java would show a ConnectException.
[[nodiscard]] std::string trace_of(const Error& error);
/// `what` in front, the cause below.
[[nodiscard]] std::string trace_of(const std::string& what, const std::string& cause_trace);
/// Only the message of an exception.
[[nodiscard]] std::string message_of(const std::exception_ptr& error);

}  // namespace fencepost::runtime
