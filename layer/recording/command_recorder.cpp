// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/command_recorder.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "layer/context/instance.h"
#include "layer/engines/exact/direct_slots.h"
#include "layer/engines/exact/exact_engine.h"
#include "layer/engines/exact/written_slots.h"
#include "layer/memory/queue_commands.h"
#include "layer/recording/render_passes.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

constexpr uint32_t kSaltMask = 0xfff;  // as many bits as the hash takes
// Salts of render passes that another command buffer began, from here on: none of its own is the same.
constexpr uint32_t kResumedSalts = 0x800;

VkPipelineBindPoint bind_point_of(BindPoint point) {
  switch (point) {
    case BindPoint::compute:
      return VK_PIPELINE_BIND_POINT_COMPUTE;
    case BindPoint::ray_tracing:
      return VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR;
    case BindPoint::graphics:
      break;
  }
  return VK_PIPELINE_BIND_POINT_GRAPHICS;
}

uint32_t record_alignment(const DeviceFacts& facts) {
  return std::max<uint32_t>(16, static_cast<uint32_t>(facts.limits.minUniformBufferOffsetAlignment));
}

bool has_condition(const VkCommandBufferInheritanceInfo& info) {
  const auto condition = find_in_chain<VkCommandBufferInheritanceConditionalRenderingInfoEXT>(
      info.pNext, VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_CONDITIONAL_RENDERING_INFO_EXT);
  return condition && condition->conditionalRenderingEnable;
}

}  // namespace

CommandRecorder::CommandRecorder(CommandBuffers::Impl& shared, VkCommandBuffer handle, uint32_t family,
                                 bool secondary, bool dispatches)
    : arena(shared.records, record_alignment(shared.device.facts)),
      shared_(shared),
      handle_(handle),
      family_(family),
      secondary_(secondary),
      dispatches_(dispatches),
      recording_(std::make_shared<RecordedCommands>()) {
  if (!shared.device.exact) return;
  exact_.emplace(shared.device);
  exact_->begin(recording_->exact = std::make_shared<ExactRecorded>());
}

CommandRecorder::~CommandRecorder() {
  guarded([&] { retire(); });
}

void CommandRecorder::retire() {
  if (exact_) shared_.device.exact->release_written(*recording_);
  shared_.history.retire(recording_);
}

void CommandRecorder::reset() {
  retire();
  recording_ = std::make_shared<RecordedCommands>();
  recording_->command_buffer = handle_;
  recording_->family = family_;
  if (exact_) exact_->begin(recording_->exact = std::make_shared<ExactRecorded>());
  binds.reset();
  chain_ = {};
  arena.reset();
  render_pass = nullptr;
  subpass = 0;
  submission_ = {};
  clear_pending_ = reads_ordered_ = in_pass_ = pass_needs_clear_ = suspended_ = marked_ = window_opens_ =
      conditional_ = pass_is_ours_ = false;
  gathered_.clear();
  gathered_ranges_ = 0;
  fetches_.clear();
  fetched_.clear();
  salt_ = label_ = index_ = first_since_clear_ = active_queries_ = 0;
}

void CommandRecorder::begin(const VkCommandBufferBeginInfo& info) {
  reset();
  if (exact_) recording_->exact->simultaneous = info.flags & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  // Statistics of the one that executes it may be counted: then not.
  const auto inheritance = secondary_ ? info.pInheritanceInfo : nullptr;
  constexpr VkQueryPipelineStatisticFlags compute =
      VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT;
  can_dispatch_ = dispatches_ && !(inheritance && (inheritance->pipelineStatistics & compute));
  conditional_ = inheritance && has_condition(*inheritance);
  in_pass_ = secondary_ && (info.flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT);
}

void CommandRecorder::end() {
  flush_accesses();
  // What follows knows nothing of this command buffer's barriers.
  recording_->owes_clear = clear_pending_ || pass_needs_clear_ || reads_ordered_ || salt_;
  recording_->last_salt = salt_;
  recording_->chain = chain_;
  if (exact_) exact_->end();
  binds.reset();
  shared_.history.finish(recording_);
}

bool CommandRecorder::has_engine() {
  if (exact_) return shared_.device.exact->require();
  if (!filter_) filter_ = shared_.device.access_filters.require(family_);
  return filter_ != nullptr;
}

bool CommandRecorder::prepare_records() {
  if (!has_engine()) return false;
  if (submission_.memory) return true;
  submission_ = arena.allocate(sizeof(abi::SubmissionState));
  if (!submission_.memory) return false;
  std::memset(submission_.memory, 0, sizeof(abi::SubmissionState));
  recording_->submission = reinterpret_cast<abi::SubmissionState*>(submission_.memory);
  if (exact_) recording_->exact->submission = submission_;
  return true;
}

