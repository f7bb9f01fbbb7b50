// SPDX-License-Identifier: Apache-2.0
// The interfaces between the layer and the engine that checks synchronization (docs/internals/engines.md).
// Recording, queues, pipelines, resources and output know an engine by this header alone. What a function
// does here by itself is right for an engine that does not care.
#ifndef SHADERQA_LAYER_ENGINES_ENGINE_H
#define SHADERQA_LAYER_ENGINES_ENGINE_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "layer/accesses/dependency.h"
#include "layer/vk/submit_infos.h"

namespace shaderqa {
struct ActionOrigin;
struct CheckReport;
struct OtherAccess;
struct ShaderRecord;
struct SyncOptions;
}  // namespace shaderqa

namespace shaderqa::layer {

class Device;
struct Action;
struct Binds;
struct CommandAccesses;
struct PipelineLayout;
struct RecordedCommands;
struct RecordingState;
struct SubmissionQueue;

// What an engine keeps of a recorded command buffer; RecordedCommands owns it.
class EngineCommands {
 public:
  virtual ~EngineCommands() = default;
  // The command buffer is reset: its records go.
  virtual void release_records() {}
  // Adds what the engine knows of the action with this number. CommandHistory's lock is held.
  virtual void describe(uint32_t /*action*/, ActionOrigin& /*origin*/) const {}
};

// What an engine keeps of a queue; SubmissionQueue owns it. Externally synchronized, as the queue is.
class EngineQueue {
 public:
  virtual ~EngineQueue() = default;
};

// The record of an action, while it is written.
struct ActionRecord {
  uint32_t number = 0;         // SQA_ACTION_NUMBER
  uint32_t* dwords = nullptr;  // the record, which is copied to `place` when it is complete
  uint32_t* place = nullptr;   // where shaders will read it
};

enum class PassBegin : uint8_t {
  begins,
  resumes,           // a render pass that this command buffer has suspended
  resumes_of_others  // a render pass that another command buffer has suspended
};

// An engine's part of one command buffer that is being recorded. Only the thread that records calls it.
class EngineRecorder {
 public:
  virtual ~EngineRecorder() = default;

  // A new recording begins: RecordingState::recorded is another one, to which the engine adds its
  // EngineCommands. The last recording was retired before.
  virtual void reset() {}
  virtual void begin(const VkCommandBufferBeginInfo& /*info*/) {}  // behind reset()
  virtual void end() {}
  // The recording is about to be replaced or freed.
  virtual void retire() {}

  // Gets the memory that records need. False: there is none.
  virtual bool prepare() { return false; }
  // An action with a record comes, outside of render passes: commands may be recorded in front of it.
  virtual void before_action() {}
  // Fills the engine's part of the record, behind prepare(). False: the action cannot be checked, which was
  // said.
  virtual bool fill_record(const Action& /*action*/, const Binds& /*bound*/, const ActionRecord& /*record*/) {
    return false;
  }
  // Behind fill_record(): shaders of VersionKind::direct find in this record what they need.
  virtual bool found_directly() const { return true; }
  virtual void action_recorded() {}  // with a record

  virtual void synchronise(const SynchronizationPoint& /*point*/,
                           std::span<const Dependency> /*dependencies*/) {}
  virtual void set_event(VkEvent /*event*/) {}
  virtual void wait_events(const SynchronizationPoint& /*point*/, std::span<const EventWait> /*waits*/) {}
  // Something comes that may have ordered anything: what was recorded and submitted before on the queue
  // counts as ordered before what follows.
  virtual void pass_unknown() {}
  virtual void begin_pass(PassBegin /*how*/) {}
  virtual void end_pass(bool /*suspending*/) {}
  virtual void behind_pass() {}  // the command that ends the render pass was recorded
  virtual void execute(const std::shared_ptr<RecordedCommands>& /*secondary*/) {}

