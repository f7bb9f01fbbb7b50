// SPDX-License-Identifier: Apache-2.0
// What one command reads and writes by itself, for EngineRecorder::record_accesses.
#ifndef SHADERQA_LAYER_RECORDING_COMMAND_ACCESSES_H
#define SHADERQA_LAYER_RECORDING_COMMAND_ACCESSES_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "layer/accesses/memory_ranges.h"
#include "layer/recording/command_arguments.h"

namespace shaderqa::layer {

class Device;

struct CommandAccesses {
  const char* command = "";
  uint32_t main_class = 0;  // SQA_CLASS_*
  CommandArguments arguments{};
  std::vector<MemoryRange> ranges{};
  bool complete = true;  // nothing else of buffers that the device can write
  bool images = false;
  bool same_command = false;                   // as what was entered last
  bool transition = false;                     // of an image's layout: only its own barrier orders it
  std::shared_ptr<const std::string> about{};  // as RecordedAction has it

  // range.address: offset in the buffer. Nothing where the buffer has no address or no cells, or the range is
  // not in it.
  void add(const Device& device, VkBuffer buffer, MemoryRange range);
  // range.address: of the device.
  void add(const Device& device, MemoryRange range);
};

}  // namespace shaderqa::layer
#endif
