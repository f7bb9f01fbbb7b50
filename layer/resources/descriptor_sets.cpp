// SPDX-License-Identifier: Apache-2.0
#include "layer/resources/descriptor_sets.h"

#include <algorithm>

#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/resources/descriptor_pools.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

// Entries of one chunk of a pool, but for tables that are larger.
constexpr uint64_t kSmallestChunk = 64;
constexpr uint64_t kLargestChunk = 16384;

uint32_t chunk_entries_for(const VkDescriptorPoolCreateInfo& info) {
  uint64_t entries = info.maxSets;  // headers
  for (uint32_t i = 0; i < info.poolSizeCount; ++i) {
    const VkDescriptorPoolSize& size = info.pPoolSizes[i];
    if (has_slots(size.type) || size.type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT) entries += size.descriptorCount;
  }
  return static_cast<uint32_t>(std::clamp(entries, kSmallestChunk, kLargestChunk));
}

uint32_t variable_count(const VkDescriptorSetAllocateInfo& info, uint32_t index) {
  const auto counts = find_in_chain<VkDescriptorSetVariableDescriptorCountAllocateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
  return counts && index < counts->descriptorSetCount ? counts->pDescriptorCounts[index] : 0;
}

}  // namespace

DescriptorPool::DescriptorPool(TableMemory& memory, const VkDescriptorPoolCreateInfo& info)
    : memory_(memory), chunk_entries_(chunk_entries_for(info)) {}

DescriptorPool::~DescriptorPool() {
  for (const Chunk& chunk : chunks_) memory_.free(chunk.block);
}

DescriptorSet& DescriptorPool::add(VkDescriptorSet handle, std::shared_ptr<const SetLayout> layout,
                                   uint32_t slots) {
  std::unique_ptr<DescriptorSet> set;
  if (spare_.empty()) {
    set = std::make_unique<DescriptorSet>();
  } else {
    set = std::move(spare_.back());
    spare_.pop_back();
  }
  set->handle = handle;
  set->pool = this;
  set->index = sets_.size();
  set->layout = std::move(layout);
  if (slots) make_table(*set, slots);
  sets_.push_back(std::move(set));
  return *sets_.back();
}

bool DescriptorPool::place_table(DescriptorSet& set, size_t chunk, uint32_t entries) {
  const std::optional<uint32_t> offset = chunks_[chunk].ranges.allocate(entries);
  if (!offset) return false;
  const TableMemory::Block& block = chunks_[chunk].block;
  set.chunk = current_ = chunk;
  set.offset = *offset;
  set.table = {block.slab, block.offset + *offset};
  return true;
}

void DescriptorPool::make_table(DescriptorSet& set, uint32_t slots) {
  const uint32_t entries = slots + 1;
  bool placed = !chunks_.empty() && place_table(set, current_, entries);
  for (size_t i = 0; i < chunks_.size() && !placed; ++i) placed = place_table(set, i, entries);
  if (!placed) {
    const TableMemory::Block block = memory_.allocate(std::max(entries, chunk_entries_));
    if (!block.slab) return;
    chunks_.push_back({block, RangeAllocator(block.size)});
    place_table(set, chunks_.size() - 1, entries);
  }
  set.slots = slots;
  set.table.store(0, TableEntry{slots, 0, 0});
  for (uint32_t i = 1; i < entries; ++i) set.table.store(i, TableEntry());
}

void DescriptorPool::remove(DescriptorSet& set) {
  if (set.slots) chunks_[set.chunk].ranges.free(set.offset, set.slots + 1);
  const size_t index = set.index;
  std::swap(sets_[index], sets_.back());
  sets_[index]->index = index;
  spare_.push_back(std::move(sets_.back()));
  sets_.pop_back();
  *spare_.back() = {};
}

void DescriptorPool::reset() {
  for (std::unique_ptr<DescriptorSet>& set : sets_) {
    *set = {};
    spare_.push_back(std::move(set));
  }
  sets_.clear();
  for (Chunk& chunk : chunks_) chunk.ranges.reset();
  current_ = 0;
}

void DescriptorSets::Impl::forget_sets(DescriptorPool& pool) {
  for (const auto& set : pool.sets()) sets.erase(set->handle);
}

