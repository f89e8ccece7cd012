#pragma once

#include <tuple>

#include "wire/messages/api_versions.h"
#include "wire/messages/describe_transactions.h"
#include "wire/messages/find_coordinator.h"
#include "wire/messages/heartbeat.h"
#include "wire/messages/init_producer_id.h"
#include "wire/messages/join_group.h"
#include "wire/messages/leave_group.h"
#include "wire/messages/list_transactions.h"
#include "wire/messages/metadata.h"
#include "wire/messages/sasl_authenticate.h"
#include "wire/messages/sasl_handshake.h"
#include "wire/messages/sync_group.h"

namespace fencepost::wire {

/// Every request that is spoken here, in the order of their keys. A new one needs its header above and its name in this list;
/// tests walk it.
using Requests = std::tuple<MetadataRequest, FindCoordinatorRequest, JoinGroupRequest, HeartbeatRequest, LeaveGroupRequest,
                            SyncGroupRequest, SaslHandshakeRequest, ApiVersionsRequest, InitProducerIdRequest,
                            SaslAuthenticateRequest, DescribeTransactionsRequest, ListTransactionsRequest>;

/// Calls `visit.template operator()<Request>()` for each of them.
template <class Visit>
void for_each_request(Visit visit) {
  []<class... Each>(std::tuple<Each...>*, Visit& v) { (v.template operator()<Each>(), ...); }(static_cast<Requests*>(nullptr),
                                                                                              visit);
}

}  // namespace fencepost::wire
