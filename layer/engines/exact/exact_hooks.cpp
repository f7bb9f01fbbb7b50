// SPDX-License-Identifier: Apache-2.0
// What the exact engine does when the layer tells it something (layer/engines/engine.h): most is passed on to
// its parts.
#include "instrument/instrument.h"
#include "layer/context/instance.h"
#include "layer/engines/exact/exact_engine.h"
#include "layer/engines/exact/exact_recorder.h"
#include "layer/engines/exact/host_reads.h"
#include "layer/loader/device.h"
#include "layer/vk/handle_value.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {

void ExactEngine::set_options(VkShaderStageFlagBits stage, SyncOptions& options) const {
  options.engine = SyncEngine::exact;
  options.footprints = needs.memory_use;
  options.images = needs.images;
  options.race_map = device_.instance->needs_race_map();
  // What an invocation stored is not checked again where it loads it: that would be no footprint of the load.
  options.merge = options.merge && !options.footprints;
  options.own_elements = options.own_elements && !options.footprints;
  options.log_reads = options.log_reads && !options.footprints;
  // Only compute pipelines are sure to be made of nothing but what was made with this layout.
  if (stage == VK_SHADER_STAGE_COMPUTE_BIT) return;
  for (DescriptorSlots& slots : options.descriptors) slots.direct = 0;
}

void ExactEngine::add_shader(const ShaderRecord& record, const PipelineLayout& layout) {
  layout.written->add(record, layout.descriptors);
  if (writes_parts(record)) expect_parts();
  if (writes_by_address(record)) mark_everything_written();
  if (record.logs_reads) read_logs_.require();
}

void ExactEngine::buffer_bound(VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset) {
  if (host_reads_) host_reads_->bind(buffer, memory, offset);
}

void ExactEngine::buffer_destroyed(VkBuffer buffer) {
  if (host_reads_) host_reads_->forget(buffer);
}

void ExactEngine::memory_freed(VkDeviceMemory memory) {
  if (host_reads_) host_reads_->forget(memory);
}

void ExactEngine::memory_mapped(VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size) {
  if (host_reads_) host_reads_->map(memory, offset, size);
}

void ExactEngine::memory_unmapped(VkDeviceMemory memory) {
  if (host_reads_) host_reads_->unmap(memory);
}

void ExactEngine::memory_invalidated(std::span<const VkMappedMemoryRange> ranges) {
  if (host_reads_) host_reads_->invalidate(ranges);
}

void ExactEngine::host_waited(const char* command) {
  if (host_reads_) host_reads_->wait(command);
}

std::unique_ptr<EngineRecorder> ExactEngine::make_recorder(RecordingState& state) {
  return std::make_unique<ExactRecorder>(*this, state);
}

std::unique_ptr<EngineQueue> ExactEngine::make_queue() {
  order.add_queue();
  return std::make_unique<ExactQueue>();
}

std::vector<InsertedCommands> ExactEngine::prepare_batch(SubmissionQueue& queue,
                                                         const SubmittedBatch& batch) {
  return submissions_.prepare_batch(queue, batch);
}

void ExactEngine::bind_sparse(SubmissionQueue& queue, const SubmittedBatch& batch) {
  submissions_.order_semaphores(queue, batch);
}

void ExactEngine::fence_submitted(SubmissionQueue& queue, VkFence fence) {
  order.signal_fence(order_queue(queue), handle_value(fence));
}

void ExactEngine::semaphore_created(VkSemaphore semaphore, const VkSemaphoreCreateInfo& info) {
  const auto type =
      find_in_chain<VkSemaphoreTypeCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  const auto shared =
      find_in_chain<VkExportSemaphoreCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO);
  order.create_semaphore(handle_value(semaphore), type && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE,
                         type ? type->initialValue : 0, shared && shared->handleTypes);
}

void ExactEngine::semaphore_destroyed(VkSemaphore semaphore) {
  order.destroy_semaphore(handle_value(semaphore));
}

void ExactEngine::semaphore_imported(VkSemaphore semaphore, bool temporary) {
  order.import_semaphore(handle_value(semaphore), temporary);
}

void ExactEngine::semaphore_signalled_by_host(VkSemaphore semaphore, uint64_t value) {
  order.signal_from_host(handle_value(semaphore), value);
}

void ExactEngine::fence_destroyed(VkFence fence) { order.destroy_fence(handle_value(fence)); }

void ExactEngine::image_acquired(VkSemaphore semaphore, VkFence fence) {
  order.signal_from_outside(handle_value(semaphore), handle_value(fence));
}

void ExactEngine::fence_seen(VkFence fence, bool sure) { order.fence_seen(handle_value(fence), sure); }

void ExactEngine::semaphore_seen(VkSemaphore semaphore, uint64_t value, bool sure) {
  order.semaphore_seen(handle_value(semaphore), value, sure);
}

void ExactEngine::finish_own_work() {
  if (host_reads_) host_reads_->finish();
}

void ExactEngine::release_commands() { host_reads_ = nullptr; }

}  // namespace shaderqa::layer
