#include "rest/routes/handlers.h"

namespace fencepost::rest::routes {

void get_topics(const CallPtr& call) {
  if (!call->services().options.topic_tracking) {
    return call->answer(error_reply(403, "Topic tracking is disabled (topic.tracking.enable)."));
  }
  call->ask(herder::GetActiveTopics{call->parameter(0)});
}

void reset_topics(const CallPtr& call) {
  const Options& options = call->services().options;
  if (!options.topic_tracking) {
    return call->answer(error_reply(403, "Topic tracking is disabled (topic.tracking.enable)."));
  }
  if (!options.topic_tracking_reset) {
    return call->answer(error_reply(403, "Topic tracking reset is disabled (topic.tracking.allow.reset)."));
  }
  call->ask(herder::ResetActiveTopics{call->parameter(0)});
}

}  // namespace fencepost::rest::routes
