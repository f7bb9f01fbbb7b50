// SPDX-License-Identifier: Apache-2.0
#include "layer/output/exit_drain.h"

#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"

namespace shaderqa::layer {
namespace {

// Calls no Vulkan command: the application may be anywhere, even inside one. A device that another thread is
// destroying is either not in the list any more, or its destruction waits for us.
void drain_all() {
  devices().try_for_each([](Device& device) { device.drain_at_exit(); });
}

struct AtExit {
  ~AtExit() { drain_all(); }
};

}  // namespace

void register_exit_drain() { [[maybe_unused]] static const AtExit at_exit; }

}  // namespace shaderqa::layer
