#include "json/writer.h"
#include "rest/routes/handlers.h"

namespace fencepost::rest::routes {

void root(const CallPtr& call) {
  const ServerInfo info = call->services().port.server_info();
  if (info.kafka_cluster_id.empty()) {
    return call->answer(error_reply(
        503,
        "Worker is still starting up: no broker has told the id of the Kafka cluster yet; GET /health says what it waits for"));
  }
  std::string body;
  json::Writer out(body);
  out.begin_object().key("version").string(info.version).key("commit").string(info.commit);
  out.key("kafka_cluster_id").string(info.kafka_cluster_id).end_object();
  call->answer(HttpReply::json(200, std::move(body)));
}

void metrics(const CallPtr& call) {
  HttpReply reply;
  reply.body = call->services().port.metrics();
  reply.media_type = "text/plain; version=0.0.4; charset=utf-8";
  call->answer(std::move(reply));
}

void health(const CallPtr& call) { call->ask(herder::GetHealth{}); }

}  // namespace fencepost::rest::routes
