// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/command_buffers.h"

#include <algorithm>
#include <cstring>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_submission.h"
#include "layer/context/instance.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/recording/command_recorder.h"

namespace shaderqa::layer {
CommandBuffers::CommandBuffers(Device& device) : impl_(std::make_unique<Impl>(device)) {}

CommandBuffers::~CommandBuffers() {
  if (impl_->device.instance->in_forked_child()) static_cast<void>(impl_.release());
}

bool CommandBuffers::has_records() {
  if (impl_->blank_record().set) return true;
  impl_->device.note("action records", "sync is not checked: there is no memory for the records of actions");
  return false;
}

std::shared_ptr<CheckedPipeline> CommandBuffers::describe_pipeline(VkPipelineLayout layout) const {
  auto checked = std::make_shared<CheckedPipeline>();
  checked->layout = impl_->device.pipeline_layouts.find(layout);
  if (!checked->layout) return nullptr;
  checked->lease = checked->layout->with_constant;
  if (!checked->lease)
    checked->lease =
        checked->layout->twin ? checked->layout->twin : impl_->device.leases.layouts.borrow(layout);
  const auto& sets = checked->layout->sets;
  checked->sets = std::min<uint32_t>(static_cast<uint32_t>(sets.size()), SQA_MAX_SETS);
  for (uint32_t i = 0; i < checked->sets; ++i) checked->dynamic += sets[i] ? sets[i]->dynamic_count : 0;
  checked->dynamic = std::min<uint32_t>(checked->dynamic, SQA_ACTION_MAX_DYNAMIC);
  return checked->lease ? checked : nullptr;
}

void CommandBuffers::add_checked_pipeline(VkPipeline pipeline, VkPipelineLayout layout, bool own,
                                          bool footprints_complete) {
  std::shared_ptr<CheckedPipeline> checked = describe_pipeline(layout);
  if (!checked) return;
  checked->footprints_complete = footprints_complete;
  if (!checked->layout->has_record && !(own && checked->by_constant())) {
    impl_->device.note("linked without a record",
                       "a pipeline is linked with a layout that has no place for the descriptor set that the "
                       "check of its libraries needs: what it does is not defined; run it without --sync");
    return;
  }
  add_checked_pipeline(pipeline, std::move(checked));
}

void CommandBuffers::add_checked_pipeline(VkPipeline pipeline,
                                          std::shared_ptr<const CheckedPipeline> checked) {
  impl_->pipelines.emplace(pipeline, std::move(checked));
  impl_->any_checked.store(true, std::memory_order_release);
}

void CommandBuffers::add_checked_pipeline(VkPipeline pipeline, std::span<const VkPipeline> libraries) {
  for (const VkPipeline library : libraries) {
    if (auto known = find_pipeline(library)) return impl_->pipelines.emplace(pipeline, std::move(known));
  }
}

void CommandBuffers::remove_pipeline(VkPipeline pipeline) {
  if (!impl_->any_checked.load(std::memory_order_acquire)) return;
  impl_->pipelines.erase(pipeline);
}

std::shared_ptr<const CheckedPipeline> CommandBuffers::find_pipeline(VkPipeline pipeline) const {
  if (!impl_->any_checked.load(std::memory_order_acquire)) return nullptr;
  const auto found = impl_->pipelines.find(pipeline);
  return found ? *found : nullptr;
}

bool CommandBuffers::can_check_shaders() { return impl_->own_layout() != VK_NULL_HANDLE; }

void CommandBuffers::add_shader(VkShaderEXT shader, const KnownShader& known) {
  const std::unique_lock lock(impl_->mutex);
  impl_->shaders[shader] = known;
  impl_->any_checked.store(true, std::memory_order_release);
}

void CommandBuffers::remove_shader(VkShaderEXT shader) {
  if (!impl_->any_checked.load(std::memory_order_acquire)) return;
  const std::unique_lock lock(impl_->mutex);
  impl_->shaders.erase(shader);
}

std::optional<CommandBuffers::KnownShader> CommandBuffers::find_shader(VkShaderEXT shader) const {
  if (!impl_->any_checked.load(std::memory_order_acquire)) return std::nullopt;
  const std::shared_lock lock(impl_->mutex);
  const auto found = impl_->shaders.find(shader);
  return found == impl_->shaders.end() ? std::nullopt : std::optional(found->second);
}

void CommandBuffers::name(VkCommandBuffer command_buffer, const std::string& name) {
  impl_->history.name(command_buffer, name);
}

std::string CommandBuffers::name_of(const RecordedCommands& recording) const {
  return impl_->history.name_of(recording);
}

std::optional<ActionOrigin> CommandBuffers::find_action(uint32_t number) const {
  return impl_->history.find(number);
}

std::vector<std::string> CommandBuffers::commands_around(uint32_t number) const {
  return impl_->history.around(number);
}

const LastRecorder& look_up_recorder(VkCommandBuffer handle) noexcept {
  LastRecorder& last = last_recorder_of_thread;
  last.lookups = recorder_lookups.load(std::memory_order_acquire);
  last.device = &device_of(handle);
  last.recorder = last.device->command_buffers.impl().states.find(handle);
  last.handle = handle;
  return last;
}

CommandBuffers::Impl::~Impl() {
  forget_last_recorders();
  if (own_layout_) device.next.DestroyPipelineLayout(device.handle, own_layout_, nullptr);
}

VkPipelineLayout CommandBuffers::Impl::own_layout() {
  {
    const std::shared_lock lock(mutex);
    if (own_layout_) return own_layout_;
  }
  const VkDescriptorSetLayout record = device.pipeline_layouts.record_set_layout();
  const VkDescriptorSetLayout empty = device.pipeline_layouts.empty_set_layout();
  if (!record || !empty) return VK_NULL_HANDLE;
  std::vector<VkDescriptorSetLayout> sets(device.pipeline_layouts.record_set(), empty);
  sets.push_back(record);
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = static_cast<uint32_t>(sets.size());
  info.pSetLayouts = sets.data();
  VkPipelineLayout made = VK_NULL_HANDLE;
  if (device.next.CreatePipelineLayout(device.handle, &info, nullptr, &made) != VK_SUCCESS) {
    return VK_NULL_HANDLE;
  }
  VkPipelineLayout superfluous = made;
  {
    const std::unique_lock lock(mutex);
    if (!own_layout_) std::swap(own_layout_, superfluous);
    made = own_layout_;
  }
  if (superfluous) device.next.DestroyPipelineLayout(device.handle, superfluous, nullptr);
  return made;
}

uint32_t CommandBuffers::Impl::next_action() {
  uint32_t number = 0;
  while (number == 0) number = actions.fetch_add(1, std::memory_order_relaxed) + 1;
  return number;
}

RecordAllocation CommandBuffers::Impl::blank_record() {
  {
    const std::shared_lock lock(mutex);
    if (blank.set) return blank;
  }
  // The record, an engine's state that says that nothing is checked, a submission: all zeros except for the
  // addresses.
  constexpr uint32_t engine = SQA_ACTION_MAX_DWORDS * 4;
  constexpr uint32_t submission = engine + 256;
  constexpr uint32_t bytes = submission + sizeof(abi::SubmissionState);
  static_assert(bytes <= RecordMemory::kChunkBytes);
  const RecordMemory::Chunk chunk = records.acquire();
  if (!chunk.block) return {};
  RecordAllocation place;
  place.memory = chunk.block->buffer->mapped() + chunk.offset;
  place.address = chunk.block->buffer->address() + chunk.offset;
  place.set = chunk.block->set;
  place.offset = chunk.offset;
  place.buffer = chunk.block->buffer->handle();
  uint32_t dwords[bytes / 4]{};
  const uint64_t addresses[] = {place.address, place.address + engine, place.address + submission};
  std::memcpy(dwords + SQA_ACTION_SELF, &addresses[0], 8);
  std::memcpy(dwords + SQA_ACTION_ENGINE, &addresses[1], 8);
  std::memcpy(dwords + SQA_ACTION_SUBMISSION, &addresses[2], 8);
  std::memcpy(place.memory, dwords, sizeof dwords);
  const std::unique_lock lock(mutex);
  if (!blank.set) blank = place;  // else another thread was first, and this chunk is not used
  return blank;
}

void CommandBuffers::Impl::add_pool(VkCommandPool pool, const VkCommandPoolCreateInfo& info) {
  const uint32_t family = info.queueFamilyIndex;
  const std::vector<bool>& compute = device.facts.compute_families;
  // A protected command buffer must not write to the layer's memory, which is not.
  const bool dispatches =
      family < compute.size() && compute[family] && !(info.flags & VK_COMMAND_POOL_CREATE_PROTECTED_BIT);
  const std::unique_lock lock(mutex);
  pools[pool] = {family, dispatches, std::make_shared<PoolUse>(), {}};
}

void CommandBuffers::Impl::reset_pool(VkCommandPool pool) {
  std::vector<CommandRecorder*> of_pool;
  {
    const std::shared_lock lock(mutex);
    const auto found = pools.find(pool);
    if (found == pools.end()) return;
    for (const VkCommandBuffer handle : found->second.buffers) {
      if (CommandRecorder* state = states.find(handle)) of_pool.push_back(state);
    }
  }
  for (CommandRecorder* state : of_pool) state->reset();
}

void CommandBuffers::Impl::remove_pool(VkCommandPool pool) {
  Pool removed;
  forget_last_recorders();
  {
    const std::unique_lock lock(mutex);
    const auto found = pools.extract(pool);
    if (!found) return;
    removed = std::move(found.mapped());
  }
  for (const VkCommandBuffer handle : removed.buffers) states.erase(handle);
}

void CommandBuffers::Impl::add(VkCommandPool pool, const VkCommandBuffer* buffers, uint32_t count,
                               bool secondary) {
  forget_last_recorders();
  const std::unique_lock lock(mutex);
  Pool& its_pool = pools[pool];
  if (!its_pool.use) its_pool.use = std::make_shared<PoolUse>();
  for (uint32_t i = 0; i < count; ++i) {
    states.emplace(buffers[i], *this, buffers[i], its_pool.family, secondary, its_pool.dispatches,
                   its_pool.use);
    its_pool.buffers.push_back(buffers[i]);
  }
}

void CommandBuffers::Impl::remove(VkCommandPool pool, const VkCommandBuffer* buffers, uint32_t count) {
  forget_last_recorders();
  for (uint32_t i = 0; i < count; ++i) states.erase(buffers[i]);
  const std::unique_lock lock(mutex);
  Pool& its_pool = pools[pool];
  for (uint32_t i = 0; i < count; ++i) std::erase(its_pool.buffers, buffers[i]);
}

}  // namespace shaderqa::layer
