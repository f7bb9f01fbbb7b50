// SPDX-License-Identifier: Apache-2.0
// vkWriteResourceDescriptorsEXT: what the bytes mean that it writes is remembered
// (docs/internals/descriptor-heaps.md). vkWriteSamplerDescriptorsEXT: what samplers there are.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/resources/descriptor_bytes.h"
#include "layer/resources/image_layouts.h"
#include "layer/resources/image_table.h"
#include "layer/vk/descriptor_heap.h"
#include "layer/vk/guarded.h"
#include "layer/vk/layout_names.h"
#include "layer/vk/texel_size.h"

namespace shaderqa::layer {
namespace {

TableEntry entry_of(const VkDeviceAddressRangeEXT* range, uint32_t texel) {
  if (!range) return {};
  return {range->address, static_cast<uint32_t>(std::min<VkDeviceSize>(range->size, UINT32_MAX)), texel};
}

bool is_followed(const Device& device, VkDescriptorType type) {
  const uint32_t kind = descriptor_kind(type);
  return kind <= SQA_DESCRIPTOR_STORAGE_TEXEL || (kind < SQA_DESCRIPTOR_KINDS && device.engine->needs.images);
}

// Null descriptors have an entry without an address.
TableEntry entry_of(const Device& device, const VkResourceDescriptorInfoEXT& info) {
  switch (info.type) {
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
      return entry_of(info.data.pAddressRange, 0);
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER: {
      const VkTexelBufferDescriptorInfoEXT* const texels = info.data.pTexelBuffer;
      return texels ? entry_of(&texels->addressRange, texel_size(texels->format)) : TableEntry();
    }
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT: {
      const VkImageDescriptorInfoEXT* const image = info.data.pImage;
      TableEntry entry = image && image->pView ? device.images.describe_view(*image->pView) : TableEntry();
      if (entry.address) entry.meta |= descriptor_layout_code(image->layout);
      return entry;
    }
    default:
      return {};
  }
}

// Bytes that a driver leaves as they are would differ from one call to the next. The application's memory may
// be slow to read. So the driver writes into memory of the layer's.
class WrittenDescriptors {
 public:
  WrittenDescriptors(const Device& device, std::span<const VkResourceDescriptorInfoEXT> infos,
                     const VkHostAddressRangeEXT* places)
      : infos_(infos), given_(places), sizes_(infos.size()), places_(places, places + infos.size()) {
    size_t all = 0;
    for (size_t i = 0; i < infos.size(); ++i) {
      const bool followed = is_followed(device, infos[i].type);
      const size_t size = followed ? heap_descriptor_size(device.facts, infos[i].type) : 0;
      if (size <= places[i].size) sizes_[i] = size;
      all += aligned(sizes_[i]);
    }
    bytes_.resize(all + kAlignment - 1);
    std::byte* at = bytes_.data() + (0 - reinterpret_cast<uintptr_t>(bytes_.data())) % kAlignment;
    for (size_t i = 0; i < infos.size(); ++i) {
      if (sizes_[i]) places_[i] = {at, sizes_[i]};
      at += aligned(sizes_[i]);
    }
  }
  const VkHostAddressRangeEXT* places() const { return places_.data(); }
  void remember(Device& device) const {
    for (size_t i = 0; i < infos_.size(); ++i) {
      if (!sizes_[i]) continue;
      const auto* const bytes = static_cast<const std::byte*>(places_[i].address);
      guarded([&] {
        const TableEntry entry = entry_of(device, infos_[i]);
        device.descriptor_bytes.add_in_heap(infos_[i].type, {bytes, sizes_[i]}, entry);
        device.image_layouts.name_view(entry, device.images.range_of(entry).range);
      });
    }
  }
  void copy() const {
    for (size_t i = 0; i < infos_.size(); ++i)
      if (sizes_[i]) std::memcpy(given_[i].address, places_[i].address, sizes_[i]);
  }

 private:
  // That of the largest descriptors there are: in heaps they lie at such multiples.
  static constexpr size_t kAlignment = 64;
  static size_t aligned(size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

  const std::span<const VkResourceDescriptorInfoEXT> infos_;
  const VkHostAddressRangeEXT* const given_;
  std::vector<size_t> sizes_;                  // 0: the driver writes it where the application wants it
  std::vector<VkHostAddressRangeEXT> places_;  // for the driver
  std::vector<std::byte> bytes_;
};

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hooks::WriteResourceDescriptorsEXT(
    VkDevice handle, uint32_t resourceCount, const VkResourceDescriptorInfoEXT* pResources,
    const VkHostAddressRangeEXT* pDescriptors) {
  Device& device = device_of(handle);
  std::optional<WrittenDescriptors> written;
  if (device.engine->needs.descriptor_buffers)
    guarded([&] { written.emplace(device, std::span(pResources, resourceCount), pDescriptors); });
  const VkResult result = device.next.WriteResourceDescriptorsEXT(handle, resourceCount, pResources,
                                                                  written ? written->places() : pDescriptors);
  if (!written || result != VK_SUCCESS) return result;
  written->remember(device);
  written->copy();
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::WriteSamplerDescriptorsEXT(VkDevice handle, uint32_t samplerCount,
                                                                 const VkSamplerCreateInfo* pSamplers,
                                                                 const VkHostAddressRangeEXT* pDescriptors) {
  Device& device = device_of(handle);
  const VkResult result =
      device.next.WriteSamplerDescriptorsEXT(handle, samplerCount, pSamplers, pDescriptors);
  if (result == VK_SUCCESS && device.engine->needs.images)
    guarded([&] {
      for (uint32_t i = 0; i < samplerCount; ++i) device.images.see_sampler(pSamplers[i]);
    });
  return result;
}

}  // namespace shaderqa::layer
