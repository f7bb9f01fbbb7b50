#include "layer/exit_drain.h"

#include <atomic>
#include <cstdlib>

#include "layer/device.h"
#include "layer/dispatch.h"
#include "layer/printf_output.h"

namespace shaderqa::layer {
namespace {

std::atomic_flag registered = ATOMIC_FLAG_INIT;

// No Vulkan command: the application may be anywhere, even inside one. Destruction of a device in another
// thread keeps it out of the list or waits for us.
void drain_all() {
  devices().try_for_each([](Device& device) {
    if (PrintfOutput* output = device.printf_output()) output->drain_at_exit();
  });
}

}  // namespace

void register_exit_drain() {
  if (!registered.test_and_set()) std::atexit(drain_all);
}

}  // namespace shaderqa::layer
