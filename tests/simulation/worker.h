#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "group_client.h"
#include "herder/herder.h"
#include "peers.h"
#include "process.h"
#include "runtime.h"
#include "stores.h"

namespace fencepost::simulation {

class Simulation;

/// One worker process: a real herder, and models of what surrounds it. It may be killed, started again, and paused as by SIGSTOP:
/// what would have happened meanwhile happens when it goes on.
class Worker {
 public:
  Worker(Simulation& world, int index);

  void start();
  void kill();
  void pause();
  void resume();
  void shut_down() { tell(herder::ShutdownRequested{}); }
  [[nodiscard]] bool alive() const { return process_.alive(); }
  [[nodiscard]] bool paused() const { return process_.paused(); }
  /// As it was started last: what it is to be started with next may differ.
  [[nodiscard]] herder::ExactlyOnce runs_with() const { return runs_with_; }
  [[nodiscard]] int index() const { return index_; }
  [[nodiscard]] std::string url() const { return "http://" + id_ + "/"; }
  [[nodiscard]] const std::string& id() const { return id_; }

  [[nodiscard]] GroupClient& group() { return group_; }
  [[nodiscard]] Stores& stores() { return stores_; }
  [[nodiscard]] Peers& peers() { return peers_; }
  [[nodiscard]] const Runtime& runtime() const { return runtime_; }

 private:
  void tell(const herder::Event& event);
  void perform_all(const herder::Actions& actions);
  template <class Action>
  void perform(const Action& action);
  void terminate();
  void maybe_stumble(const herder::Action& action);
  void set_timer();
  void trace(const std::string& text) const;

  Simulation& world_;
  int index_;
  std::string id_;
  Process process_;
  GroupClient group_;
  Stores stores_;
  Peers peers_;
  Runtime runtime_;
  std::unique_ptr<herder::Herder> herder_;
  std::uint64_t timer_ = 0;
  herder::ExactlyOnce runs_with_ = herder::ExactlyOnce::Disabled;
};

}  // namespace fencepost::simulation
