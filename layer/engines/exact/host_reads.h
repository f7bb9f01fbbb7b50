// SPDX-License-Identifier: Apache-2.0
// What the host reads of mapped memory (docs/internals/exact.md, "What the host reads"): which memory that
// is, and a check of its cells when the host may read it.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_HOST_READS_H
#define SHADERQA_LAYER_ENGINES_EXACT_HOST_READS_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "host/order/submission_order.h"
#include "layer/accesses/memory_ranges.h"

namespace shaderqa::layer {

class CommandRecorder;
class Device;
class ExactEngine;
struct SubmissionQueue;

// Thread-safe. A check is a command buffer of the layer's own. If the device has nothing else to do it is
// waited for, else only finish() waits.
class HostReads {
 public:
  HostReads(Device& device, ExactEngine& engine);
  ~HostReads();
  HostReads(const HostReads&) = delete;
  HostReads& operator=(const HostReads&) = delete;

  void bind(VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset);
  void forget(VkBuffer buffer);
  void forget(VkDeviceMemory memory);
  // size: maybe VK_WHOLE_SIZE.
  void map(VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size);
  void unmap(VkDeviceMemory memory);
  void invalidate(std::span<const VkMappedMemoryRange> ranges);
  // The order knows it already. command: what told the host.
  void wait(const char* command);
  // Everything that was checked is reported.
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
    // The last submission: its number, and whether the device had nothing else to do.
    uint64_t number = 0;
    uint32_t order_queue = 0;
    bool alone = false;
    std::unique_ptr<CommandRecorder> state;
  };

  static Span span_of(VkDeviceSize offset, VkDeviceSize size);
  // Adds the ranges of buffers that have cells. mutex_ is held.
  void add_ranges(const Memory& memory, const Span& span, std::vector<MemoryRange>& ranges) const;
  std::vector<MemoryRange> mapped_ranges();
  // checking_ is held from here on.
  void check_now(const std::vector<MemoryRange>& ranges, const char* command);
  // `seen`: what was checked before. False: it was not checked.
  bool check(const std::vector<MemoryRange>& ranges, const HostView& view, const QueueClock& seen,
             const char* command);
  bool has_come_back(HostReadCheck& check, uint64_t timeout) const;  // nanoseconds
  HostReadCheck* free_check(SubmissionQueue& queue);
  bool record(HostReadCheck& check, const std::vector<MemoryRange>& ranges, VkDeviceAddress floors,
              const char* command);

  Device& device_;
  ExactEngine& engine_;
  const bool at_waits_;  // all that is mapped, whenever the host waited
  // Around memory_ and memory_of_. Never held while the driver is called.
  std::mutex mutex_;
  std::unordered_map<VkDeviceMemory, Memory> memory_;
  std::unordered_map<VkBuffer, VkDeviceMemory> memory_of_;
  // Around seen_ and checks_, and held while a check is submitted and waited for: a second check needs the
  // same queue, and its thread is about to read what the first one checks. No other thread waits for it.
  std::mutex checking_;
  QueueClock seen_{};
  std::vector<HostReadCheck> checks_;
};

}  // namespace shaderqa::layer
#endif
