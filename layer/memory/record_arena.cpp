// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/record_arena.h"

#include <string>

#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/resources/pipeline_layouts.h"

namespace shaderqa::layer {

void note_record_memory(const DeviceContext& device) {
  device.note("record memory", "there is no memory to check the accesses of some actions");
}

RecordMemory::~RecordMemory() {
  for (const auto& block : blocks_) destroy(*block);
}

void RecordMemory::destroy(Block& block) {
  // Its set goes with the pool.
  if (block.pool) device_.next.DestroyDescriptorPool(device_.handle, block.pool, nullptr);
}

std::unique_ptr<RecordMemory::Block> RecordMemory::make_block() {
  const VkDescriptorSetLayout layout = device_.pipeline_layouts.record_set_layout();
  if (!layout) return nullptr;
  auto block = std::make_unique<Block>();
  DeviceBuffer::Request request;
  request.size = kBlockBytes + kRecordRange;  // shaders may be shown what is behind the last record
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  request.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
  std::string problem;
  block->buffer = DeviceBuffer::create(device_, request, problem);
  if (!block->buffer) return nullptr;

  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1};
  VkDescriptorPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.maxSets = 1;
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  if (device_.next.CreateDescriptorPool(device_.handle, &pool, nullptr, &block->pool) != VK_SUCCESS) {
    return nullptr;
  }
  VkDescriptorSetAllocateInfo set{};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  set.descriptorPool = block->pool;
  set.descriptorSetCount = 1;
  set.pSetLayouts = &layout;
  if (device_.next.AllocateDescriptorSets(device_.handle, &set, &block->set) != VK_SUCCESS) {
    destroy(*block);
    return nullptr;
  }
  const VkDescriptorBufferInfo buffer{block->buffer->handle(), 0, kRecordRange};
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = block->set;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
  write.pBufferInfo = &buffer;
  device_.next.UpdateDescriptorSets(device_.handle, 1, &write, 0, nullptr);
  block->number = device_.engine->add_record_block(block->buffer->address());
  return block;
}

RecordMemory::Chunk RecordMemory::acquire() {
  const auto take = [this] {
    const Chunk chunk = free_.back();
    free_.pop_back();
    return chunk;
  };
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) return take();
  }
  std::unique_ptr<Block> block = make_block();
  if (!block) return {};
  const std::lock_guard lock(mutex_);
  // Room for all there are, so that giving back never allocates.
  free_.reserve((blocks_.size() + 1) * (kBlockBytes / kChunkBytes));
  for (uint32_t offset = kBlockBytes; offset > 0; offset -= kChunkBytes) {
    free_.push_back({block.get(), offset - kChunkBytes});
  }
  blocks_.push_back(std::move(block));
  return take();
}

void RecordMemory::release(const std::vector<Chunk>& chunks) noexcept {
  const std::lock_guard lock(mutex_);
  for (const Chunk& chunk : chunks) free_.push_back(chunk);
}

RecordAllocation RecordArena::allocate(uint32_t size) {
  size = (size + alignment_ - 1) / alignment_ * alignment_;
  if (size > RecordMemory::kChunkBytes) return {};
  if (used_ + size > RecordMemory::kChunkBytes) {
    chunks_.reserve(chunks_.size() + 1);
    const RecordMemory::Chunk chunk = memory_.acquire();
    if (!chunk.block) return {};
    chunks_.push_back(chunk);
    used_ = 0;
  }
  const uint32_t offset = used_;
  used_ += size;
  return place(chunks_.back(), chunks_.back().offset + offset);
}

RecordAllocation RecordArena::place(const RecordMemory::Chunk& chunk, uint32_t offset) {
  const DeviceBuffer& buffer = *chunk.block->buffer;
  return {buffer.mapped() + offset, buffer.address() + offset, chunk.block->set, offset,
          buffer.handle(),          chunk.block->number};
}

// Mostly in the last chunk.
RecordAllocation RecordArena::find(const void* memory) const {
  const auto at = reinterpret_cast<uintptr_t>(memory);
  for (size_t i = chunks_.size(); i-- > 0;) {
    const auto begin = reinterpret_cast<uintptr_t>(chunks_[i].block->buffer->mapped()) + chunks_[i].offset;
    if (at >= begin && at - begin < RecordMemory::kChunkBytes)
      return place(chunks_[i], chunks_[i].offset + static_cast<uint32_t>(at - begin));
  }
  return {};
}

void RecordArena::reset() noexcept {
  if (chunks_.empty()) return;
  memory_.release(chunks_);
  chunks_.clear();
  used_ = RecordMemory::kChunkBytes;
}

}  // namespace shaderqa::layer
