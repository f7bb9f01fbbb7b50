// SPDX-License-Identifier: Apache-2.0
// One command buffer while it is recorded: what is bound, its actions and their records, its debug labels.
// What a barrier means, and what a record says beyond this, is the engine's.
#ifndef SHADERQA_LAYER_RECORDING_COMMAND_RECORDER_H
#define SHADERQA_LAYER_RECORDING_COMMAND_RECORDER_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "host/order/barrier_ledger.h"
#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/memory/record_arena.h"
#include "layer/pipelines/checked_versions.h"
#include "layer/recording/action.h"
#include "layer/recording/attachments.h"
#include "layer/recording/command_accesses.h"
#include "layer/recording/command_buffers.h"
#include "layer/recording/layout_steps.h"
#include "layer/recording/recording_state.h"
#include "layer/recording/recording_switch.h"
#include "layer/vk/fast_thread_local.h"
#include "layer/vk/guarded.h"
#include "layer/vk/handle_table.h"

namespace shaderqa::layer {

// What a draw names of its index and vertex buffers.
struct DrawnInput {
  bool indexed = false;
  uint32_t first_instance = 0, instances = 0;
  std::span<const Elements> elements = {};       // vertices, or indices; several of a multi draw
  std::span<const DrawArguments> indirect = {};  // instead of elements and instances
};

struct RenderPassEffects;
// Only touched by the thread that records, as Vulkan has it.
class CommandRecorder : public RecordingState {
 public:
  // dispatches: the layer's own are possible in such command buffers.
  // use: of its pool.
  CommandRecorder(CommandBuffers::Impl& shared, VkCommandBuffer handle, uint32_t family, bool secondary,
                  bool dispatches, std::shared_ptr<PoolUse> use);
  ~CommandRecorder();

  EngineRecorder& engine() { return *engine_; }
  void begin(const VkCommandBufferBeginInfo& info);
  void end();
  void reset();

  // Counts every action, before the command itself is recorded. True: the action needs a record, and
  // before_action() has to be called.
  bool count_action(BindPoint point, bool indirect = false) {
    ++index;
    if (switch_.selects_actions()) select_action(point);
    const Binds& bound = binds.at(point);
    if (indirect && !bound.checks_indirect) bind_for_indirect(point);
    const bool needs_record = bound.needs_record();
    if (!needs_record && follows_use_) use_unfollowed(point);
    if (bound.unchecked || bound.left_out || counts_all_) count_without_record(bound);
    if (traces_ && bound.coverage && !bound.unchecked && !bound.left_out) add_traceable(point, bound);
    if (bound.disturbed || binds.constants().disturbed() || binds.heaps().is_touched())
      restore_disturbed(point);
    return needs_record;
  }
  // Which version of a pipeline is bound.
  WantedVersion wanted_version() const;
  void transform_feedback(bool on) { feedback_ = on; }
  void before_action(const Action& action);
  // The same two for an action whose arguments the device reads. make(): the Action.
  template <typename Make>
  void before_indirect(BindPoint point, const Make& make) {
    const bool needs_record = count_action(point, true);
    if (!needs_record && !fetches_input_) return;
    Action action = make();
    record_arguments(action, needs_record);
    if (needs_record) before_action(action);
  }

  // What a command does whose dependencies follow, as EngineRecorder has it.
  void change_layouts(const char* name, std::span<const LayoutTransition> transitions,
                      std::span<const VkEvent> events = {});
  // The dependencies of one command, or those where a subpass begins.
  void synchronise(SynchronizationPoint point, std::span<const Dependency> dependencies);
  void wait_events(const char* command, std::span<const EventWait> waits);
  void set_event(VkEvent event) {
    if (device.engine->needs.images) set_events_.insert(event);
    if (!recorded->left_out) engine_->set_event(event);
  }
  // Whether this command buffer has. Known where images are followed.
  bool has_set(VkEvent event) const { return set_events_.contains(event); }
  // As EngineRecorder has them, for the part that is checked.
  bool can_record_accesses() const { return !recorded->left_out && engine_->can_record_accesses(); }
  bool record_accesses(const CommandAccesses& accesses);
  void record_attachments(CommandAccesses&& pass);
  // What is done to layouts of images; null: images are not followed.
  LayoutSteps* layouts();
  // Whether the accesses of a command that comes now are checked.
  bool checks_next();
  // For the list of redundant barriers (docs/internals/redundant.md): what a command accesses, uses as
  // MemoryUse.
  void use_memory(VkPipelineStageFlags2 stages, uint32_t uses) {
    if (follows_use_) engine_->use_memory(stages, uses);
  }
  void use_unknown();
  void begin_pass(bool resuming);
  void end_pass(bool suspending);
  void execute(const std::shared_ptr<RecordedCommands>& secondary);

