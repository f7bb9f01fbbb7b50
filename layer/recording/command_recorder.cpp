// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/command_recorder.h"

#include <algorithm>
#include <cstring>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_descriptors.h"
#include "layer/context/instance.h"
#include "layer/pipelines/checked_versions.h"
#include "layer/recording/record_address.h"
#include "layer/recording/render_passes.h"
#include "layer/resources/heap_tables.h"
#include "layer/resources/image_table.h"
#include "layer/vk/descriptor_heap.h"
#include "layer/vk/mask_names.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

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

ActionKind action_kind(BindPoint point) {
  switch (point) {
    case BindPoint::compute:
      return ActionKind::dispatch;
    case BindPoint::ray_tracing:
      return ActionKind::trace;
    case BindPoint::graphics:
      break;
  }
  return ActionKind::draw;
}

// Memory of the device combines writes that fill lines from their begin, and is slow with others. The target
// is aligned for uniform buffers, which is a line or more where that memory is slow.
void copy_lines(const uint32_t* dwords, std::byte* target, uint32_t bytes) {
  constexpr uint32_t line = 64;
  uint32_t done = 0;
  for (; done + line <= bytes; done += line) std::memcpy(target + done, dwords + done / 4, line);
  std::memcpy(target + done, dwords + done / 4, bytes - done);
}

bool has_condition(const VkCommandBufferInheritanceInfo& info) {
  const auto condition = find_in_chain<VkCommandBufferInheritanceConditionalRenderingInfoEXT>(
      info.pNext, VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_CONDITIONAL_RENDERING_INFO_EXT);
  return condition && condition->conditionalRenderingEnable;
}

}  // namespace

CommandRecorder::CommandRecorder(CommandBuffers::Impl& shared, VkCommandBuffer its_handle,
                                 uint32_t its_family, bool is_secondary, bool dispatches,
                                 std::shared_ptr<PoolUse> use)
    : RecordingState(shared.device, shared.records, its_handle, its_family, is_secondary),
      shared_(shared),
      dispatches_(dispatches),
      follows_use_(shared.device.engine->needs.memory_use),
      fetches_input_(shared.device.engine->needs.command_accesses),
      counts_all_(!shared.device.checks_sync()),
      traces_(shared.device.instance->possible.trace),
      leaves_crumbs_(shared.device.instance->settings.breadcrumbs),
      covers_(shared.device.instance->checks->has_selection()),
      // A submission can leave out the accesses of an engine, not a trace or a picture.
      switch_(*shared.device.instance->checks, std::move(use), is_secondary,
              shared.device.engine->needs.left_out_at_submission && !traces_ &&
                  !shared.device.instance->possible.pictures),
      engine_(shared.device.engine->make_recorder(*this)) {
  engine_->reset();
}

CommandRecorder::~CommandRecorder() {
  guarded([&] { retire(); });
}

void CommandRecorder::retire() {
  switch_.retire(*recorded);
  engine_->retire();
  shared_.history.retire(recorded);
}

void CommandRecorder::reset() {
  retire();
  clear();
  render_pass = nullptr;
  pass_layouts.clear();
  set_events_.clear();
  subpass = 0;
  engine_->reset();
}

void CommandRecorder::begin(const VkCommandBufferBeginInfo& info) {
  reset();
  switch_.begin(info, *recorded);
  recorded->simultaneous = info.flags & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  recorded->late_aliases.begin = device.images.late_aliases();
  selected_ = true;
  feedback_ = false;
  engine_->begin(info);
  // Its barriers are not followed.
  if (recorded->left_out) engine_->pass_unknown();
  // Where statistics of the primary command buffer may be counted, dispatches of the layer's own would be.
  const auto inheritance = secondary ? info.pInheritanceInfo : nullptr;
  constexpr VkQueryPipelineStatisticFlags compute =
      VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT;
  can_dispatch = dispatches_ && !(inheritance && (inheritance->pipelineStatistics & compute));
  conditional = inheritance && has_condition(*inheritance);
  const auto heaps = inheritance ? find_in_chain<VkCommandBufferInheritanceDescriptorHeapInfoEXT>(
                                       inheritance->pNext,
                                       VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_DESCRIPTOR_HEAP_INFO_EXT)
                                 : nullptr;
  if (heaps) binds.use_heaps().inherit(*heaps);
  in_pass = secondary && (info.flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT);
}

