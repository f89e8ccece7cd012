#include <csignal>

namespace {

// Crashes while it is loaded, before anybody can ask for its version.
const int crash = std::raise(SIGSEGV);

}  // namespace
