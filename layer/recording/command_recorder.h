// SPDX-License-Identifier: Apache-2.0
// One command buffer while it is recorded: what is bound, what a barrier has made necessary, its records.
#ifndef SHADERQA_LAYER_RECORDING_COMMAND_RECORDER_H
#define SHADERQA_LAYER_RECORDING_COMMAND_RECORDER_H

#include <vulkan/vulkan_core.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <shared_mutex>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "layer/engines/exact/exact_recorder.h"
#include "layer/engines/filter/access_filters.h"
#include "layer/engines/filter/barrier_effects.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/memory/record_arena.h"
#include "layer/recording/bind_state.h"
#include "layer/recording/command_accesses.h"
#include "layer/recording/command_buffers.h"
#include "layer/recording/recorded_commands.h"
#include "layer/vk/guarded.h"
#include "layer/vk/handle_table.h"

namespace shaderqa::layer {

// Memory that the device reads for an indirect command.
struct IndirectArguments {
  VkDeviceAddress address = 0;  // 0: a direct command, or nothing is known
  uint32_t bytes = 0;
  VkDeviceAddress count_address = 0;
};

struct Action {
  template <typename... Arguments>
  Action(const char* its_command, BindPoint its_point, Arguments... its_arguments)
      : command(its_command),
        point(its_point),
        argument_count(sizeof...(its_arguments)),
        arguments{static_cast<uint64_t>(its_arguments)...} {}

  const char* command;
  BindPoint point;
  uint8_t argument_count;
  std::array<uint64_t, 5> arguments;
  IndirectArguments indirect{};
  bool row = false;  // workgroups side by side, at most SQA_LONGEST_ROW
};

// What a draw names of its index and vertex buffers.
struct DrawnInput {
  bool indexed = false;
  uint32_t first_instance = 0, instances = 0;
  std::span<const Elements> elements = {};       // vertices, or indices; several of a multi draw
  std::span<const DrawArguments> indirect = {};  // instead of elements and instances
};

struct RenderPassEffects;
// Only touched by the thread that records, as Vulkan has it.
class CommandRecorder {
 public:
  CommandRecorder(CommandBuffers::Impl& shared, VkCommandBuffer handle, uint32_t family, bool secondary,
                  bool dispatches);
  ~CommandRecorder();
  CommandRecorder(const CommandRecorder&) = delete;
  CommandRecorder& operator=(const CommandRecorder&) = delete;

  const std::shared_ptr<RecordedCommands>& recording() const { return recording_; }
  void begin(const VkCommandBufferBeginInfo& info);
  void end();
  void reset();

  // Before the command itself is recorded: of each action, and of those that need a record.
  bool count_action(BindPoint point) {
    ++index_;
    const bool needs_record = binds.at(point).needs_record();
    if (!needs_record) use_unfollowed(point);
    return needs_record;
  }
  void before_action(const Action& action);
  // The dependencies of one command, or those where a subpass begins.
  // not_judged: as BarrierSite has it.
  void synchronise(const char* command, std::span<const Dependency> dependencies,
                   const char* not_judged = "it is part of a render pass");
  // Of an event each: what the exact engine is told of its wait.
  using EventWait = std::pair<VkEvent, std::vector<Dependency>>;
  void wait_events(const char* command, const std::vector<EventWait>& waits);
  void set_event(VkEvent event);
  // For the list of redundant barriers (docs/redundant.md): what a command accesses, uses as MemoryUse.
  void use_memory(VkPipelineStageFlags2 stages, uint32_t uses) {
    if (exact_) exact_->use_memory(stages, uses);
  }
  void use_unknown();
  void begin_pass(bool resuming);
  void end_pass(bool suspending);
  void execute(const std::shared_ptr<RecordedCommands>& secondary);

  // Whether what a command that comes now does by itself can be entered: then record_accesses() does, or
  // flush_accesses() in front of whatever runs shaders next.
  bool can_record_accesses() const;
  // False: not all of it can be entered.
  bool record_accesses(const CommandAccesses& accesses);
  void flush_accesses();
  // Of a draw of the render pass, behind before_action: the indices, vertices and instances that it reads,
  // where fetches_input().
  bool fetches_input() const;
  void fetch_input(CommandAccesses draw, const DrawnInput& input);
  void record_fetches();    // behind the end of the render pass
  void condition(bool on);  // draws and dispatches may be discarded
  void begin_query();
  void end_query() { active_queries_ -= active_queries_ > 0 ? 1 : 0; }

  void begin_label(const char* name);
  void end_label();

  BindState binds;
  RecordArena arena;
  // Of vkCmdBeginRenderPass, until its end; null in dynamic rendering.
  std::shared_ptr<const RenderPassEffects> render_pass;
  uint32_t subpass = 0;
  bool suspends = false;  // of vkCmdBeginRendering, until its end

