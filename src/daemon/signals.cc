#include "daemon/signals.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace fencepost::daemon {
namespace {

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

void wait_for_signals(int signals_fd, int stop_fd, const std::function<void()>& on_stop) {
  bool asked = false;
  std::array<pollfd, 2> watched{{{signals_fd, POLLIN, 0}, {stop_fd, POLLIN, 0}}};
  while (true) {
    if (poll(watched.data(), watched.size(), -1) < 0) continue;
    if ((watched[1].revents & POLLIN) != 0) break;
    signalfd_siginfo info{};
    if (read(signals_fd, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) continue;
    if (asked) _exit(128 + static_cast<int>(info.ssi_signo));
    asked = true;
    on_stop();
  }
  close(signals_fd);
}

}  // namespace

Signals::Signals(std::function<void()> on_stop) : stop_fd_(eventfd(0, EFD_CLOEXEC)) {
  std::signal(SIGPIPE, SIG_IGN);
  const sigset_t set = stop_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  const int signals_fd = signalfd(-1, &set, SFD_CLOEXEC);
  thread_ = std::jthread(
      [signals_fd, stop_fd = stop_fd_, on_stop = std::move(on_stop)] { wait_for_signals(signals_fd, stop_fd, on_stop); });
}

Signals::~Signals() {
  const std::uint64_t one = 1;
  if (write(stop_fd_, &one, sizeof one) != static_cast<ssize_t>(sizeof one)) std::abort();
  thread_.join();
  close(stop_fd_);
}

}  // namespace fencepost::daemon