// What its record holds of it: numbers, floors, the engine's state.
bool CommandRecorder::add_exact(const Action& action, uint32_t* dwords, RecordedAction& entry) {
  entry.main_class = action.point == BindPoint::compute       ? SQA_CLASS_COMPUTE
                     : action.point == BindPoint::ray_tracing ? SQA_CLASS_RAY_TRACING
                                                              : SQA_CLASS_PRE_RASTERIZATION;
  const bool is_draw = action.point == BindPoint::graphics;
  entry.sequences = is_draw ? SQA_FLOOR_COLUMNS : action.indirect.address ? SQA_COLUMN_INDIRECT + 1 : 1;
  const VkDeviceAddress floors = exact_->floors(entry.main_class, arena);
  dwords[SQA_ACTION_ORDERED_BEFORE] = exact_->ordered_before(entry.main_class);
  uint32_t producers = 1u << entry.main_class;
  if (is_draw) producers |= 1u << SQA_CLASS_FRAGMENT;
  if (action.indirect.address) producers |= 1u << SQA_CLASS_INDIRECT;
  if (!floors || !exact_->take_numbers(entry.sequences, producers, entry.sequence)) return false;
  dwords[SQA_ACTION_SEQUENCE] = entry.sequence;
  store_u64(dwords, SQA_ACTION_FLOORS, floors);
  store_u64(dwords, SQA_ACTION_ENGINE, shared_.device.exact->state_address());
  store_u64(dwords, SQA_ACTION_PAGES, shared_.device.exact->pages_address());
  return true;
}

RecordAllocation CommandRecorder::write_record(Binds& bound, const Action& action) {
  if (!prepare_records()) return {};
  const PipelineLayout* layout = bound.checked ? bound.checked->layout.get() : nullptr;
  const size_t sets = layout ? std::min<size_t>(layout->sets.size(), SQA_MAX_SETS) : SQA_MAX_SETS;
  uint32_t dynamic = layout ? 0 : SQA_ACTION_MAX_DYNAMIC;
  if (layout && !layout->first_dynamic.empty()) {
    for (size_t i = 0; i < sets; ++i) {
      if (layout->sets[i]) dynamic += layout->sets[i]->dynamic_count;
    }
    dynamic = std::min<uint32_t>(dynamic, SQA_ACTION_MAX_DYNAMIC);
  }
  find_tables(shared_.device, bound);
  write_pushed_tables(bound, arena);
  const uint32_t bytes = (SQA_ACTION_DYNAMIC + dynamic) * 4;
  const RecordAllocation place = arena.allocate(bytes);
  if (!place.memory) return {};

  // Together first: the memory may be slow to write piecemeal.
  uint32_t dwords[SQA_ACTION_MAX_DWORDS]{};
  const uint32_t number = shared_.next_action();
  const uint32_t flags = reads_ordered_ ? SQA_ACTION_FLAG_READS_ORDERED : 0;
  store_u64(dwords, SQA_ACTION_SELF, place.address);
  dwords[SQA_ACTION_NUMBER] = number;
  dwords[SQA_ACTION_FLAGS] = flags;
  store_u64(dwords, SQA_ACTION_SUBMISSION, submission_.address);
  store_u64(dwords, SQA_ACTION_INDIRECT, action.indirect.address);
  dwords[SQA_ACTION_INDIRECT_BYTES] = action.indirect.bytes;
  RecordedAction entry;
  if (exact_) {
    if (!add_exact(action, dwords, entry)) return {};
    mark_written(shared_.device, bound);
    watch_slots(shared_.device, bound, recording_->exact->unwatched, dwords,
                reinterpret_cast<uint32_t*>(place.memory));
    if (action.point == BindPoint::compute) write_direct_slots(shared_.device, bound, action.row, dwords);
  } else {
    store_u64(dwords, SQA_ACTION_ENGINE, filter_->state_address());
    dwords[SQA_ACTION_SALT] = salt_;
  }
  store_u64(dwords, SQA_ACTION_INDIRECT_COUNT, action.indirect.count_address);
  std::memcpy(dwords + SQA_ACTION_TABLES, bound.tables.data(), sets * sizeof(VkDeviceAddress));
  std::memcpy(dwords + SQA_ACTION_DYNAMIC, bound.dynamic.data(), dynamic * 4);
  std::memcpy(place.memory, dwords, bytes);

  if (window_opens_) first_since_clear_ = number;
  window_opens_ = false;
  entry.number = number;
  entry.index = index_;
  entry.command = action.command;
  entry.arguments = action.arguments;
  entry.argument_count = action.argument_count;
  entry.label = label_;
  entry.first_since_clear = first_since_clear_;
  entry.record = reinterpret_cast<uint32_t*>(place.memory);
  entry.salt = salt_;
  entry.flags = flags;
  recording_->actions.push_back(entry);
  return place;
}

