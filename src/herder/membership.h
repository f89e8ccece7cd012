#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "assignor/leader.h"
#include "assignor/work.h"
#include "herder/config_log.h"
#include "herder/events.h"
#include "herder/options.h"
#include "herder/questions.h"
#include "herder/turn.h"
#include "protocol/config_state.h"
#include "protocol/group.h"

namespace fencepost::herder {

/// What the membership needs of the rest of the herder.
struct MembershipHooks {
  /// The work of this worker changed: run exactly `held()` from now on. Work that is in `fresh` was just dealt, and is to be
  /// started even if it ran here before and ended.
  std::function<void(const assignor::Work& fresh)> work_changed;
  /// Whether anything still runs that is not in `held()`: it must end before the group may deal it to another.
  std::function<bool()> anything_revoked_runs;
  /// A round is over, and this worker may act in its generation.
  std::function<void()> settled;
  /// This worker no longer leads, or not for now.
  std::function<void()> lost_leadership;
};

/// Is this worker a member of its group, of which generation, with which work, and who leads? It joins and rejoins; deals as the
/// leader; reads the config log up before it acts on an assignment; stops what was revoked before it joins again.
class Membership {
 public:
  Membership(Turn& turn, const Options& options, const protocol::ConfigState& configs, ConfigLog& log, MembershipHooks hooks);

  void start();
  /// The group must meet again; if `because_of` is a place in the config log, a round that has read it already will do.
  void request_rejoin(const std::string& reason, LogPosition because_of = kNoPosition);
  /// For good.
  void leave(const std::string& reason);
  /// Work has ended: a rejoin may have waited for it.
  void work_ended();

  void on(const RejoinNeeded& e);
  void on(const LeaderElected& e);
  void on(const AssignmentReceived& e);
  void on(const MembershipLost& e);
  void on(const MembershipConfirmed& e);
  void on(const CoordinatorChanged& e);
  void on_time();

  /// Asks the coordinator whether this worker still is a member; `then` hears of it, or of Fenced if it is none.
  void confirm(Then then);

  /// A round is complete, its assignment accepted, and nobody has asked for another.
  [[nodiscard]] bool settled() const;
  [[nodiscard]] bool ever_settled() const { return ever_settled_; }
  /// Whether the group had another member in any generation that this worker has seen.
  [[nodiscard]] bool ever_had_company() const { return ever_had_company_; }
  /// Whether the last assignment is still valid, even if the group meets again right now.
  [[nodiscard]] bool has_place() const { return accepted_.has_value(); }
  [[nodiscard]] bool leads() const { return accepted_ && accepted_->leader == member_id_ && !member_id_.empty(); }
  /// Empty where nobody is known to lead.
  [[nodiscard]] std::string leader_url() const { return accepted_ ? accepted_->leader_url : std::string(); }
  [[nodiscard]] Generation generation() const { return generation_; }
  [[nodiscard]] protocol::ConnectProtocol protocol() const { return protocol_; }
  [[nodiscard]] const assignor::Work& held() const { return held_work_; }
  /// Who runs it, as the leader dealt it; nothing if nobody does, or this worker does not lead.
  [[nodiscard]] std::optional<std::string> owner_url(const std::string& connector) const;
  [[nodiscard]] std::optional<std::string> owner_url(const TaskId& task) const;
  [[nodiscard]] Stage stage() const;
  [[nodiscard]] std::optional<Time> next_deadline() const;

 private:
  struct Outside {};   ///< not started
  struct Stopping {};  ///< something must end before the next join
  struct Joining {};   ///< JoinGroup is under way
  struct Leading {
    LeaderElected event;
  };  ///< dealing, which may need the config log first
  struct CatchingUp {
    protocol::Assignment assignment;
  };
  struct BackingOff {
    Time until;
  };                    ///< left the group, as the config log could not be read in time
  struct Rereading {};  ///< after that, before it joins again
  struct Member {
    std::optional<Time> rejoin_at;
  };
  struct Gone {};
  using State = std::variant<Outside, Stopping, Joining, Leading, CatchingUp, BackingOff, Rereading, Member, Gone>;

  void enter(State state, std::string doing);
  void prepare_join(const std::string& reason);
  void join();
  void deal();
  void deal_after_reading(bool read);
  void decide(const protocol::Assignment& assignment);
  void accept(const protocol::Assignment& assignment);
  void take(const protocol::Assignment& assignment);
  void catch_up(protocol::Assignment assignment);
  void give_up_catching_up();
  void reread();
  void drop_leadership();
  [[nodiscard]] std::optional<protocol::Assignment> current_assignment() const;

  Turn& turn_;
  const Options& options_;
  const protocol::ConfigState& configs_;
  ConfigLog& log_;
  MembershipHooks hooks_;
  Questions confirmations_;
  protocol::ConnectProtocol offered_;

  State state_ = Outside{};
  std::string doing_ = "starting";
  Time since_{};
  std::optional<Time> deadline_;  ///< of the state
  std::uint64_t epoch_ = 0;       ///< of the state: an answer for an earlier one is ignored
  bool rejoin_wanted_ = false;
  LogPosition rejoin_because_of_ = kNoPosition;
  std::string rejoin_reason_;

  std::string member_id_;
  std::string coordinator_;
  Generation generation_ = kNoGeneration;
  protocol::ConnectProtocol protocol_ = protocol::ConnectProtocol::Eager;
  std::optional<protocol::Assignment> accepted_;  ///< header of the last accepted one; nothing while none is valid
  assignor::Load held_;                           ///< in the order of the group protocol: new first
  assignor::Work held_work_;
  bool ever_settled_ = false;
  bool ever_had_company_ = false;
  int unsynced_retries_left_ = kUnsyncedRetries;

  std::optional<assignor::Leader> assignor_;
  Generation last_completed_ = kNoGeneration;
  std::map<std::string, std::string> url_of_connector_;
  std::map<TaskId, std::string> url_of_task_;

  static constexpr int kUnsyncedRetries = 5;
};

}  // namespace fencepost::herder
