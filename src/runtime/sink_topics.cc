#include "runtime/sink_topics.h"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/settings.h"

namespace fencepost::runtime {

namespace {

constexpr Duration kAgainAfterFailure{5'000};
/// What brokers call internal: a pattern of Java's consumers passes them over unless exclude.internal.topics=false.
constexpr std::array<std::string_view, 3> kInternal = {"__consumer_offsets", "__transaction_state", "__share_group_state"};

bool is_internal(std::string_view topic) { return std::find(kInternal.begin(), kInternal.end(), topic) != kInternal.end(); }

}  // namespace

Result<SinkTopics> SinkTopics::of(const Properties& connector, const Properties& consumer) {
  SinkTopics out;
  const auto expression = connector.get("topics.regex");
  if (!expression || expression->empty()) {
    out.names_ = list(connector, "topics");
    return out;
  }
  auto pattern = regex::Pattern::compile(*expression);
  if (!pattern) return Failure(std::move(pattern).error().while_doing("reading topics.regex"));
  out.pattern_ = *std::move(pattern);
  out.with_internal_ = !flag(consumer, "exclude.internal.topics", true);
  FENCEPOST_TRY(const auto refresh, whole_number(consumer, "metadata.max.age.ms", out.refresh_.count()));
  out.refresh_ = std::max(Duration(refresh), Duration(10));
  out.next_ = Steady::time_point::min();
  return out;
}

bool SinkTopics::listed(const std::vector<std::string>& all, Steady::time_point now) {
  next_ = now + refresh_;
  std::vector<std::string> matching;
  for (const std::string& topic : all) {
    if ((with_internal_ || !is_internal(topic)) && pattern_->matches(topic)) matching.push_back(topic);
  }
  std::sort(matching.begin(), matching.end());
  return std::exchange(names_, matching) != matching;
}

void SinkTopics::listing_failed(Steady::time_point now) { next_ = now + std::min(refresh_, kAgainAfterFailure); }

}  // namespace fencepost::runtime
