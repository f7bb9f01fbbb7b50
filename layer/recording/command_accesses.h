// SPDX-License-Identifier: Apache-2.0
// What one command reads and writes by itself, for EngineRecorder::record_accesses.
#ifndef SHADERQA_LAYER_RECORDING_COMMAND_ACCESSES_H
#define SHADERQA_LAYER_RECORDING_COMMAND_ACCESSES_H

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <vector>

#include "layer/accesses/memory_ranges.h"

namespace shaderqa::layer {

class Device;

struct CommandAccesses {
  const char* command = "";
  uint32_t main_class = 0;  // SQA_CLASS_*
  std::array<uint64_t, 5> arguments{};
  uint8_t argument_count = 0;
  uint8_t handles = 0;  // bit i: argument i is a handle
  std::vector<MemoryRange> ranges{};
  bool complete = true;  // nothing else of buffers that the device can write
  bool images = false;
  bool same_command = false;  // as what was entered last

  template <typename... Values>
  void set_arguments(uint8_t its_handles, Values... values) {
    arguments = {static_cast<uint64_t>(values)...};
    argument_count = sizeof...(values);
    handles = its_handles;
  }
  // range.address: offset in the buffer. Nothing where the buffer has no address or no cells, or the range is
  // not in it.
  void add(const Device& device, VkBuffer buffer, MemoryRange range);
  // range.address: of the device.
  void add(const Device& device, MemoryRange range);
};

}  // namespace shaderqa::layer
#endif
