#include "metrics/samples.h"

#include <fmt/format.h>

#include <cmath>

namespace fencepost::metrics {
namespace {

void append_escaped(std::string& out, std::string_view text, bool quotes) {
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\\' || (quotes && c == '"')) {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

}  // namespace

std::string Samples::to_prometheus() const {
  std::string out;
  for (const auto& [id, samples] : by_metric_) {
    const Metric& about = metric(id);
    out.append("# HELP ").append(about.name).append(" ");
    append_escaped(out, about.help, false);
    out.append("\n# TYPE ").append(about.name).append(about.type == Type::Counter ? " counter\n" : " gauge\n");
    for (const Sample& sample : samples) {
      out += about.name;
      const char* before = "{";
      for (const auto& [name, value] : sample.labels) {
        out.append(before).append(name).append("=\"");
        append_escaped(out, value, true);
        out += '"';
        before = ",";
      }
      if (!sample.labels.empty()) out += '}';
      out.append(" ").append(number(sample.value)).append("\n");
    }
  }
  return out;
}

}  // namespace fencepost::metrics
