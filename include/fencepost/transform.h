#pragma once

#include "fencepost/config_def.h"
#include "fencepost/record.h"

namespace fencepost {

/// Changes or drops single records between a connector and Kafka.
///
/// Threads: one at a time. Errors: DataError and others are subject to errors.tolerance.
class Transformation {
 public:
  virtual ~Transformation() = default;

  virtual void configure(const ConfigMap& config) = 0;
  [[nodiscard]] virtual ConfigDef config_def() const = 0;
  /// Changes the record in place. False: drop it (its offset still moves). After an exception the record is not used.
  [[nodiscard]] virtual bool apply(ConnectRecord& record) = 0;

 protected:
  Transformation() = default;
  Transformation(const Transformation&) = default;
  Transformation& operator=(const Transformation&) = default;
};

/// Decides for which records a transformation is applied (KIP-585). Threads: one at a time.
class Predicate {
 public:
  virtual ~Predicate() = default;

  virtual void configure(const ConfigMap& config) = 0;
  [[nodiscard]] virtual ConfigDef config_def() const = 0;
  [[nodiscard]] virtual bool test(const ConnectRecord& record) const = 0;

 protected:
  Predicate() = default;
  Predicate(const Predicate&) = default;
  Predicate& operator=(const Predicate&) = default;
};

}  // namespace fencepost
