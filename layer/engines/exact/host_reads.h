// SPDX-License-Identifier: Apache-2.0
// What the host reads of mapped memory (docs/exact.md, "What the host reads"): which memory that is, and a
// look at its cells when the host may read it.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_HOST_READS_H
#define SHADERQA_LAYER_ENGINES_EXACT_HOST_READS_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "host/order/submission_order.h"
#include "layer/accesses/memory_ranges.h"

namespace shaderqa::layer {

class CommandRecorder;
class Device;
struct SubmissionQueue;

// Of a device with an exact engine, where `sync_host` is on. Thread-safe. Looks are command buffers of the
// layer's own. Where the device has nothing else to do they are waited for, else only by finish().
class HostReads {
 public:
  explicit HostReads(Device& device);
  ~HostReads();
  HostReads(const HostReads&) = delete;
  HostReads& operator=(const HostReads&) = delete;

  void bind(VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset);
  void forget(VkBuffer buffer);
  void forget(VkDeviceMemory memory);
  // size: maybe VK_WHOLE_SIZE.
  void map(VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size);
  void unmap(VkDeviceMemory memory);
  void invalidate(const VkMappedMemoryRange* ranges, uint32_t count);
  // The order knows it already. command: what told the host.
  void wait(const char* command);
  // What has been looked at is reported.
  void finish();

 private:
  struct Span {
    VkDeviceSize begin = 0, end = 0;
  };
  struct Memory {
    std::vector<std::pair<VkBuffer, VkDeviceSize>> buffers;  // and offsets
    Span mapped;                                             // nothing: it is not
  };
  // A command buffer of a queue's family.
  struct HostReadCheck {
    VkQueue queue = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;
    bool pending = false;
    // Of the last one: its number, and whether nothing else was to be done then.
    uint64_t number = 0;
    uint32_t order_queue = 0;
    bool alone = false;
    std::unique_ptr<CommandRecorder> state;
  };

  static Span span_of(VkDeviceSize offset, VkDeviceSize size);
  // Of buffers that have cells.
  void add_ranges(const Memory& memory, const Span& span, std::vector<MemoryRange>& ranges) const;
  void read_now(const std::vector<MemoryRange>& ranges, const char* command);
  // `seen`: what was looked at before. False: it was not looked at.
  bool look(const std::vector<MemoryRange>& ranges, const HostView& view, const QueueClock& seen,
            const char* command);
  bool has_come_back(HostReadCheck& look, uint64_t timeout) const;  // nanoseconds
  HostReadCheck* free_check(SubmissionQueue& queue);
  bool record(HostReadCheck& look, const std::vector<MemoryRange>& ranges, VkDeviceAddress floors,
              const char* command);

  Device& device_;
  const bool at_waits_;  // all that is mapped, whenever the host waited
  std::mutex mutex_;     // around all below
  std::unordered_map<VkDeviceMemory, Memory> memory_;
  std::unordered_map<VkBuffer, VkDeviceMemory> memory_of_;
  QueueClock seen_{};
  std::vector<HostReadCheck> checks_;
};

}  // namespace shaderqa::layer
#endif
