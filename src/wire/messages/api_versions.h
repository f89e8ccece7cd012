#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wire/types.h"

namespace fencepost::wire {

/// Which versions of which API the broker speaks. Its header is never flexible (KIP-511), whatever its version.
struct ApiVersionsResponse {
  struct Range {
    std::int16_t api_key = 0;
    std::int16_t min_version = 0;
    std::int16_t max_version = 0;

    static void describe(auto& m, auto& v) {
      v.field("ApiKey", m.api_key);
      v.field("MinVersion", m.min_version);
      v.field("MaxVersion", m.max_version);
    }
    friend bool operator==(const Range&, const Range&) = default;
  };

  struct SupportedFeature {
    std::string name;
    std::int16_t min_version = 0;
    std::int16_t max_version = 0;

    static void describe(auto& m, auto& v) {
      v.field("Name", m.name, since(3));
      v.field("MinVersion", m.min_version, since(3));
      v.field("MaxVersion", m.max_version, since(3));
    }
    friend bool operator==(const SupportedFeature&, const SupportedFeature&) = default;
  };

  struct FinalizedFeature {
    std::string name;
    std::int16_t max_version_level = 0;
    std::int16_t min_version_level = 0;

    static void describe(auto& m, auto& v) {
      v.field("Name", m.name, since(3));
      v.field("MaxVersionLevel", m.max_version_level, since(3));
      v.field("MinVersionLevel", m.min_version_level, since(3));
    }
    friend bool operator==(const FinalizedFeature&, const FinalizedFeature&) = default;
  };

  static constexpr Api kApi{.key = 18, .name = "ApiVersionsResponse", .versions = {0, 4}, .flexible_since = 3};

  std::int16_t error_code = 0;
  std::vector<Range> api_keys;
  std::int32_t throttle_time_ms = 0;
  std::vector<SupportedFeature> supported_features;
  std::int64_t finalized_features_epoch = -1;
  std::vector<FinalizedFeature> finalized_features;
  bool zk_migration_ready = false;

  static void describe(auto& m, auto& v) {
    v.field("ErrorCode", m.error_code);
    v.field("ApiKeys", m.api_keys);
    v.field("ThrottleTimeMs", m.throttle_time_ms, since(1));
    v.field("SupportedFeatures", m.supported_features, since(3).tagged(0));
    v.field("FinalizedFeaturesEpoch", m.finalized_features_epoch, since(3).tagged(1).defaults_to(-1));
    v.field("FinalizedFeatures", m.finalized_features, since(3).tagged(2));
    v.field("ZkMigrationReady", m.zk_migration_ready, since(3).tagged(3));
  }
  friend bool operator==(const ApiVersionsResponse&, const ApiVersionsResponse&) = default;
};

/// Asked first on every connection. A broker too old for the version answers in version 0 with UNSUPPORTED_VERSION.
struct ApiVersionsRequest {
  static constexpr Api kApi{.key = 18, .name = "ApiVersionsRequest", .versions = {0, 4}, .flexible_since = 3};
  using Response = ApiVersionsResponse;

  std::string client_software_name;
  std::string client_software_version;

  static void describe(auto& m, auto& v) {
    v.field("ClientSoftwareName", m.client_software_name, since(3));
    v.field("ClientSoftwareVersion", m.client_software_version, since(3));
  }
  friend bool operator==(const ApiVersionsRequest&, const ApiVersionsRequest&) = default;
};

}  // namespace fencepost::wire