void CommandRecorder::end() {
  recorded->action_count += index;
  recorded->late_aliases.end = device.images.late_aliases();
  if (recorded->left_out) engine_->pass_unknown();
  engine_->end();
  binds.reset();
  shared_.history.finish(recorded);
}

RecordAllocation CommandRecorder::write_record(Binds& bound, const Action& action) {
  if (!engine_->prepare()) {
    note_record_memory(device);
    return {};
  }
  const CheckedPipeline* const checked = bound.checked.get();  // null: shader objects
  const uint32_t sets = checked ? checked->sets : SQA_MAX_SETS;
  const uint32_t dynamic = checked ? checked->dynamic : SQA_ACTION_MAX_DYNAMIC;
  // Only compute shaders have direct descriptors.
  const bool direct = action.point == BindPoint::compute && (!checked || checked->layout->has_direct);
  const HeapTables* const heaps = heap_tables(bound);
  find_tables(device, bound);
  if (heaps) binds.set_pushed_addresses(device, bound, *heaps);
  write_pushed_tables(bound, arena);
  const bool buffered_images =
      device.engine->needs.images && (heaps || (checked && checked->layout->descriptor_buffers));
  const uint32_t end =
      std::max<uint32_t>(SQA_ACTION_DYNAMIC + dynamic, buffered_images ? SQA_ACTION_BUFFERED_END : 0);
  const uint32_t bytes = (direct ? SQA_ACTION_MAX_DWORDS : end) * 4;
  const RecordAllocation place = arena.allocate(bytes);
  if (!place.memory) {
    note_record_memory(device);
    return {};
  }

  // Built here first: the memory may be slow to write piecemeal.
  uint32_t dwords[SQA_ACTION_MAX_DWORDS];
  std::memset(dwords, 0, bytes);
  const uint32_t number = next_action();
  store_u64(dwords, SQA_ACTION_SELF, place.address);
  dwords[SQA_ACTION_NUMBER] = number;
  store_u64(dwords, SQA_ACTION_SUBMISSION, recorded->submission.address);
  store_u64(dwords, SQA_ACTION_INDIRECT, action.indirect.address);
  dwords[SQA_ACTION_INDIRECT_BYTES] =
      static_cast<uint32_t>(std::min<uint64_t>(action.indirect.all_bytes(), UINT32_MAX));
  store_u64(dwords, SQA_ACTION_INDIRECT_COUNT, action.indirect.count_address);
  std::memcpy(dwords + SQA_ACTION_TABLES, bound.tables.data(), sets * sizeof(VkDeviceAddress));
  if (checked && checked->layout->descriptor_buffers)
    binds.write_buffered_sets(action.point, *checked->layout, dwords);
  std::memcpy(dwords + SQA_ACTION_DYNAMIC, bound.dynamic.data(), dynamic * 4);
  if (heaps) binds.write_heap_tables(*heaps, dwords);
  auto* const target = reinterpret_cast<uint32_t*>(place.memory);
  if (!engine_->fill_record(action, bound, {number, dwords, target})) return {};
  if (bound.direct && !engine_->found_directly()) bind_version(action.point, WantedVersion::by_page);
  if (checked && !bound.checked) {  // the driver has refused it; the device may be told of the record anyway
    copy_lines(dwords, place.memory, bytes);
    return {};
  }
  VkDeviceAddress views = 0;
  if (LayoutSteps* const steps = layouts())
    views = steps->action(device, bound, action.point, number, target, buffered_images ? &arena : nullptr);
  if (buffered_images) {
    store_u64(dwords, SQA_ACTION_VIEW_LAYOUTS, views);
    store_u64(dwords, SQA_ACTION_DRAWN, action.point == BindPoint::graphics ? drawn_list() : 0);
  }
  copy_lines(dwords, place.memory, bytes);

  RecordedAction& entry = recorded->actions.emplace_back();
  entry.number = number;
  entry.index = index;
  entry.command = action.command;
  entry.kind = action_kind(action.point);
  entry.arguments = action.arguments;
  entry.workgroups = action.workgroups;
  entry.label = label;
  return place;
}