VkPipelineLayout CommandRecorder::binding_layout(const Binds& bound) const {
  if (bound.checked) return bound.checked->lease->handle;
  // Shader objects were made without one: what their sets, or else their push constants, came with fits.
  for (const VkPipelineLayout layout : {bound.layout, bound.constants_layout}) {
    const auto known = layout ? shared_.device.pipeline_layouts.find(layout) : nullptr;
    if (known && known->has_record) return layout;
  }
  return shared_.own_layout();
}

void CommandRecorder::bind_record(const Binds& bound, BindPoint point, VkPipelineLayout layout,
                                  const RecordAllocation& place) {
  const Device& device = shared_.device;
  const uint32_t set = device.pipeline_layouts.record_set();
  if (!bound.checked || !bound.checked->layout->descriptor_buffers) {
    device.next.CmdBindDescriptorSets(handle_, bind_point_of(point), layout, set, 1, &place.set, 1,
                                      &place.offset);
    return;
  }
  const VkDescriptorBufferInfo buffer{place.buffer, place.offset, RecordMemory::kRecordRange};
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  write.pBufferInfo = &buffer;
  device.next.CmdPushDescriptorSet(handle_, bind_point_of(point), layout, set, 1, &write);
}

void CommandRecorder::before_action(const Action& action) {
  Binds& bound = binds.at(action.point);
  Device& device = shared_.device;
  const VkPipelineLayout layout = binding_layout(bound);
  if (!in_pass_) {
    flush_accesses();
    if (clear_pending_)
      clear();
    else
      separate();
  }
  RecordAllocation place = write_record(bound, action);
  use_of(action, place.memory != nullptr);
  if (place.memory) {
    recording_->checked = true;
    marked_ = true;
    chain_.at_start = false;
  } else {
    device.note("record memory", "there is no memory to check the accesses of some actions");
    place = shared_.blank_record();
    if (!place.set) return;
  }
  bind_record(bound, action.point, layout, place);
}

void CommandRecorder::use_unfollowed(BindPoint point) {
  VkPipelineStageFlags2 stages = VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT;
  if (point == BindPoint::compute) stages = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
  if (point == BindPoint::ray_tracing) stages = VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR;
  use_memory(stages | VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_2_COMMAND_PREPROCESS_BIT_EXT |
                 VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT,
             kUsesUnfollowed | kUsesImages);
}

void CommandRecorder::use_unknown() {
  use_memory(VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, kUsesUnfollowed | kUsesImages);
}

void CommandRecorder::use_of(const Action& action, bool has_record) {
  // Nobody listens: not for every action.
  if (!shared_.device.instance->lists_redundant()) return;
  const Binds& bound = binds.at(action.point);
  const bool direct = std::string_view(action.command).starts_with("vkCmdDispatch") && !conditional_;
  if (!has_record || !direct || !bound.checked || !bound.checked->footprints_complete ||
      bound.checked_shaders)
    return use_unfollowed(action.point);
  // Where it makes no workgroups, no shader reads its arguments.
  if (std::string_view(action.command) == "vkCmdDispatchIndirect")
    use_memory(VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT, kUsesUnfollowed);
  use_memory(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, kUsesFollowed);
}

void CommandRecorder::clear() {
  if (!prepare_records()) return;
  if (filter_->has_filter()) {
    filter_->record_clear(shared_.device, handle_, shared_.device.access_filters.next_dispatch_id());
    if (!recording_->checked) recording_->begins_with_clear = true;
  }
  clear_pending_ = reads_ordered_ = marked_ = false;
  window_opens_ = true;
  first_since_clear_ = 0;
  salt_ = 0;
}

void CommandRecorder::separate() {
  if (prepare_records() && (exact_ || filter_->has_filter())) record_separation(shared_.device, handle_);
}

// From here on other buckets are marked, until the clear that this makes necessary.
void CommandRecorder::add_salt(uint32_t salt) {
  salt_ = (salt_ + salt) & kSaltMask;
  reads_ordered_ = false;
  window_opens_ = true;
}