  // What commands access by themselves. Asked for if EngineNeeds::command_accesses.
  // Whether the accesses of a command that comes now can be recorded.
  virtual bool can_record_accesses() const { return false; }
  // False: not all of them could be.
  virtual bool record_accesses(const CommandAccesses& /*accesses*/) { return false; }
  // Shaders or something else that must not be in between comes next: what was held back is recorded.
  virtual void flush_accesses() {}
  // Whether the input of a draw in the render pass can be recorded; then it is, behind the render pass.
  virtual bool can_record_input() const { return false; }
  virtual void record_input(CommandAccesses&& /*draw*/) {}

  // What the render pass that has begun reads and writes of its attachments. Told if EngineNeeds::images.
  virtual void record_attachments(CommandAccesses&& /*pass*/) {}

  // What a command does to layouts, before synchronise() or wait_events() tells what it orders. name: as
  // reports have it. events: those that it waits for. Told if EngineNeeds::images and can_record_accesses().
  virtual void change_layouts(const char* /*name*/, std::span<const LayoutTransition> /*transitions*/,
                              std::span<const VkEvent> /*events*/) {}

  // At these stages a command accesses memory as MemoryUse says. Told if EngineNeeds::memory_use.
  virtual void use_memory(VkPipelineStageFlags2 /*stages*/, uint32_t /*uses*/) {}
};

// One batch of a submission.
struct SubmittedBatch {
  std::vector<SemaphoreUse> waits, signals;
  // In their order; null: one that the layer does not know.
  std::vector<std::shared_ptr<RecordedCommands>> command_buffers;
  // As many, if EngineNeeds::left_out_at_submission: its accesses are not checked this time.
  std::vector<bool> left_out;
  bool may_insert = false;  // command buffers of the layer's own may be added
  uint32_t serial = 0;      // SubmissionState::serial
};

// What the layer has to find out for the engine. Constant, so that what nobody needs costs a test only.
struct EngineNeeds {
  bool command_accesses = false;        // what copies, fills, builds and vertex input access
  bool memory_use = false;              // which stages use memory between barriers
  bool order = false;                   // semaphores, fences and events: what orders work on the device
  bool images = false;                  // images, their memory and views
  bool descriptor_buffers = false;      // what descriptors in descriptor buffers mean
  bool host_reads = false;              // which memory the host maps; the engine submits work of its own
  bool left_out_at_submission = false;  // what was recorded with checks can be submitted without
  // What it knows of memory it knows by pages of so many bytes, which buffers in different blocks of memory
  // had better not share. 0: by no pages.
  VkDeviceSize page_bytes = 0;
};

// The engine of one device. Thread-safe, except where a queue is passed, which is externally synchronized.
// The engine outlives all recorders and queues. None of these functions is called with a lock of the layer
// held, except for a queue's `in_use`.
class Engine {
 public:
  explicit Engine(EngineNeeds its_needs) : needs(its_needs) {}
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const EngineNeeds needs;

  // Pipelines.
  // Sets how shaders are rewritten; `options` holds what the settings say.
  virtual void set_options(VkShaderStageFlagBits /*stage*/, SyncOptions& /*options*/) const {}
  // A shader was rewritten, before a pipeline with it can be made.
  virtual void add_shader(const ShaderRecord& /*record*/, const PipelineLayout& /*layout*/) {}
  // A shader was created that may store parts of words, so memory may get other cells than it has: from now
  // on, no action is found_directly().
  virtual void expect_parts() {}
  virtual bool expects_parts() const { return false; }