VkPipelineLayout CommandRecorder::binding_layout(const Binds& bound) const {
  if (bound.by_push_data()) return VK_NULL_HANDLE;
  if (bound.checked) return bound.checked->lease->handle;
  // Shader objects have no layout of their own: that of their sets, or else of their push constants, fits.
  for (const VkPipelineLayout layout : {bound.layout, bound.constants_layout}) {
    const auto known = layout ? device.pipeline_layouts.find(layout) : nullptr;
    if (known && known->has_record) return layout;
  }
  return shared_.own_layout();
}

void CommandRecorder::bind_record(const Binds& bound, BindPoint point, VkPipelineLayout layout,
                                  const RecordAllocation& place) {
  const uint32_t set = device.pipeline_layouts.record_set();
  if (!bound.checked || !bound.checked->layout->descriptor_buffers) {
    device.next.CmdBindDescriptorSets(handle, bind_point_of(point), layout, set, 1, &place.set, 1,
                                      &place.offset);
    return;
  }
  const VkDescriptorBufferInfo buffer{place.buffer, place.offset, RecordMemory::kRecordRange};
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  write.pBufferInfo = &buffer;
  device.next.CmdPushDescriptorSet(handle, bind_point_of(point), layout, set, 1, &write);
}

void CommandRecorder::before_action(const Action& action) {
  Binds& bound = binds.at(action.point);
  const VkPipelineLayout layout = binding_layout(bound);
  if (recorded->left_out || !selected_) {
    leave_out(bound);
    if (const RecordAllocation blank = shared_.blank_record(); blank.set)
      bind_record_and_keep_sets(bound, action.point, layout, blank);
    return;
  }
  if (!in_pass) engine_->before_action();
  RecordAllocation place = write_record(bound, action);
  use_of(action, place.memory != nullptr);
  if (place.memory) {
    recorded->checked = true;
    ++recorded->checked_actions;
    if (covers_) recorded->coverage.add(device, bound);
    engine_->action_recorded();
  } else {
    ++recorded->unchecked_actions;
    place = shared_.blank_record();
    if (!place.set || !bound.needs_record()) return;
  }
  bind_record_and_keep_sets(bound, action.point, layout, place);
}

void CommandRecorder::bind_record_and_keep_sets(Binds& bound, BindPoint point, VkPipelineLayout layout,
                                                const RecordAllocation& place) {
  if (const RecordPlace in_data = record_in_push_data(bound); in_data.offset != RecordPlace::kNowhere) {
    if (!binds.heaps().valid()) binds.disturb_sets_and_constants();
    return binds.heaps().push_record(device, handle, in_data, place.address);
  }
  binds.heaps().disturb();
  if (bound.checked && bound.checked->by_constant())
    return push_record_address(device, handle, bind_point_of(point), bound, binds.constants(), place.address);
  bind_record(bound, point, layout, place);
  bound.moved_to = VK_NULL_HANDLE;
  const PipelineLayout* const described =
      bound.checked ? bound.checked->layout.get() : device.pipeline_layouts.peek(layout);
  if (described) disturb_sets(device, bound, layout, *described);
}

// The sets that the bound pipeline may use; all of them where that is not known.
void CommandRecorder::restore_disturbed(BindPoint point) {
  Binds& bound = binds.at(point);
  if (binds.heaps().is_touched()) binds.heaps().restore(device, handle, record_in_push_data(bound).offset);
  // It has them bound its own way, or needs none.
  if (bound.by_push_data() || (bound.checked && bound.checked->by_constant())) return;
  if (binds.constants().disturbed()) restore_constants(device, handle, binds.constants());
  const size_t count = bound.checked ? bound.checked->layout->sets.size() : SQA_MAX_SETS;
  restore_sets(device, handle, bind_point_of(point), bound, static_cast<uint32_t>(count));
}

