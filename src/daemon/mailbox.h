#pragma once

#include "base/time.h"
#include "concurrency/mailbox.h"
#include "herder/events.h"

namespace fencepost::daemon {

/// What the parts of the worker report to the herder.
using EventBox = concurrency::Mailbox<herder::Event>;

}  // namespace fencepost::daemon