  // Memory.
  // A block of memory that records will lie in. The number by which the engine's own shaders find it;
  // UINT32_MAX: it has none.
  virtual uint32_t add_record_block(VkDeviceAddress /*address*/) { return UINT32_MAX; }
  // Buffers that shaders or commands can write, from their binding to their destruction.
  virtual void add_memory(VkDeviceAddress /*address*/, VkDeviceSize /*size*/) {}
  virtual void remove_memory(VkDeviceAddress /*address*/, VkDeviceSize /*size*/) {}
  // What was done to it until now is ordered before all that is submitted from now on.
  virtual void renew_memory(VkDeviceAddress /*address*/, VkDeviceSize /*size*/) {}
  // Accesses to memory that was added are not checked any more.
  virtual void ignore_memory(VkDeviceAddress /*address*/, VkDeviceSize /*size*/) {}
  // Something on the device may have written to the memory, or may do so before work that is recorded now
  // runs.
  virtual bool may_be_written(VkDeviceAddress /*address*/, VkDeviceSize /*size*/) const { return true; }
  // As long as it is the same, what may_be_written() denied stays denied. 0: that is not known.
  virtual uint64_t written_generation() const { return 0; }
  // All buffers, whoever can write them.
  virtual void buffer_bound(VkBuffer /*buffer*/, VkDeviceMemory /*memory*/, VkDeviceSize /*offset*/) {}
  virtual void buffer_destroyed(VkBuffer /*buffer*/) {}
  virtual void memory_freed(VkDeviceMemory /*memory*/) {}
  // Mapped memory. Told if EngineNeeds::host_reads. size: maybe VK_WHOLE_SIZE.
  virtual void memory_mapped(VkDeviceMemory /*memory*/, VkDeviceSize /*offset*/, VkDeviceSize /*size*/) {}
  virtual void memory_unmapped(VkDeviceMemory /*memory*/) {}
  virtual void memory_invalidated(std::span<const VkMappedMemoryRange> /*ranges*/) {}

  // Recording.
  virtual std::unique_ptr<EngineRecorder> make_recorder(RecordingState& state) = 0;

  // Queues.
  virtual std::unique_ptr<EngineQueue> make_queue() = 0;
  // Before the batch is submitted: writes what its command buffers are told, and returns what has to be
  // submitted in front of them.
  virtual std::vector<InsertedCommands> prepare_batch(SubmissionQueue& /*queue*/,
                                                      const SubmittedBatch& /*batch*/) {
    return {};
  }
  // Whether all that was submitted runs in the order of its submission, as far as semaphores order it.
  virtual bool knows_order() const { return true; }
  // Checks begin again. Whatever was submitted before, on any queue, counts as ordered before what follows.
  virtual void forget_earlier() {}
  // vkQueueBindSparse.
  virtual void bind_sparse(SubmissionQueue& /*queue*/, const SubmittedBatch& /*batch*/) {}
  // The fence is signalled behind everything that was given to the queue.
  virtual void fence_submitted(SubmissionQueue& /*queue*/, VkFence /*fence*/) {}

  // What orders work on the device. Told if EngineNeeds::order.
  virtual void semaphore_created(VkSemaphore /*semaphore*/, const VkSemaphoreCreateInfo& /*info*/) {}
  virtual void semaphore_destroyed(VkSemaphore /*semaphore*/) {}
  // temporary: the imported payload is there until the next wait.
  virtual void semaphore_imported(VkSemaphore /*semaphore*/, bool /*temporary*/) {}
  virtual void semaphore_signalled_by_host(VkSemaphore /*semaphore*/, uint64_t /*value*/) {}
  virtual void fence_destroyed(VkFence /*fence*/) {}
  // The presentation engine will signal them; each may be null.
  virtual void image_acquired(VkSemaphore /*semaphore*/, VkFence /*fence*/) {}

  // What the application learnt. `sure`: it waited for this one, and not for one of several.
  virtual void fence_seen(VkFence /*fence*/, bool /*sure*/) {}
  virtual void semaphore_seen(VkSemaphore /*semaphore*/, uint64_t /*value*/, bool /*sure*/) {}
  virtual void device_idle() {}
  // Some work is finished, unknown which: the result of a query, or an event.
  virtual void something_seen() {}
  // It may now read what it has mapped, by what it learnt above. command: what told it, for reports. Told if
  // EngineNeeds::host_reads.
  virtual void host_waited(const char* /*command*/) {}

  // Reports.
  // The other side of a hazard, where the engine knows it.
  virtual std::optional<OtherAccess> other_access(const CheckReport& report) const;

  // The end.
  virtual void finish_own_work() {}  // waits for what the engine submitted, whose reports come then
  // Reports what is known at the end only. done: all work of the device is done.
  virtual void report_at_end(bool /*done*/) {}
  // Gives back command buffers of its own: command pools and the memory of records go next.
  virtual void release_commands() {}
};

// By the settings and what the device can do. Never null.
std::unique_ptr<Engine> make_engine(Device& device);

}  // namespace shaderqa::layer
#endif
