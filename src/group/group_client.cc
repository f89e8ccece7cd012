#include "group/group_client.h"

#include <utility>

#include "group/membership.h"

namespace fencepost::group {

GroupClient::GroupClient(net::Cluster& cluster, Settings settings, Report report, Log log)
    : loop_(cluster.loop()),
      membership_(std::make_shared<Membership>(cluster, std::move(settings), std::move(report), std::move(log))) {}

GroupClient::~GroupClient() = default;

void GroupClient::join(std::vector<herder::MetadataOfProtocol> protocols) {
  loop_.post([weak = std::weak_ptr(membership_), protocols = std::move(protocols)]() mutable {
    if (const auto membership = weak.lock()) membership->join(std::move(protocols));
  });
}

void GroupClient::sync(Generation generation, std::map<std::string, std::string> assignments) {
  loop_.post([weak = std::weak_ptr(membership_), generation, assignments = std::move(assignments)]() mutable {
    if (const auto membership = weak.lock()) membership->sync(generation, std::move(assignments));
  });
}

void GroupClient::confirm(RequestId request) {
  loop_.post([weak = std::weak_ptr(membership_), request] {
    if (const auto membership = weak.lock()) membership->confirm(request);
  });
}

void GroupClient::leave(std::string reason, std::function<void()> done) {
  loop_.post([weak = std::weak_ptr(membership_), reason = std::move(reason), done = std::move(done)]() mutable {
    if (const auto membership = weak.lock()) membership->leave(reason, std::move(done));
  });
}

void GroupClient::stop() {
  loop_.post([weak = std::weak_ptr(membership_)] {
    if (const auto membership = weak.lock()) membership->stop();
  });
}

}  // namespace fencepost::group
