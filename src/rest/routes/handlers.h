#pragma once

#include "rest/call.h"

namespace fencepost::rest::routes {

// root.cc
void root(const CallPtr& call);
void health(const CallPtr& call);
void metrics(const CallPtr& call);

// connectors.cc
void list_connectors(const CallPtr& call);
void create_connector(const CallPtr& call);
void get_connector(const CallPtr& call);
void delete_connector(const CallPtr& call);

// connector_config.cc
void get_config(const CallPtr& call);
void put_config(const CallPtr& call);
void patch_config(const CallPtr& call);

// status.cc
void get_status(const CallPtr& call);
void get_tasks(const CallPtr& call);
void get_task_status(const CallPtr& call);

// lifecycle.cc
void restart_connector(const CallPtr& call);
void restart_task(const CallPtr& call);
void pause(const CallPtr& call);
void resume(const CallPtr& call);
void stop(const CallPtr& call);

// topics.cc
void get_topics(const CallPtr& call);
void reset_topics(const CallPtr& call);

// offsets.cc
void get_offsets(const CallPtr& call);
void alter_offsets(const CallPtr& call);
void reset_offsets(const CallPtr& call);

// transactions.cc
void get_transactions(const CallPtr& call);
void abort_transaction(const CallPtr& call);

// internal.cc: other workers only, signed
void fence(const CallPtr& call);
void publish_task_configs(const CallPtr& call);

// plugins.cc
void list_plugins(const CallPtr& call);
void validate_config(const CallPtr& call);
void get_plugin_config(const CallPtr& call);

// loggers.cc
void list_loggers(const CallPtr& call);
void get_logger(const CallPtr& call);
void set_logger(const CallPtr& call);

}  // namespace fencepost::rest::routes
