// Queues: which submissions need a clear of the filter in front, and what command buffers learn when they are
// submitted.
#ifndef SHADERQA_LAYER_SUBMISSIONS_H
#define SHADERQA_LAYER_SUBMISSIONS_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include "layer/arena.h"
#include "layer/recording.h"

namespace shaderqa::layer {

class Device;

// Queues are externally synchronised, all else is thread-safe.
class Submissions {
 public:
  explicit Submissions(Device& device) : device_(device) {}
  ~Submissions();  // before the next layer's vkDestroyDevice
  Submissions(const Submissions&) = delete;
  Submissions& operator=(const Submissions&) = delete;

  void add_queue(VkQueue queue, uint32_t family, uint32_t index);
  void name(VkQueue queue, const std::string& name);
  void begin_label(VkQueue queue, const char* name);
  void end_label(VkQueue queue);

  // The application learnt that work is done, or gave memory back: what was marked before does not count
  // behind the next clear, which each queue gets with its next submission.
  void host_synchronised() { host_epoch_.fetch_add(1, std::memory_order_relaxed); }

  // Before the submission: its infos, or copies of them with clears in them. `arena` holds the copies.
  const VkSubmitInfo* prepare(VkQueue queue, const VkSubmitInfo* infos, uint32_t count, Arena& arena);
  const VkSubmitInfo2* prepare(VkQueue queue, const VkSubmitInfo2* infos, uint32_t count, Arena& arena);

 private:
  struct Queue {
    VkQueue handle = VK_NULL_HANDLE;
    uint32_t family = 0;
    uint32_t number = 0;  // on the device
    std::string name;
    std::vector<std::string> labels;
    bool needs_clear = true;  // at first the filter holds anything
    uint64_t host_epoch = 0;  // seen
    VkCommandBuffer clear = VK_NULL_HANDLE;
    VkCommandPool pool = VK_NULL_HANDLE;
    bool clear_failed = false;
  };

  template <typename Info>
  const Info* prepare_infos(VkQueue queue, const Info* infos, uint32_t count, Arena& arena);
  // Whether `copy` has become another one than `info`.
  template <typename Info>
  bool prepare_batch(Queue& queue, const Info& info, Info& copy, Arena& arena);
  Queue* find(VkQueue queue) const;
  // Null where there is nothing to clear, or the driver refuses.
  VkCommandBuffer clear_of(Queue& queue);
  VkResult make_clear(Queue& queue);
  void mark(const Queue& queue, Recording& recording, uint32_t serial);

  Device& device_;
  mutable std::shared_mutex mutex_;  // around queues_, not what is in them
  std::map<VkQueue, std::unique_ptr<Queue>> queues_;
  std::atomic<uint64_t> host_epoch_ = 0;
  std::atomic<uint32_t> serials_ = 0;
};

}  // namespace shaderqa::layer
#endif
