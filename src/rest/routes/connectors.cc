#include <algorithm>

#include "rest/answers.h"
#include "rest/routes/handlers.h"

namespace fencepost::rest::routes {

void list_connectors(const CallPtr& call) {
  const Query& query = call->query();
  if (!find_query(query, "expand")) return call->ask(herder::ListConnectors{});
  const auto is_asked = [&](std::string_view what) {
    return std::any_of(query.begin(), query.end(),
                       [&](const auto& pair) { return pair.first == "expand" && pair.second == what; });
  };
  const bool with_status = is_asked("status");
  const bool with_info = is_asked("info");
  call->once_started([call, with_status, with_info] {
    const auto views = call->services().port.connector_views();
    call->answer(HttpReply::json(200, expand(views ? *views : herder::View(), with_status, with_info)));
  });
}

void create_connector(const CallPtr& call) {
  auto request = read_create(call->request().body);
  if (!request) return call->refuse(request.error());
  std::string name = request->name;
  call->ask_to_create(std::move(name), *std::move(request));
}

void get_connector(const CallPtr& call) { call->ask(herder::GetConnector{call->parameter(0)}); }

void delete_connector(const CallPtr& call) { call->ask(herder::DeleteConnector{call->parameter(0)}); }

}  // namespace fencepost::rest::routes