 private:
  // With which the record is bound.
  VkPipelineLayout binding_layout(const Binds& bound) const;
  void bind_record(const Binds& bound, BindPoint point, VkPipelineLayout layout,
                   const RecordAllocation& place);
  // Nothing where there is no memory.
  RecordAllocation write_record(Binds& bound, const Action& action);
  bool prepare_records();
  bool has_engine();
  void apply(BarrierEffect effect);
  RecordAllocation write_ranges(const RecordedAction& action, std::span<const MemoryRange> ranges,
                                VkDeviceAddress floors, uint32_t ordered_before, uint32_t groups);
  bool take_entry(const CommandAccesses& accesses, RangeEntry& entry);
  bool dispatch_accesses(std::span<const RangeEntry> entries);
  struct BoundIndices {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceSize offset = 0;
    VkDeviceAddress address = 0;
    uint32_t bytes = 0;  // of one
    uint64_t count = 0;  // that there are
    bool holds(const Elements& some) const { return uint64_t{some.first} + some.count <= count; }
  };
  std::optional<BoundIndices> bound_indices();
  void add_indices(const DrawnInput& input, const BoundIndices& bound, CommandAccesses& draw);
  void add_elements(const DrawnInput& input, const VertexSpan& span, uint32_t stride, CommandAccesses& draw);
  void add_late(const DrawnInput& input, const VertexSpan& span, uint32_t stride,
                const std::optional<BoundIndices>& indices, CommandAccesses& draw);
  void add_vertices(const DrawnInput& input, const std::optional<BoundIndices>& indices,
                    CommandAccesses& draw);
  void forget_late_fetches();
  void hold_written(std::span<const MemoryRange> ranges);
  void retire();
  void use_unfollowed(BindPoint point);
  void use_of(const Action& action, bool has_record);
  void restore_compute();
  bool add_exact(const Action& action, uint32_t* dwords, RecordedAction& entry);
  void clear();
  // Actions outside of render passes run one after the other, as do render passes as a whole: that is no
  // synchronisation to the filter, and makes what it finds between them the same in every run.
  void separate();
  void add_salt(uint32_t salt);

  CommandBuffers::Impl& shared_;
  const VkCommandBuffer handle_;
  const uint32_t family_;
  const bool secondary_;
  const bool dispatches_;  // the layer's own are possible in such command buffers
  std::shared_ptr<RecordedCommands> recording_;
  RecordAllocation submission_;
  BarrierChain chain_;
  AccessFilters::Family* filter_ = nullptr;
  std::optional<ExactRecorder> exact_;  // instead of the filter, and of chain_

  bool can_dispatch_ = false;  // in this recording
  bool conditional_ = false;
  bool pass_is_ours_ = false;  // it began, and so ends, in this command buffer
  uint32_t active_queries_ = 0;
  std::vector<RangeEntry> gathered_;  // of commands since the last action; they do not meet in memory
  size_t gathered_ranges_ = 0;
  std::vector<RangeEntry> fetches_;  // of the render pass
  // Floors, address, bytes, rows and pitch of what is in it.
  std::set<std::tuple<VkDeviceAddress, VkDeviceAddress, uint64_t, uint64_t, uint64_t, NamedRows, DrawnRows>>
      fetched_;
  bool clear_pending_ = false;
  bool reads_ordered_ = false;
  bool in_pass_ = false;
  bool pass_needs_clear_ = false;  // when it ends
  bool suspended_ = false;         // a render pass, in this command buffer
  bool marked_ = false;            // an action with a record came since the last clear
  uint32_t salt_ = 0;
  uint32_t label_ = 0;
  uint32_t index_ = 0;
  bool window_opens_ = false;  // the next action is the first since the last clear
  uint32_t first_since_clear_ = 0;
};

struct CommandBuffers::Impl {
  explicit Impl(Device& its_device) : device(its_device), records(its_device) {}
  ~Impl();

  Device& device;
  RecordMemory records;
  CommandHistory history;
  std::atomic<uint32_t> actions = 0;
  std::atomic<uint32_t> resumed_passes = 0;

  uint32_t next_action();
  // What actions are given that cannot have a record: nothing is checked. Made on the first call; its set is
  // null where there is no memory at all.
  RecordAllocation blank_record();

  // With nothing but the reserved set: that of shader objects that have no descriptors. Made before there are
  // checked ones; null where the driver refuses it.
  VkPipelineLayout own_layout();

  HandleTable<VkCommandBuffer, CommandRecorder> states;
  HandleTable<VkPipeline, std::shared_ptr<const CheckedPipeline>> pipelines;
  std::atomic<bool> any_checked = false;

  mutable std::shared_mutex mutex;  // around what follows
  std::unordered_map<VkPipelineLayout, std::weak_ptr<LayoutLease>> leases;
  VkPipelineLayout own_layout_ = VK_NULL_HANDLE;
  std::unordered_map<VkShaderEXT, bool> shaders;
  struct Pool {
    uint32_t family = 0;
    bool dispatches = false;  // command buffers may have dispatches of the layer's own
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

// The state of a command buffer. Null where there was no memory for it when it was allocated.
inline CommandRecorder* find_recorder(Device& device, VkCommandBuffer handle) noexcept {
  return device.command_buffers.impl().states.find(handle);
}

// What a hook does for the layer; the device, for the command itself. Never throws into the application.
template <typename Work>
Device& with_recorder(VkCommandBuffer handle, const Work& work) noexcept {
  Device& device = device_of(handle);
  if (CommandRecorder* state = find_recorder(device, handle)) guarded([&] { work(device, *state); });
  return device;
}

}  // namespace shaderqa::layer
#endif
