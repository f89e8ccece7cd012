#include "rest/routes.h"

#include "rest/routes/handlers.h"

namespace fencepost::rest {
namespace {

using namespace routes;

constexpr auto kJson = BodyKind::Json;
constexpr auto kBytes = BodyKind::Bytes;
constexpr auto kNone = BodyKind::Ignored;

constexpr Route kApiRoutes[] = {
    {"GET", "/", root, kNone, false},
    {"GET", "/health", health, kNone, false, true},
    {"GET", "/metrics", metrics, kNone, false, false, true},
    {"GET", "/connectors", list_connectors},
    {"POST", "/connectors", create_connector, kJson},
    {"GET", "/connectors/{connector}", get_connector},
    {"DELETE", "/connectors/{connector}", delete_connector},
    {"GET", "/connectors/{connector}/config", get_config},
    {"PUT", "/connectors/{connector}/config", put_config, kJson},
    {"PATCH", "/connectors/{connector}/config", patch_config, kJson},
    {"GET", "/connectors/{connector}/status", get_status},
    {"GET", "/connectors/{connector}/tasks", get_tasks},
    {"POST", "/connectors/{connector}/tasks", publish_task_configs, kBytes},
    {"GET", "/connectors/{connector}/tasks/{task:int}/status", get_task_status},
    {"POST", "/connectors/{connector}/tasks/{task:int}/restart", restart_task},
    {"POST", "/connectors/{connector}/restart", restart_connector},
    {"PUT", "/connectors/{connector}/pause", pause},
    {"PUT", "/connectors/{connector}/resume", resume},
    {"PUT", "/connectors/{connector}/stop", stop},
    {"GET", "/connectors/{connector}/topics", get_topics},
    {"PUT", "/connectors/{connector}/topics/reset", reset_topics},
    {"GET", "/connectors/{connector}/offsets", get_offsets},
    {"PATCH", "/connectors/{connector}/offsets", alter_offsets, kJson},
    {"DELETE", "/connectors/{connector}/offsets", reset_offsets},
    {"GET", "/connectors/{connector}/transactions", get_transactions},
    {"POST", "/connectors/{connector}/transactions/abort", abort_transaction, kJson},
    {"PUT", "/connectors/{connector}/fence", fence},
    {"GET", "/connector-plugins", list_plugins},
    {"PUT", "/connector-plugins/{plugin}/config/validate", validate_config, kJson},
    {"GET", "/connector-plugins/{plugin}/config", get_plugin_config},
};

constexpr Route kAdminRoutes[] = {
    {"GET", "/admin/loggers", list_loggers},
    {"GET", "/admin/loggers/{logger}", get_logger},
    {"PUT", "/admin/loggers/{logger}", set_logger, kJson},
};

}  // namespace

std::span<const Route> api_routes() { return kApiRoutes; }
std::span<const Route> admin_routes() { return kAdminRoutes; }

}  // namespace fencepost::rest