  // Whether a draw of the render pass may read index and vertex buffers that something writes, as far as can
  // be said cheaply. If so, fetch_input() records what it reads, behind before_action().
  bool may_fetch_input(bool indexed) {
    return (indexed || binds.at(BindPoint::graphics).reads_vertices) && fetches_input_ && in_pass &&
           !recorded->left_out && selected_ && may_fetch_written(indexed);
  }
  void fetch_input(CommandAccesses draw, const DrawnInput& input);
  // In front of condition(true).
  void read_predicate(const char* command, VkBuffer buffer, VkDeviceSize offset);
  void condition(bool on);  // draws and dispatches may be discarded
  void begin_query();       // one that would count dispatches of the layer's own
  void end_query() { active_queries -= active_queries > 0 ? 1 : 0; }

  void begin_label(const char* name);
  void end_label();

  // From vkCmdBeginRenderPass until its end; null in dynamic rendering.
  std::shared_ptr<const RenderPassEffects> render_pass;
  uint32_t subpass = 0;
  bool suspends = false;                 // from vkCmdBeginRendering until its end
  std::vector<PassLayout> pass_layouts;  // of the attachments of render_pass

 private:
  // What the tables in the record are; null: those of sets.
  const HeapTables* heap_tables(const Binds& bound) const;
  RecordPlace record_in_push_data(const Binds& bound) const;
  // The layout with which the record is bound; null: it is pushed as data.
  VkPipelineLayout binding_layout(const Binds& bound) const;
  void bind_record(const Binds& bound, BindPoint point, VkPipelineLayout layout,
                   const RecordAllocation& place);
  // Also notes which sets that disturbs, to be bound again before a pipeline without a record uses them.
  void bind_record_and_keep_sets(Binds& bound, BindPoint point, VkPipelineLayout layout,
                                 const RecordAllocation& place);
  // Nothing where the action is not checked, which was said.
  RecordAllocation write_record(Binds& bound, const Action& action);
  struct BoundIndices {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceSize offset = 0;
    VkDeviceAddress address = 0;
    uint32_t bytes = 0;  // of one
    uint64_t count = 0;  // that there are
    bool holds(const Elements& some) const { return uint64_t{some.first} + some.count <= count; }
  };
  bool may_fetch_written(bool indexed);
  bool is_written(VkBuffer buffer, uint64_t& unwritten, uint64_t generation);
  std::optional<BoundIndices> bound_indices();
  void add_indices(const DrawnInput& input, const BoundIndices& bound, CommandAccesses& draw);
  void add_elements(const DrawnInput& input, const VertexSpan& span, uint32_t stride, CommandAccesses& draw);
  void add_late(const DrawnInput& input, const VertexSpan& span, uint32_t stride,
                const std::optional<BoundIndices>& indices, CommandAccesses& draw);
  void add_vertices(const DrawnInput& input, const std::optional<BoundIndices>& indices,
                    CommandAccesses& draw);
  void record_arguments(Action& action, bool needs_record);
  void restore_disturbed(BindPoint point);
  void retire();
  void count_without_record(const Binds& bound);
  void select_action(BindPoint point);
  void bind_for_indirect(BindPoint point);
  void bind_version(BindPoint point, WantedVersion wanted);
  void leave_out(const Binds& bound);
  void add_traceable(BindPoint point, const Binds& bound);
  void use_unfollowed(BindPoint point);
  void use_of(const Action& action, bool has_record);

  CommandBuffers::Impl& shared_;
  const bool dispatches_;
  void leave_crumb(const char* command, std::span<const Dependency> dependencies);

