#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "herder/actions.h"
#include "part.h"

namespace fencepost::simulation {

/// REST of one worker: what clients and other workers ask of it, and what it asks of the leader.
class Peers : public Part {
 public:
  using Answered = std::function<void(const herder::Response&)>;

  Peers(Simulation& world, Process& process, std::string worker, Tell tell)
      : Part(world, process, std::move(worker), std::move(tell)) {}

  /// `answered` hears of the answer.
  void request(herder::Hop hop, const herder::Request& what, Answered answered);
  /// The process is gone: its connections are reset.
  void reset();

  void perform(const herder::Reply& a);
  void perform(const herder::ValidateConfig& a);
  void perform(const herder::AskLeaderToFence& a);
  void perform(const herder::SendTaskConfigsToLeader& a);
  void perform(const herder::ReadOffsets& a);
  void perform(const herder::ChangeOffsets& a);
  void perform(const herder::AnswerOffsetChange& a);
  void perform(const herder::MakeSessionKey& a);
  void perform(const herder::FenceProducers& a);

 private:
  void ask_leader(RequestId request, const std::string& url, const herder::Request& what);

  std::uint64_t last_id_ = 0;
  std::map<RequestId, Answered> requests_;
  /// A change of offsets whose producer is ready.
  struct OffsetChange {
    std::string connector;
    std::int64_t epoch = 0;
  };
  std::map<RequestId, OffsetChange> offset_changes_;
  [[nodiscard]] std::string first_id(const std::string& connector) const;
  void write_offsets(RequestId request, const OffsetChange& change);
};

}  // namespace fencepost::simulation