bool CommandRecorder::record_accesses(const CommandAccesses& accesses) {
  const uint32_t number = accesses.same_command ? index : index + 1;
  if (!switch_.selects_actions() || switch_.selects(number, label, *recorded))
    return engine_->record_accesses(accesses);
  if (!accesses.ranges.empty()) index = number;
  return false;
}

bool CommandRecorder::checks_next() {
  return !recorded->left_out && (!switch_.selects_actions() || switch_.selects(index + 1, label, *recorded));
}

// It is selected with the first draw that it can have.
void CommandRecorder::record_attachments(CommandAccesses&& pass) {
  if (checks_next()) engine_->record_attachments(std::move(pass));
}

void CommandRecorder::count_without_record(const Binds& bound) {
  if (bound.unchecked) {
    device.checked_versions.count_unchecked();
    ++recorded->unchecked_actions;
  }
  if (bound.left_out) leave_out(bound);
  // Without records there is no other sign that an action is checked.
  if (!counts_all_ || !bound.own || bound.unchecked || bound.left_out) return;
  ++recorded->checked_actions;
  recorded->coverage.add(device, bound);
}

// What it writes is not known, and whether it orders what others write is not followed.
void CommandRecorder::leave_out(const Binds& bound) {
  ++recorded->left_out_actions;
  if (covers_) PartCoverage::left_out(bound, *device.instance->summary);
  if (recorded->left_out) {
    ++recorded->late_actions;
  } else if (bound.may_order) {
    engine_->pass_unknown();
  }
}

WantedVersion CommandRecorder::wanted_version() const {
  if (!recorded->left_out) return WantedVersion::checked;
  return switch_.prepares() ? WantedVersion::own_soon : WantedVersion::own;
}

void CommandRecorder::select_action(BindPoint point) {
  selected_ = switch_.selects(index, label, *recorded);
  const Binds& bound = binds.at(point);
  if (!bound.own || feedback_ || bound.left_out == !selected_) return;
  bind_version(point, selected_ ? WantedVersion::checked : WantedVersion::own);
}

void CommandRecorder::bind_for_indirect(BindPoint point) {
  const Binds& bound = binds.at(point);
  if (bound.own && !bound.unchecked && !bound.left_out) bind_version(point, WantedVersion::indirect);
}

// All versions have the same layout and the same state, so nothing else that is bound or set is disturbed.
void CommandRecorder::bind_version(BindPoint point, WantedVersion wanted) {
  Binds& bound = binds.at(point);
  const BoundPipeline version = device.checked_versions.bind(bound.own, wanted);
  bound.checked = version.record;
  bound.unchecked = version.unchecked;
  bound.left_out = version.left_out;
  bound.checks_indirect = version.checks_indirect;
  bound.direct = version.direct;
  bound.coverage = version.coverage;
  if (bound.pipeline == version.pipeline) return;
  bound.pipeline = version.pipeline;
  device.next.CmdBindPipeline(handle, bind_point_of(point), version.pipeline);
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
  if (LayoutSteps* const steps = layouts()) steps->forget_all();
  use_memory(VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, kUsesUnfollowed | kUsesImages);
}

void CommandRecorder::use_of(const Action& action, bool has_record) {
  if (!follows_use_) return;
  const Binds& bound = binds.at(action.point);
  const bool dispatches = action.dispatch != DispatchKind::none && !conditional;
  if (!has_record || !dispatches || !bound.checked || !bound.checked->footprints_complete ||
      bound.checked_shaders)
    return use_unfollowed(action.point);
  // If it makes no workgroups, no shader reads its arguments.
  if (action.dispatch == DispatchKind::indirect)
    use_memory(VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT, kUsesUnfollowed);
  use_memory(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, kUsesFollowed);
}

