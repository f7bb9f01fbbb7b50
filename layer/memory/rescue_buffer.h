// SPDX-License-Identifier: Apache-2.0
// Memory that shaders write and the host reads. If a rescue directory is set, it lies in a file that outlives
// the process.
#ifndef SHADERQA_LAYER_MEMORY_RESCUE_BUFFER_H
#define SHADERQA_LAYER_MEMORY_RESCUE_BUFFER_H

#include <cstdint>
#include <memory>
#include <string>

#include "host/rescue/rescue_file.h"
#include "layer/memory/device_buffer.h"

namespace shaderqa::layer {

class DeviceContext;

struct RescueBuffer {
  // Declared first: Vulkan must be done with the file's memory before it is unmapped.
  std::unique_ptr<RescueFile> file;      // null: ordinary memory
  std::unique_ptr<DeviceBuffer> buffer;  // null: there is no memory, and `problem` says why

  // If a directory is set but the file cannot be made or imported, the memory is ordinary and one note says
  // so.
  static RescueBuffer create(const DeviceContext& device, uint32_t segments, VkDeviceSize segment_size,
                             RescueFile::Content content, std::string& problem);
};

}  // namespace shaderqa::layer
#endif
