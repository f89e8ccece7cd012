#pragma once

#include <functional>
#include <optional>
#include <string>

#include "herder/actions.h"
#include "herder/config_log.h"
#include "herder/config_writer.h"
#include "herder/events.h"
#include "herder/options.h"
#include "herder/questions.h"
#include "protocol/config_state.h"
#include "protocol/signature.h"

namespace fencepost::herder {

/// The secret by which workers know one another's requests (KIP-507). The leader of a sessioned group makes one on its first
/// round and each time the last one is too old; all others read it in the config topic. No new one is made before the last has
/// been read back.
class SessionKeys {
 public:
  SessionKeys(Turn& turn, const Options& options, const protocol::ConfigState& configs, ConfigLog& log, ConfigWriter& writer)
      : turn_(turn), options_(options), configs_(configs), log_(log), writer_(writer), questions_(turn) {}

  /// This worker leads a sessioned group, or no longer does.
  void lead(bool leads);
  void on(const SessionKeyMade& e) { questions_.answer(e.request, e.key); }
  void on_time();
  [[nodiscard]] std::optional<Time> next_deadline() const { return next_; }
  [[nodiscard]] std::optional<Stage> stage() const;

  /// Nothing where the group does not sign.
  [[nodiscard]] Result<std::optional<SignedRequest>> sign(protocol::ConnectProtocol protocol, const std::string& body) const;
  [[nodiscard]] Result<void> verify(protocol::ConnectProtocol protocol, const Signature& signature) const;

 private:
  void make();
  void failed(const Error& why);

  Turn& turn_;
  const Options& options_;
  const protocol::ConfigState& configs_;
  ConfigLog& log_;
  ConfigWriter& writer_;
  Questions questions_;
  bool leads_ = false;
  bool making_ = false;
  std::optional<Stage> failing_;  ///< since the last key that could be distributed
  std::optional<Time> next_;
};

}  // namespace fencepost::herder