void CommandRecorder::leave_crumb(const char* command, std::span<const Dependency> dependencies) {
  constexpr size_t kMostShown = 4;
  if (recorded->crumbs.size() == RecordedCommands::kMostCrumbs) return;
  const auto side = [](VkPipelineStageFlags2 stages, VkAccessFlags2 accesses) {
    return stages_text(stages) + (accesses ? ", " + accesses_text(accesses) : "");
  };
  std::string text = std::string(command) + ":";
  size_t shown = 0, left_out = 0;
  for (const Dependency& one : dependencies) {
    // A command of the first generation begins with its stages alone, and the others repeat them.
    const bool stages_alone = !one.source_access && !one.destination_access;
    if (stages_alone && &one != &dependencies.back()) continue;
    if (shown == kMostShown) {
      ++left_out;
      continue;
    }
    text += shown++ ? "; " : " ";
    text += side(one.source_stages, one.source_access) + " -> " +
            side(one.destination_stages, one.destination_access);
  }
  if (left_out) text += "; and " + std::to_string(left_out) + " more";
  recorded->crumbs.push_back({index, std::move(text)});
}

void CommandRecorder::synchronise(SynchronizationPoint point, std::span<const Dependency> dependencies) {
  if (recorded->left_out) return;
  if (leaves_crumbs_) leave_crumb(point.name, dependencies);
  if (in_pass) point.not_judged = "it is part of a render pass";
  point.actions = index;
  point.label = label;
  engine_->synchronise(point, dependencies);
}

void CommandRecorder::wait_events(const char* command, std::span<const EventWait> waits) {
  if (recorded->left_out) return;
  if (leaves_crumbs_)
    for (const EventWait& wait : waits) leave_crumb(command, wait.dependencies);
  engine_->wait_events(
      {command, SynchronizationPoint::Kind::event_wait, "it waits for an event", index, label}, waits);
}

void CommandRecorder::begin_pass(bool resuming) {
  engine_->flush_accesses();
  use_memory(VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT, kUsesImages);
  in_pass = true;
  pass_is_ours = !resuming;
  if (resuming && !suspended) recorded->resumes = recorded->resumes || index == 0;
  engine_->begin_pass(!resuming   ? PassBegin::begins
                      : suspended ? PassBegin::resumes
                                  : PassBegin::resumes_of_others);
  if (resuming) suspended = false;
}

void CommandRecorder::end_pass(bool suspending) {
  use_memory(VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT, kUsesImages);
  in_pass = false;
  pass_fragments = 0;
  written_attachments.reset();
  render_pass = nullptr;
  suspended = suspending;
  engine_->end_pass(suspending);
}

void CommandRecorder::add_traceable(BindPoint point, const Binds& bound) {
  if (recorded->traceable.size() >= RecordedCommands::kMostTraceable) {
    recorded->traceable_left_out = true;
    return;
  }
  std::vector<std::string> labels;
  for (uint32_t inner = label; inner; inner = recorded->labels[inner - 1].parent)
    labels.push_back(recorded->labels[inner - 1].name);
  std::ranges::reverse(labels);
  const auto* const before = recorded->traceable.empty() ? nullptr : recorded->traceable.back().labels.get();
  recorded->traceable.push_back({index, action_kind(point),
                                 before && *before == labels
                                     ? recorded->traceable.back().labels
                                     : std::make_shared<const std::vector<std::string>>(std::move(labels)),
                                 bound.coverage});
}

void CommandRecorder::execute(const std::shared_ptr<RecordedCommands>& executed) {
  if (recorded->left_out) engine_->pass_unknown();
  if (LayoutSteps* const steps = executed->layouts ? layouts() : nullptr) steps->execute(executed);
  engine_->execute(executed);
  if (recorded->left_out) engine_->pass_unknown();
  executed->submissions.fetch_add(1, std::memory_order_relaxed);
  recorded->add(*executed);
  if (covers_) recorded->coverage.add(executed->coverage);
}

// A conditional block would discard a dispatch of the layer's own, too.
void CommandRecorder::condition(bool on) {
  engine_->flush_accesses();
  conditional = on;
}

// The query would count a dispatch of the layer's own.
void CommandRecorder::begin_query() {
  engine_->flush_accesses();
  ++active_queries;
}

void CommandRecorder::begin_label(const char* name) {
  recorded->labels.push_back({label, name ? name : ""});
  label = static_cast<uint32_t>(recorded->labels.size());
}

// A command buffer may end a label that an earlier one of its queue began.
void CommandRecorder::end_label() {
  if (label) label = recorded->labels[label - 1].parent;
}

}  // namespace shaderqa::layer
