// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/rescue_buffer.h"

#include "host/log/log.h"
#include "host/summary/run_summary.h"
#include "layer/context/device_context.h"
#include "layer/context/instance.h"

namespace shaderqa::layer {
namespace {

// If that is not possible, `made` stays empty and `problem` says why.
void place_in_file(const DeviceContext& device, uint32_t segments, VkDeviceSize segment_size,
                   RescueFile::Content content, DeviceBuffer::Request request, RescueBuffer& made,
                   std::string& problem) {
  const VkDeviceSize alignment = device.facts.host_import_alignment;
  if (alignment == 0) {
    problem = "the driver cannot import host memory (VK_EXT_external_memory_host)";
    return;
  }
  made.file =
      RescueFile::create(device.instance->settings.rescue_dir, segments, segment_size, problem, content);
  if (!made.file) return;
  request.import = made.file->segment_memory();
  if (reinterpret_cast<uintptr_t>(request.import) % alignment == 0 && request.size % alignment == 0) {
    made.buffer = DeviceBuffer::create(device, request, problem);
  } else {
    problem = "the driver imports only memory aligned to " + std::to_string(alignment) + " bytes";
  }
  if (!made.buffer) made.file.reset();
}

}  // namespace

RescueBuffer RescueBuffer::create(const DeviceContext& device, uint32_t segments, VkDeviceSize segment_size,
                                  RescueFile::Content content, std::string& problem) {
  RescueBuffer made;
  DeviceBuffer::Request request;
  request.size = segments * segment_size;
  SHADERQA_LOG(info,
               std::string(content == RescueFile::Content::checks ? "check records: " : "printf buffer: ") +
                   std::to_string(request.size) + " bytes in " + std::to_string(segments) + " segments");
  // Cached, since the host reads it all the time.
  request.preferred = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  if (!device.instance->settings.rescue_dir.empty()) {
    std::string why;
    place_in_file(device, segments, segment_size, content, request, made, why);
    if (made.buffer) return made;
    const bool checks = content == RescueFile::Content::checks;
    device.note(checks ? "rescue checks" : "rescue",
                std::string(checks ? "what checks find" : "what is printed") +
                    " in the last moment before a crash can be lost: " + why,
                Concern::nothing);
    device.instance->summary->add(Tally::rescue_missing);
  }
  made.buffer = DeviceBuffer::create(device, request, problem);
  return made;
}

}  // namespace shaderqa::layer