AddressSpan memory_of(const Device& device, const TableEntry& entry) {
  AddressSpan memory{entry.address, entry.address + std::max(entry.range, 1u)};
  if (!(entry.meta & SQA_TABLE_DYNAMIC)) return memory;
  // With an offset that the next bind brings.
  if (const auto buffer = device.buffers.find_address(entry.address))
    memory.end = std::max(memory.end, buffer->address + buffer->size);
  return memory;
}

DescriptorSets::DescriptorSets(Device& device) : device_(device), impl_(std::make_unique<Impl>(device)) {}

DescriptorSets::~DescriptorSets() {
  // The memory is the parent's.
  if (device_.instance->in_forked_child()) static_cast<void>(impl_.release());
}

VkDeviceAddress DescriptorSets::table_of(VkDescriptorSet handle) const {
  const DescriptorSet* set = impl_->sets.find(handle);
  return set ? set->table_address() : 0;
}

void DescriptorSets::flush() { impl_->memory.flush(); }

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateDescriptorPool(VkDevice handle,
                                                           const VkDescriptorPoolCreateInfo* pCreateInfo,
                                                           const VkAllocationCallbacks* pAllocator,
                                                           VkDescriptorPool* pDescriptorPool) {
  Device& device = device_of(handle);
  const VkResult result = device.next.CreateDescriptorPool(handle, pCreateInfo, pAllocator, pDescriptorPool);
  if (result == VK_SUCCESS) {
    guarded([&] {
      DescriptorSets::Impl& impl = device.descriptor_sets.impl();
      impl.pools.emplace(*pDescriptorPool, impl.memory, *pCreateInfo);
    });
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroyDescriptorPool(VkDevice handle, VkDescriptorPool descriptorPool,
                                                        const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  // First: once they are destroyed, the handles of the pool and its sets can come again.
  guarded([&] {
    DescriptorSets::Impl& impl = device.descriptor_sets.impl();
    if (const auto pool = impl.pools.erase(descriptorPool)) impl.forget_sets(*pool);
  });
  device.next.DestroyDescriptorPool(handle, descriptorPool, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::ResetDescriptorPool(VkDevice handle, VkDescriptorPool descriptorPool,
                                                          VkDescriptorPoolResetFlags flags) {
  Device& device = device_of(handle);
  guarded([&] {
    DescriptorSets::Impl& impl = device.descriptor_sets.impl();
    DescriptorPool* pool = impl.pools.find(descriptorPool);
    if (!pool) return;
    impl.forget_sets(*pool);
    pool->reset();
  });
  return device.next.ResetDescriptorPool(handle, descriptorPool, flags);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::AllocateDescriptorSets(VkDevice handle,
                                                             const VkDescriptorSetAllocateInfo* pAllocateInfo,
                                                             VkDescriptorSet* pDescriptorSets) {
  Device& device = device_of(handle);
  const VkResult result = device.next.AllocateDescriptorSets(handle, pAllocateInfo, pDescriptorSets);
  if (result != VK_SUCCESS) return result;
  guarded([&] {
    DescriptorSets::Impl& impl = device.descriptor_sets.impl();
    DescriptorPool* pool = impl.pools.find(pAllocateInfo->descriptorPool);
    if (!pool) return;
    for (uint32_t i = 0; i < pAllocateInfo->descriptorSetCount; ++i) {
      auto layout = device.pipeline_layouts.find(pAllocateInfo->pSetLayouts[i]);
      if (!layout) continue;
      const uint32_t slots = layout->slots_with(variable_count(*pAllocateInfo, i));
      DescriptorSet& set = pool->add(pDescriptorSets[i], std::move(layout), slots);
      impl.sets.insert(pDescriptorSets[i], &set);
    }
  });
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::FreeDescriptorSets(VkDevice handle, VkDescriptorPool descriptorPool,
                                                         uint32_t descriptorSetCount,
                                                         const VkDescriptorSet* pDescriptorSets) {
  Device& device = device_of(handle);
  guarded([&] {
    for (uint32_t i = 0; i < descriptorSetCount; ++i) {
      DescriptorSet* set = device.descriptor_sets.impl().sets.erase(pDescriptorSets[i]);
      if (set) set->pool->remove(*set);
    }
  });
  return device.next.FreeDescriptorSets(handle, descriptorPool, descriptorSetCount, pDescriptorSets);
}

}  // namespace shaderqa::layer
