// SPDX-License-Identifier: Apache-2.0
// Calls in which the application waits for the device.
#ifndef SHADERQA_LAYER_QUEUES_DEVICE_WAIT_H
#define SHADERQA_LAYER_QUEUES_DEVICE_WAIT_H

#include <vulkan/vulkan.h>

#include "host/summary/run_summary.h"

namespace shaderqa::layer {

// What `wait`, a call of the driver, returns. While it lasts, `shaderqa run` can say that the program waits.
template <typename Wait>
VkResult wait_for(RunSummary& summary, Wait&& wait) {
  DeviceWait waiting(summary);
  const VkResult result = wait();
  if (result == VK_TIMEOUT) waiting.timed_out();
  return result;
}

}  // namespace shaderqa::layer
#endif