  const bool follows_use_;    // EngineNeeds::memory_use
  const bool fetches_input_;  // EngineNeeds::command_accesses: also arguments of indirect commands
  const bool counts_all_;     // no action has a record, and actions are counted all the same
  const bool traces_;         // actions are listed for the trace
  const bool leaves_crumbs_;  // barriers are kept as text, for reports
  const bool covers_;         // what the chosen part uses is noted
  RecordingSwitch switch_;
  bool selected_ = true;  // the last action
  std::unordered_set<VkEvent> set_events_;
  bool feedback_ = false;  // transform feedback is active: no pipeline can be bound
  const std::unique_ptr<EngineRecorder> engine_;
};

struct CommandBuffers::Impl {
  explicit Impl(Device& its_device) : device(its_device), records(its_device) {}
  ~Impl();

  Device& device;
  RecordMemory records;
  CommandHistory history;
  std::atomic<uint32_t> actions = 0;
  PartCoverage coverage;

  uint32_t next_action();
  // The record of actions that cannot have one of their own: nothing is checked. Made on the first call; its
  // set is null if there is no memory at all.
  RecordAllocation blank_record();

  // A pipeline layout with nothing but the reserved set, for shader objects that have no descriptors. Made
  // before there are checked ones; null if the driver refuses it.
  VkPipelineLayout own_layout();

  HandleTable<VkCommandBuffer, CommandRecorder> states;
  HandleTable<VkPipeline, std::shared_ptr<const CheckedPipeline>> pipelines;
  std::atomic<bool> any_checked = false;

  mutable std::shared_mutex mutex;  // around what follows
  VkPipelineLayout own_layout_ = VK_NULL_HANDLE;
  std::unordered_map<VkShaderEXT, KnownShader> shaders;
  struct Pool {
    uint32_t family = 0;
    bool dispatches = false;  // command buffers may have dispatches of the layer's own
    std::shared_ptr<PoolUse> use;
    std::vector<VkCommandBuffer> buffers;
  };
  std::unordered_map<VkCommandPool, Pool> pools;
  std::unordered_map<VkRenderPass, std::shared_ptr<const RenderPassEffects>> render_passes;
  RecordAllocation blank;

  void add_pool(VkCommandPool pool, const VkCommandPoolCreateInfo& info);
  void reset_pool(VkCommandPool pool);
  void remove_pool(VkCommandPool pool);
  void add(VkCommandPool pool, const VkCommandBuffer* buffers, uint32_t count, bool secondary);
  void remove(VkCommandPool pool, const VkCommandBuffer* buffers, uint32_t count);
};

// The command buffer that a thread recorded into last: mostly it goes on with the same one, and two lookups
// for each command are saved. Trivial, because a thread of the application may end at any time.
struct LastRecorder {
  VkCommandBuffer handle = VK_NULL_HANDLE;
  uint64_t lookups = 0;  // recorder_lookups at that time
  Device* device = nullptr;
  CommandRecorder* recorder = nullptr;
};
// Changes whenever a command buffer comes or goes: what threads remember is then looked up again. It changes
// before the driver gets the handle back, so that a reused handle is never taken for the one before.
inline constinit std::atomic<uint64_t> recorder_lookups = 1;
inline void forget_last_recorders() { recorder_lookups.fetch_add(1, std::memory_order_acq_rel); }
SHADERQA_THREAD_LOCAL LastRecorder last_recorder_of_thread;
const LastRecorder& look_up_recorder(VkCommandBuffer handle) noexcept;

// The device and the state of a command buffer. The state is null where there was no memory for it when it
// was allocated. Valid until the thread's next call.
inline const LastRecorder& find_recorder(VkCommandBuffer handle) noexcept {
  const LastRecorder& last = last_recorder_of_thread;
  const bool same = last.handle == handle && last.lookups == recorder_lookups.load(std::memory_order_acquire);
  return same ? last : look_up_recorder(handle);
}

// What a hook does for the layer; the device, for the command itself. Never throws into the application.
template <typename Work>
Device& with_recorder(VkCommandBuffer handle, const Work& work) noexcept {
  const LastRecorder& last = find_recorder(handle);
  Device& device = *last.device;
  if (CommandRecorder* const recorder = last.recorder) guarded([&] { work(device, *recorder); });
  return device;
}

}  // namespace shaderqa::layer
#endif
