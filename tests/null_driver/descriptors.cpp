// SPDX-License-Identifier: Apache-2.0
// Layouts, descriptor pools and sets: who belongs to whom, and how much was written.
#include <cstring>

#include "tests/null_driver/commands.h"
#include "tests/null_driver/state.h"

namespace shaderqa::null_driver {
namespace {

Device* device_of(VkDevice device) { return reinterpret_cast<Device*>(device); }

void free_sets(DescriptorPool& pool) {
  for (const VkDescriptorSet set : pool.sets) state().remove<DescriptorSet>(set);
  pool.sets.clear();
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorSetLayout(VkDevice device,
                                                         const VkDescriptorSetLayoutCreateInfo* info,
                                                         const VkAllocationCallbacks*,
                                                         VkDescriptorSetLayout* handle) {
  Call call("vkCreateDescriptorSetLayout");
  if (call.fault) return call.fault;
  *handle = state().add<VkDescriptorSetLayout>(device_of(device), DescriptorSetLayout());
  state().records.set_layouts.push_back(
      {*handle, info->flags, {info->pBindings, info->pBindings + info->bindingCount}});
  return VK_SUCCESS;
}

// Those of buffers are {address, range as 32 bits} with the rest left as it is; those of texel buffers are a
// number that few addresses have for themselves, as if views were numbered anew when they go.
VKAPI_ATTR void VKAPI_CALL GetDescriptorEXT(VkDevice, const VkDescriptorGetInfoEXT* info, size_t size,
                                            void* bytes) {
  Call call("vkGetDescriptorEXT");
  const VkDescriptorAddressInfoEXT* const buffer = info->data.pStorageBuffer;
  switch (info->type) {
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER: {
      const uint64_t address = buffer ? buffer->address : 0;
      const auto range = static_cast<uint32_t>(buffer ? buffer->range : 0);
      std::memcpy(bytes, &address, sizeof address);
      std::memcpy(static_cast<char*>(bytes) + sizeof address, &range, sizeof range);
      break;
    }
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER: {
      const uint32_t number = buffer ? static_cast<uint32_t>(buffer->address) / 256 % 2 + 1 : 0;
      std::memcpy(bytes, &number, sizeof number);
      break;
    }
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
      std::memcpy(bytes, &info->data.pStorageImage->imageView, sizeof(VkImageView));
      break;
    default:
      std::memset(bytes, 0x77, size);
      break;
  }
}

// All are {address, range as 32 bits}, or {image, first level, number of levels}, and the rest is left as it
// is.
VKAPI_ATTR VkResult VKAPI_CALL WriteResourceDescriptorsEXT(VkDevice, uint32_t count,
                                                           const VkResourceDescriptorInfoEXT* infos,
                                                           const VkHostAddressRangeEXT* places) {
  Call call("vkWriteResourceDescriptorsEXT");
  for (uint32_t i = 0; i < count && !call.fault; ++i) {
    VkDeviceAddressRangeEXT range{};
    const bool image = infos[i].type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE ||
                       infos[i].type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    if (image && infos[i].data.pImage) {
      const VkImageViewCreateInfo& view = *infos[i].data.pImage->pView;
      range.address = reinterpret_cast<uint64_t>(view.image);
      range.size = view.subresourceRange.baseMipLevel | view.subresourceRange.levelCount << 8;
    }
    const bool texels = infos[i].type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER ||
                        infos[i].type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
    if (texels && infos[i].data.pTexelBuffer) range = infos[i].data.pTexelBuffer->addressRange;
    if (!texels && !image && infos[i].data.pAddressRange) range = *infos[i].data.pAddressRange;
    const auto size = static_cast<uint32_t>(range.size);
    std::memcpy(places[i].address, &range.address, sizeof range.address);
    std::memcpy(static_cast<char*>(places[i].address) + sizeof range.address, &size, sizeof size);
  }
  return call.fault;
}

VKAPI_ATTR VkResult VKAPI_CALL WriteSamplerDescriptorsEXT(VkDevice, uint32_t, const VkSamplerCreateInfo*,
                                                          const VkHostAddressRangeEXT*) {
  Call call("vkWriteSamplerDescriptorsEXT");
  return call.fault;
}

VKAPI_ATTR void VKAPI_CALL GetDescriptorSetLayoutBindingOffsetEXT(VkDevice, VkDescriptorSetLayout layout,
                                                                  uint32_t binding, VkDeviceSize* offset) {
  Call call("vkGetDescriptorSetLayoutBindingOffsetEXT");
  state().get<DescriptorSetLayout>(layout);
  *offset = 16 + 256 * VkDeviceSize{binding};
}

VKAPI_ATTR void VKAPI_CALL DestroyDescriptorSetLayout(VkDevice, VkDescriptorSetLayout layout,
                                                      const VkAllocationCallbacks*) {
  Call call("vkDestroyDescriptorSetLayout");
  state().remove<DescriptorSetLayout>(layout);
}

VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineLayout(VkDevice device, const VkPipelineLayoutCreateInfo* info,
                                                    const VkAllocationCallbacks*, VkPipelineLayout* handle) {
  Call call("vkCreatePipelineLayout");
  PipelineLayoutRecord record;
  record.flags = info->flags;
  record.set_layouts.assign(info->pSetLayouts, info->pSetLayouts + info->setLayoutCount);
  record.push_constants.assign(info->pPushConstantRanges,
                               info->pPushConstantRanges + info->pushConstantRangeCount);
  if (info->setLayoutCount > state().settings.max_bound_sets) state().violation("too many set layouts");
  for (const VkDescriptorSetLayout layout : record.set_layouts) {
    if (layout) state().get<DescriptorSetLayout>(layout);
  }
  if (!call.fault)
    *handle = record.handle = state().add<VkPipelineLayout>(device_of(device), PipelineLayout());
  state().records.pipeline_layouts.push_back(std::move(record));
  return call.fault;
}

VKAPI_ATTR VkResult VKAPI_CALL
CreateIndirectCommandsLayoutEXT(VkDevice device, const VkIndirectCommandsLayoutCreateInfoEXT* info,
                                const VkAllocationCallbacks*, VkIndirectCommandsLayoutEXT* handle) {
  Call call("vkCreateIndirectCommandsLayoutEXT");
  if (call.fault) return call.fault;
  if (info->pipelineLayout) state().get<PipelineLayout>(info->pipelineLayout);
  state().records.indirect_commands_layouts.push_back(info->pipelineLayout);
  *handle = state().add<VkIndirectCommandsLayoutEXT>(device_of(device), IndirectCommandsLayout());
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyIndirectCommandsLayoutEXT(VkDevice, VkIndirectCommandsLayoutEXT handle,
                                                            const VkAllocationCallbacks*) {
  Call call("vkDestroyIndirectCommandsLayoutEXT");
  state().remove<IndirectCommandsLayout>(handle);
}

VKAPI_ATTR void VKAPI_CALL DestroyPipelineLayout(VkDevice, VkPipelineLayout layout,
                                                 const VkAllocationCallbacks*) {
  Call call("vkDestroyPipelineLayout");
  state().remove<PipelineLayout>(layout);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorPool(VkDevice device, const VkDescriptorPoolCreateInfo*,
                                                    const VkAllocationCallbacks*, VkDescriptorPool* handle) {
  Call call("vkCreateDescriptorPool");
  if (call.fault) return call.fault;
  *handle = state().add<VkDescriptorPool>(device_of(device), DescriptorPool());
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyDescriptorPool(VkDevice, VkDescriptorPool handle,
                                                 const VkAllocationCallbacks*) {
  Call call("vkDestroyDescriptorPool");
  if (!handle) return;
  if (auto pool = state().get<DescriptorPool>(handle)) free_sets(*pool);
  state().remove<DescriptorPool>(handle);
}

VKAPI_ATTR VkResult VKAPI_CALL ResetDescriptorPool(VkDevice, VkDescriptorPool handle,
                                                   VkDescriptorPoolResetFlags) {
  Call call("vkResetDescriptorPool");
  if (auto pool = state().get<DescriptorPool>(handle)) free_sets(*pool);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateDescriptorSets(VkDevice device,
                                                      const VkDescriptorSetAllocateInfo* info,
                                                      VkDescriptorSet* handles) {
  Call call("vkAllocateDescriptorSets");
  for (uint32_t i = 0; i < info->descriptorSetCount; ++i) handles[i] = VK_NULL_HANDLE;
  if (call.fault) return call.fault;
  auto pool = state().get<DescriptorPool>(info->descriptorPool);
  if (!pool) return VK_ERROR_UNKNOWN;
  for (uint32_t i = 0; i < info->descriptorSetCount; ++i) {
    state().get<DescriptorSetLayout>(info->pSetLayouts[i]);
    handles[i] = state().add<VkDescriptorSet>(device_of(device), DescriptorSet());
    pool->sets.insert(handles[i]);
  }
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL FreeDescriptorSets(VkDevice, VkDescriptorPool handle, uint32_t count,
                                                  const VkDescriptorSet* sets) {
  Call call("vkFreeDescriptorSets");
  auto pool = state().get<DescriptorPool>(handle);
  if (!pool) return VK_SUCCESS;
  for (uint32_t i = 0; i < count; ++i) {
    if (!sets[i]) continue;
    if (!pool->sets.erase(sets[i])) state().violation("a set is freed that is not of the pool");
    state().remove<DescriptorSet>(sets[i]);
  }
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL UpdateDescriptorSets(VkDevice, uint32_t writes, const VkWriteDescriptorSet* write,
                                                uint32_t copies, const VkCopyDescriptorSet* copy) {
  Call call("vkUpdateDescriptorSets");
  for (uint32_t i = 0; i < writes; ++i) {
    state().get<DescriptorSet>(write[i].dstSet);
    state().records.descriptor_writes += write[i].descriptorCount;
  }
  for (uint32_t i = 0; i < copies; ++i) {
    state().get<DescriptorSet>(copy[i].srcSet);
    state().get<DescriptorSet>(copy[i].dstSet);
    state().records.descriptor_copies += copy[i].descriptorCount;
  }
}

VKAPI_ATTR VkResult VKAPI_CALL
CreateDescriptorUpdateTemplate(VkDevice device, const VkDescriptorUpdateTemplateCreateInfo* info,
                               const VkAllocationCallbacks*, VkDescriptorUpdateTemplate* handle) {
  Call call("vkCreateDescriptorUpdateTemplate");
  if (call.fault) return call.fault;
  UpdateTemplate made;
  for (uint32_t i = 0; i < info->descriptorUpdateEntryCount; ++i) {
    made.descriptors += info->pDescriptorUpdateEntries[i].descriptorCount;
  }
  *handle = state().add<VkDescriptorUpdateTemplate>(device_of(device), std::move(made));
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyDescriptorUpdateTemplate(VkDevice, VkDescriptorUpdateTemplate handle,
                                                           const VkAllocationCallbacks*) {
  Call call("vkDestroyDescriptorUpdateTemplate");
  state().remove<UpdateTemplate>(handle);
}

VKAPI_ATTR void VKAPI_CALL UpdateDescriptorSetWithTemplate(VkDevice, VkDescriptorSet set,
                                                           VkDescriptorUpdateTemplate handle, const void*) {
  Call call("vkUpdateDescriptorSetWithTemplate");
  state().get<DescriptorSet>(set);
  if (auto made = state().get<UpdateTemplate>(handle)) state().records.descriptor_writes += made->descriptors;
}

}  // namespace shaderqa::null_driver
