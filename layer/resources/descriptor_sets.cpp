// SPDX-License-Identifier: Apache-2.0
#include "layer/resources/descriptor_sets.h"

#include <utility>

#include "layer/context/instance.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/resources/descriptor_pools.h"
#include "layer/resources/pipeline_layouts.h"
#include "layer/vk/guarded.h"
#include "layer/vk/handle_table.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

uint32_t variable_count(const VkDescriptorSetAllocateInfo& info, uint32_t index) {
  const auto counts = find_in_chain<VkDescriptorSetVariableDescriptorCountAllocateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
  return counts && index < counts->descriptorSetCount ? counts->pDescriptorCounts[index] : 0;
}

}  // namespace

struct DescriptorSets::State {
  explicit State(const DeviceContext& device) : memory(device) {}
  void forget_sets(const DescriptorPool& pool) {
    for (const auto& set : pool.sets()) sets.erase(set->handle);
  }

  TableMemory memory;
  HandleTable<VkDescriptorPool, DescriptorPool> pools;
  HandleIndex<VkDescriptorSet, DescriptorSet> sets;  // owned by their pools
  HandleTable<VkDescriptorUpdateTemplate, UpdateTemplate> templates;
};

DescriptorSets::DescriptorSets(const DeviceContext& device)
    : device_(device), state_(std::make_unique<State>(device)) {}

DescriptorSets::~DescriptorSets() {
  all_removals.fetch_add(1, std::memory_order_acq_rel);
  // In a forked child the memory belongs to the parent.
  if (device_.instance->in_forked_child()) static_cast<void>(state_.release());
}

void DescriptorSets::add_pool(VkDescriptorPool handle, const VkDescriptorPoolCreateInfo& info) {
  state_->pools.emplace(handle, state_->memory, info);
}

void DescriptorSets::remove_pool(VkDescriptorPool handle) {
  const auto pool = state_->pools.erase(handle);
  if (!pool) return;
  all_removals.fetch_add(1, std::memory_order_acq_rel);
  state_->forget_sets(*pool);
}

void DescriptorSets::reset_pool(VkDescriptorPool handle) {
  DescriptorPool* pool = state_->pools.find(handle);
  if (!pool) return;
  all_removals.fetch_add(1, std::memory_order_acq_rel);
  state_->forget_sets(*pool);
  pool->reset();
}

void DescriptorSets::add(const VkDescriptorSetAllocateInfo& info, const VkDescriptorSet* sets,
                         const PipelineLayouts& layouts) {
  DescriptorPool* pool = state_->pools.find(info.descriptorPool);
  if (!pool) return;
  for (uint32_t i = 0; i < info.descriptorSetCount; ++i) {
    auto layout = layouts.find(info.pSetLayouts[i]);
    if (!layout) continue;
    const uint32_t slots = layout->slots_with(variable_count(info, i));
    state_->sets.insert(sets[i], &pool->add(sets[i], std::move(layout), slots));
  }
}

void DescriptorSets::remove(VkDescriptorSet handle) {
  DescriptorSet* const set = state_->sets.erase(handle);
  if (!set) return;
  all_removals.fetch_add(1, std::memory_order_acq_rel);
  set->pool->remove(*set);
}

const DescriptorSet* DescriptorSets::find(VkDescriptorSet handle) const { return state_->sets.find(handle); }

void DescriptorSets::add_template(VkDescriptorUpdateTemplate handle,
                                  const VkDescriptorUpdateTemplateCreateInfo& info) {
  auto made = std::make_unique<UpdateTemplate>();
  made->bind_point = info.pipelineBindPoint;
  const auto entries = info.pDescriptorUpdateEntries;
  made->entries.assign(entries, entries + info.descriptorUpdateEntryCount);
  state_->templates.insert(handle, std::move(made));
}

void DescriptorSets::remove_template(VkDescriptorUpdateTemplate handle) { state_->templates.erase(handle); }

const UpdateTemplate* DescriptorSets::find_template(VkDescriptorUpdateTemplate handle) const {
  return state_->templates.find(handle);
}

void DescriptorSets::flush() { state_->memory.flush(); }

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateDescriptorPool(VkDevice handle,
                                                           const VkDescriptorPoolCreateInfo* pCreateInfo,
                                                           const VkAllocationCallbacks* pAllocator,
                                                           VkDescriptorPool* pDescriptorPool) {
  Device& device = device_of(handle);
  const VkResult result = device.next.CreateDescriptorPool(handle, pCreateInfo, pAllocator, pDescriptorPool);
  if (result == VK_SUCCESS) guarded([&] { device.descriptor_sets.add_pool(*pDescriptorPool, *pCreateInfo); });
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroyDescriptorPool(VkDevice handle, VkDescriptorPool descriptorPool,
                                                        const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  // Forgotten first: once they are destroyed, the driver may reuse the handles of the pool and its sets.
  guarded([&] { device.descriptor_sets.remove_pool(descriptorPool); });
  device.next.DestroyDescriptorPool(handle, descriptorPool, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::ResetDescriptorPool(VkDevice handle, VkDescriptorPool descriptorPool,
                                                          VkDescriptorPoolResetFlags flags) {
  Device& device = device_of(handle);
  guarded([&] { device.descriptor_sets.reset_pool(descriptorPool); });
  return device.next.ResetDescriptorPool(handle, descriptorPool, flags);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::AllocateDescriptorSets(VkDevice handle,
                                                             const VkDescriptorSetAllocateInfo* pAllocateInfo,
                                                             VkDescriptorSet* pDescriptorSets) {
  Device& device = device_of(handle);
  const VkResult result = device.next.AllocateDescriptorSets(handle, pAllocateInfo, pDescriptorSets);
  if (result == VK_SUCCESS) {
    guarded([&] { device.descriptor_sets.add(*pAllocateInfo, pDescriptorSets, device.pipeline_layouts); });
  }
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::FreeDescriptorSets(VkDevice handle, VkDescriptorPool descriptorPool,
                                                         uint32_t descriptorSetCount,
                                                         const VkDescriptorSet* pDescriptorSets) {
  Device& device = device_of(handle);
  guarded([&] {
    for (uint32_t i = 0; i < descriptorSetCount; ++i) device.descriptor_sets.remove(pDescriptorSets[i]);
  });
  return device.next.FreeDescriptorSets(handle, descriptorPool, descriptorSetCount, pDescriptorSets);
}

}  // namespace shaderqa::layer
