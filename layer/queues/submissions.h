// SPDX-License-Identifier: Apache-2.0
// The queues of a device, and what happens to submissions before the driver gets them.
#ifndef SHADERQA_LAYER_QUEUES_SUBMISSIONS_H
#define SHADERQA_LAYER_QUEUES_SUBMISSIONS_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "host/switch/check_switch.h"
#include "layer/queues/submission_queue.h"
#include "layer/vk/arena.h"

namespace shaderqa::layer {

class Device;

// Queues are externally synchronised, or by Vulkan itself; all else is thread-safe.
class Submissions {
 public:
  explicit Submissions(Device& device) : device_(device) {}
  ~Submissions();  // before the next layer's vkDestroyDevice
  Submissions(const Submissions&) = delete;
  Submissions& operator=(const Submissions&) = delete;

  void add_queue(VkQueue queue, const VkDeviceQueueInfo2& info);
  void name(VkQueue queue, const std::string& name);
  std::string name_of(VkQueue queue) const;  // for reports
  void begin_label(VkQueue queue, const char* name);
  void end_label(VkQueue queue);

  // Held while the application uses the queue, so that the layer does not. None for queues that Vulkan
  // synchronises.
  std::unique_lock<std::mutex> use(VkQueue queue) const;
  std::vector<std::unique_lock<std::mutex>> use_all() const;
  // The same while something is submitted, also to a queue that Vulkan synchronises: the driver must get
  // submissions in the order in which they were prepared.
  std::unique_lock<std::mutex> submit_to(VkQueue queue) const;
  bool any_synchronised() const { return any_synchronised_.load(std::memory_order_acquire); }
  // A queue that runs compute shaders and is not in use. Null: there is none.
  struct Reserved {
    SubmissionQueue* queue = nullptr;
    std::unique_lock<std::mutex> lock;
  };
  Reserved reserve_compute() const;
  void fence_submitted(VkQueue queue, VkFence fence);  // behind all that was given to the queue
  // All that was given to a queue until it was made. Other threads may submit more while one waits for that.
  class UntilNow {
   public:
    explicit UntilNow(Device& device) : device_(device) {}
    ~UntilNow();
    UntilNow(const UntilNow&) = delete;
    UntilNow& operator=(const UntilNow&) = delete;
    // The host has waited for it.
    void seen();

   private:
    friend class Submissions;
    // For the engine: a handle that no driver has given.
    VkFence fence() const;
    Device& device_;
  };
  std::unique_ptr<UntilNow> until_now(VkQueue queue);
  std::vector<std::unique_ptr<UntilNow>> all_until_now();
  // The host may wait for work without that Vulkan is told: from here on it counts as having done so before
  // each submission. command: why.
  void learn_outside(const char* command);
  uint32_t next_serial() { return serials_.fetch_add(1, std::memory_order_relaxed) + 1; }

  // Before the submission: its infos, or copies of them with command buffers of the layer's own. `arena`
  // holds the copies.
  // Where accesses are not checked, actions are only counted.
  const VkSubmitInfo* prepare(VkQueue queue, const VkSubmitInfo* infos, uint32_t count, Arena& arena);
  const VkSubmitInfo2* prepare(VkQueue queue, const VkSubmitInfo2* infos, uint32_t count, Arena& arena);
  void prepare_sparse(VkQueue queue, const VkBindSparseInfo* infos, uint32_t count);

 private:
  template <typename Info>
  const Info* prepare_infos(VkQueue queue, const Info* infos, uint32_t count, Arena& arena);
  // Whether `copy` has become another one than `info`.
  template <typename Info>
  bool prepare_batch(SubmissionQueue& queue, const Info& info, const CheckSwitch::Submission& part,
                     const DeviceTime::Around& around, Info& copy, Arena& arena);
  // What goes in front of the first and behind the last command buffer of a call.
  template <typename Info>
  DeviceTime::Around time_of(SubmissionQueue& queue, const Info* infos, uint32_t count, bool open);
  CheckSwitch::Submission begin_submission();
  // Lists actions whose shaders may be traced, before they are submitted.
  void list_traceable(const RecordedCommands& recorded, uint64_t frame) const;
  // Whether it is left out, which only some engines can do.
  bool is_left_out(const RecordedCommands& recorded, const SubmissionQueue& queue, bool open) const;
  // Before it is submitted.
  void count_actions(RecordedCommands& recorded, bool left_out, bool open) const;
  SubmissionQueue* find(VkQueue queue) const;
  std::vector<SubmissionQueue*> all() const;

  Device& device_;
  mutable std::shared_mutex mutex_;  // around queues_, not what is in them
  std::map<VkQueue, std::unique_ptr<SubmissionQueue>> queues_;
  std::atomic<uint32_t> serials_ = 0;
  std::atomic<bool> any_synchronised_ = false, learns_outside_ = false;
  std::mutex opening_mutex_;  // held while the engine is told that checks begin again
  uint64_t opening_ = 0;      // CheckSwitch::Submission::opening
};

}  // namespace shaderqa::layer
#endif
