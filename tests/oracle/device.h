// SPDX-License-Identifier: Apache-2.0
// Runs abstract programs on a Vulkan device.
#ifndef SHADERQA_TESTS_ORACLE_DEVICE_H
#define SHADERQA_TESTS_ORACLE_DEVICE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "program.h"

namespace oracle {

// Lines of the shaders say which statement an access is, debug labels which command.
constexpr uint32_t kLinesPerProgram = 40000, kLinesPerCommand = 1000;
inline std::string label_of(size_t program, size_t command) {
  return "program " + std::to_string(program) + " command " + std::to_string(command);
}

Machine machine_of_device();
// One after the other on one device, each with memory of its own. Throws where Vulkan or the compiler fails.
void run_programs(const std::vector<std::string>& specs);

}  // namespace oracle
#endif
