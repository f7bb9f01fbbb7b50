// SPDX-License-Identifier: Apache-2.0
// All that a program does with a device, from its first buffer to the last wait, in one call: for tests that
// do it again and again, on many threads or with something failing at every step.
#ifndef SHADERQA_TESTS_LAYER_WHOLE_PROGRAM_H
#define SHADERQA_TESTS_LAYER_WHOLE_PROGRAM_H

#include <mutex>
#include <string>

#include "tests/layer/program.h"

namespace shaderqa::layer_tests {

// How a program ended: with the command that failed and its result, or with VK_SUCCESS.
struct Ending {
  VkResult result = VK_SUCCESS;
  std::string command;
};

// Objects are destroyed as early as the specification allows. Stops at the first failure, and destroys what
// is there.
Ending live_on(VkDevice device, const VolkDeviceTable& vk, VkQueue queue, std::mutex& queue_mutex);
// With a device of its own.
Ending live(const Instance& instance);

}  // namespace shaderqa::layer_tests
#endif