void CommandRecorder::synchronise(const char* command, std::span<const Dependency> dependencies,
                                  const char* not_judged) {
  if (in_pass_) not_judged = "it is part of a render pass";
  if (in_pass_ && !dependencies.empty()) forget_late_fetches();
  if (exact_) return exact_->synchronise({command, index_, label_, not_judged}, dependencies);
  CommandDependencies together(chain_);
  for (const Dependency& dependency : dependencies) together.add(dependency);
  apply(together.apply(chain_));
}

// To the filter, setting an event alone orders nothing: what waits for it says the stages of both sides.
void CommandRecorder::wait_events(const char* command, const std::vector<EventWait>& waits) {
  std::vector<Dependency> all;
  for (const auto& [event, dependencies] : waits) {
    all.insert(all.end(), dependencies.begin(), dependencies.end());
  }
  if (!exact_) return synchronise(command, all);
  const OrderState before = exact_->order();
  for (const auto& [event, dependencies] : waits) exact_->wait_event(event, dependencies, before);
  exact_->note_barrier({command, index_, label_, "it waits for an event", true}, std::move(all));
}

void CommandRecorder::set_event(VkEvent event) {
  if (exact_) exact_->set_event(event);
}

void CommandRecorder::apply(BarrierEffect effect) {
  switch (effect) {
    case BarrierEffect::nothing:
      break;
    case BarrierEffect::reads_ordered:
      reads_ordered_ = true;
      break;
    case BarrierEffect::clear:
      if (in_pass_) {
        add_salt(1);
        pass_needs_clear_ = true;
      } else {
        clear_pending_ = true;
      }
      break;
  }
}

void CommandRecorder::begin_pass(bool resuming) {
  flush_accesses();
  use_memory(VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT, kUsesImages);
  in_pass_ = true;
  pass_is_ours_ = !resuming;
  if (resuming) {
    if (!suspended_) {
      recording_->resumes = recording_->resumes || index_ == 0;
      if (!exact_) {
        add_salt(kResumedSalts | (shared_.resumed_passes.fetch_add(1, std::memory_order_relaxed) & 0x7ff));
        pass_needs_clear_ = true;
      }
    }
    suspended_ = false;
    return;
  }
  if (!clear_pending_) {
    if (marked_) separate();
    return;
  }
  // Where nothing of this command buffer fills the filter the clear can wait for the end of the pass.
  if (marked_) {
    clear();
  } else {
    add_salt(1);
  }
}

void CommandRecorder::end_pass(bool suspending) {
  use_memory(VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT, kUsesImages);
  in_pass_ = false;
  render_pass = nullptr;
  suspended_ = suspending;
  if (suspending) {
    fetches_.clear();
    fetched_.clear();
    return;
  }
  clear_pending_ = clear_pending_ || pass_needs_clear_;
  pass_needs_clear_ = false;
}

void CommandRecorder::execute(const std::shared_ptr<RecordedCommands>& secondary) {
  if (exact_) {
    if (in_pass_) forget_late_fetches();
    flush_accesses();
    exact_->execute(secondary, handle_, in_pass_, arena);
    recording_->checked = recording_->checked || secondary->checked;
    marked_ = marked_ || secondary->checked;
    return;
  }
  if (secondary->checked) {
    if (!in_pass_ && (clear_pending_ || reads_ordered_)) clear();
    // Its records were written before anyone knew where it would be executed.
    const uint32_t flags = reads_ordered_ ? SQA_ACTION_FLAG_READS_ORDERED : 0;
    if (salt_ != secondary->outer_salt || flags != secondary->outer_flags) {
      for (const RecordedAction& action : secondary->actions) {
        action.record[SQA_ACTION_FLAGS] = action.flags | flags;
        action.record[SQA_ACTION_SALT] = (action.salt + salt_) & kSaltMask;
      }
      secondary->outer_salt = salt_;
      secondary->outer_flags = flags;
    }
    recording_->checked = true;
    recording_->secondaries.push_back(secondary);
    marked_ = true;
    chain_.at_start = false;
    window_opens_ = false;
    first_since_clear_ = 0;
  }
  if (in_pass_ && secondary->last_salt) {
    add_salt(secondary->last_salt);
    pass_needs_clear_ = true;
  }
  if (secondary->owes_clear) (in_pass_ ? pass_needs_clear_ : clear_pending_) = true;
  chain_.ordered |= secondary->chain.ordered;
  chain_.available = chain_.available || secondary->chain.available;
}

void CommandRecorder::begin_label(const char* name) {
  recording_->labels.push_back({label_, name ? name : ""});
  label_ = static_cast<uint32_t>(recording_->labels.size());
}

// A command buffer may end a label that an earlier one of its queue began.
void CommandRecorder::end_label() {
  if (label_) label_ = recording_->labels[label_ - 1].parent;
}

}  // namespace shaderqa::layer
