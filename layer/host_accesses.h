// What the host reads of mapped memory (docs/exact.md, "What the host reads"): which memory that is, and a
// look at its cells when the host may read it.
#ifndef SHADERQA_LAYER_HOST_ACCESSES_H
#define SHADERQA_LAYER_HOST_ACCESSES_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "host/submission_order.h"
#include "layer/memory_ranges.h"

namespace shaderqa::layer {

class CommandState;
class Device;
struct SubmissionQueue;

// Of a device with an exact engine, where `sync_host` is on. Thread-safe. Looks are command buffers of the
// layer's own. Where the device has nothing else to do they are waited for, else only by finish().
class HostAccesses {
 public:
  explicit HostAccesses(Device& device);
  ~HostAccesses();
  HostAccesses(const HostAccesses&) = delete;
  HostAccesses& operator=(const HostAccesses&) = delete;

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
  struct Look {
    VkQueue queue = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;
    bool pending = false;
    // Of the last one: its number, and whether nothing else was to be done then.
    uint64_t number = 0;
    uint32_t order_queue = 0;
    bool alone = false;
    std::unique_ptr<CommandState> state;
  };

  static Span span_of(VkDeviceSize offset, VkDeviceSize size);
  // Of buffers that have cells.
  void add_ranges(const Memory& memory, const Span& span, std::vector<MemoryRange>& ranges) const;
  void read_now(const std::vector<MemoryRange>& ranges, const char* command);
  // `seen`: what was looked at before. False: it was not looked at.
  bool look(const std::vector<MemoryRange>& ranges, const HostView& view, const QueueClock& seen,
            const char* command);
  bool has_come_back(Look& look, uint64_t timeout) const;  // nanoseconds
  Look* free_look(SubmissionQueue& queue);
  bool record(Look& look, const std::vector<MemoryRange>& ranges, VkDeviceAddress floors,
              const char* command);

  Device& device_;
  const bool at_waits_;  // all that is mapped, whenever the host waited
  std::mutex mutex_;     // around all below
  std::unordered_map<VkDeviceMemory, Memory> memory_;
  std::unordered_map<VkBuffer, VkDeviceMemory> memory_of_;
  QueueClock seen_{};
  std::vector<Look> looks_;
};

}  // namespace shaderqa::layer
#endif
