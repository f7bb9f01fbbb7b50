// SPDX-License-Identifier: Apache-2.0
// vkGetDescriptorEXT: what the bytes mean that it writes is remembered
// (docs/internals/descriptor-buffers.md).
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/resources/descriptor_bytes.h"
#include "layer/resources/image_layouts.h"
#include "layer/resources/image_table.h"
#include "layer/vk/guarded.h"
#include "layer/vk/layout_names.h"
#include "layer/vk/texel_size.h"

namespace shaderqa::layer {
namespace {

// Null descriptors, and what is not followed, have an entry without an address.
TableEntry entry_of(const VkDescriptorAddressInfoEXT* info, bool texels) {
  if (!info) return {};
  const auto range = static_cast<uint32_t>(std::min<VkDeviceSize>(info->range, UINT32_MAX));
  return {info->address, range, texels ? texel_size(info->format) : 0};
}

TableEntry entry_of(const Device& device, const VkDescriptorImageInfo* info) {
  const bool follows = device.engine->needs.images && info && info->imageView;
  TableEntry entry = follows ? device.images.entry(info->imageView) : TableEntry();
  if (entry.address) entry.meta |= descriptor_layout_code(info->imageLayout);
  return entry;
}

TableEntry entry_of(const Device& device, const VkDescriptorGetInfoEXT& info) {
  switch (info.type) {
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
      return entry_of(info.data.pUniformBuffer, false);
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
      return entry_of(info.data.pStorageBuffer, false);
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
      return entry_of(info.data.pUniformTexelBuffer, true);
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      return entry_of(info.data.pStorageTexelBuffer, true);
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
      return entry_of(device, info.data.pSampledImage);
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
      return entry_of(device, info.data.pStorageImage);
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
      return entry_of(device, info.data.pCombinedImageSampler);
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      return entry_of(device, info.data.pInputAttachmentImage);
    default:
      return {};
  }
}

bool is_followed(const Device& device, VkDescriptorType type) {
  const uint32_t kind = descriptor_kind(type);
  return kind <= SQA_DESCRIPTOR_STORAGE_TEXEL || (kind < SQA_DESCRIPTOR_KINDS && device.engine->needs.images);
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL hooks::GetDescriptorEXT(VkDevice handle,
                                                   const VkDescriptorGetInfoEXT* pDescriptorInfo,
                                                   size_t dataSize, void* pDescriptor) {
  Device& device = device_of(handle);
  // Bytes that a driver leaves as they are would differ from one call to the next. The application's memory
  // may be slow to read.
  alignas(16) std::array<std::byte, 512> bytes;
  if (!device.engine->needs.descriptor_buffers || !is_followed(device, pDescriptorInfo->type) ||
      dataSize > bytes.size())
    return device.next.GetDescriptorEXT(handle, pDescriptorInfo, dataSize, pDescriptor);
  std::memset(bytes.data(), 0, dataSize);
  device.next.GetDescriptorEXT(handle, pDescriptorInfo, dataSize, bytes.data());
  guarded([&] {
    const TableEntry entry = entry_of(device, *pDescriptorInfo);
    device.descriptor_bytes.add(pDescriptorInfo->type, {bytes.data(), dataSize}, entry);
    device.image_layouts.name_view(entry, device.images.range_of(entry).range);
  });
  std::memcpy(pDescriptor, bytes.data(), dataSize);
}

}  // namespace shaderqa::layer
