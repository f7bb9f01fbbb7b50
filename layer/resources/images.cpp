// SPDX-License-Identifier: Apache-2.0
// The commands for images and their memory. Each image that is followed gets addresses of its own.
#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/output/race_pictures.h"
#include "layer/resources/buffer_table.h"
#include "layer/resources/descriptor_bytes.h"
#include "layer/resources/image_layouts.h"
#include "layer/resources/image_memory.h"
#include "layer/resources/image_table.h"
#include "layer/resources/object_facts.h"
#include "layer/vk/guarded.h"
#include "layer/vk/handle_value.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

void ignore(Device& device, const ImageTable::Image& image) {
  device.engine->ignore_memory(image.address, image.grid.bytes());
  device.image_layouts.remove(image.address);
}

uint64_t owner_of(VkImage image) { return handle_value(image) << 1 | 1; }

VkMemoryRequirements requirements_of(const Device& device, const VkBindImageMemoryInfo& info) {
  const auto plane =
      find_in_chain<VkBindImagePlaneMemoryInfo>(info.pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO);
  VkMemoryRequirements2 requirements{};
  requirements.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
  if (!plane) {
    device.next.GetImageMemoryRequirements(device.handle, info.image, &requirements.memoryRequirements);
    return requirements.memoryRequirements;
  }
  // The image is disjoint, and devices that have such images have the command.
  if (!device.next.GetImageMemoryRequirements2) return {1, 1, 0};
  VkImagePlaneMemoryRequirementsInfo of_plane{};
  of_plane.sType = VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO;
  of_plane.planeAspect = plane->planeAspect;
  VkImageMemoryRequirementsInfo2 of_image{};
  of_image.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2;
  of_image.pNext = &of_plane;
  of_image.image = info.image;
  device.next.GetImageMemoryRequirements2(device.handle, &of_image, &requirements);
  return requirements.memoryRequirements;
}

void learn_binding(Device& device, const VkBindImageMemoryInfo& info) {
  const auto swapchain = find_in_chain<VkBindImageMemorySwapchainInfoKHR>(
      info.pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR);
  if (swapchain && swapchain->swapchain) {
    // Another name for what the swapchain has: neither is followed.
    const VkImage same = image_of(device, swapchain->swapchain, swapchain->imageIndex);
    const ImageTable::Image* const shared = same ? device.images.stop_following(same) : nullptr;
    if (shared) ignore(device, *shared);
    return;
  }
  if (!info.memory) return;
  VkMemoryRequirements needed{};
  const ImageTable::Image* const image = device.images.find(info.image);
  const bool followed = image && image->is_followed();  // another plane has been bound
  // An image of a kind that is not followed counts with its first byte.
  needed.size = 1;
  if (image) needed = requirements_of(device, info);
  const bool shares =
      bind_memory(device, info.memory, info.memoryOffset, needed.size, owner_of(info.image), info.image);
  if (!image || !image->is_followed() || followed) return;
  device.engine->add_memory(image->address, image->grid.bytes());
  // A transition of one of several images in the same memory may count for all.
  if (!shares) device.image_layouts.add(*image);
}

void expose(Device& device, VkDeviceMemory memory) {
  for (const ImageTable::Image* const image : device.images.expose(memory))
    if (image->address) ignore(device, *image);
}

// Whether others may access the memory, or it was theirs: it is imported, or exported in another way than by
// the commands below. What is not known may import.
bool is_exposed(const VkMemoryAllocateInfo& info) {
  constexpr VkExternalMemoryHandleTypeFlags seen = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT |
                                                   VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT |
                                                   VK_EXTERNAL_MEMORY_HANDLE_TYPE_RDMA_ADDRESS_BIT_NV;
  const void* structure = info.pNext;
  for (int i = 0; structure && i < kLongestChain; structure = next_structure(structure), ++i) {
    switch (type_of_structure(structure)) {
      case VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO:
      case VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO:
      case VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO:
      case VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT:
      case VK_STRUCTURE_TYPE_DEDICATED_ALLOCATION_MEMORY_ALLOCATE_INFO_NV:
        break;
      case VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO:
        if (static_cast<const VkExportMemoryAllocateInfo*>(structure)->handleTypes & ~seen) return true;
        break;
      default:
        return true;
    }
  }
  return false;
}

}  // namespace

void forget_image(Device& device, VkImage handle) {
  const ImageTable::Image* const image = device.images.find(handle);
  if (image && image->address) {
    device.engine->remove_memory(image->address, image->grid.bytes());
    device.image_layouts.remove(image->address);
    if (const auto found = device.images.find_address(image->address))
      device.race_pictures.image_gone(*found);
  }
  device.images.unbind(owner_of(handle));
  for (const TableEntry& view : device.images.described_views(handle))
    device.descriptor_bytes.forget_view(view);
  device.images.remove(handle);
}

bool bind_memory(Device& device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                 uint64_t owner, VkImage image) {
  const ImageTable::Sharing sharing = device.images.bind(memory, offset, size, owner, image);
  for (const ImageTable::Image* shared : sharing.images)
    if (shared->address && shared->handle != image) ignore(device, *shared);
  for (const ImageTable::Image* const alias : sharing.aliases) device.image_layouts.remove(alias->address);
  // The image itself may have had another plane's memory before.
  const ImageTable::Image* const bound = sharing.with_images ? device.images.find(image) : nullptr;
  if (bound && bound->address) device.image_layouts.remove(bound->address);
  for (const VkBuffer buffer : sharing.buffers) device.buffers.share_with_images(buffer);
  return sharing.with_images;
}

void see_submission(Device& device, const LateAliases& recorded, bool ordering) {
  if (device.images.late_aliases() == 0) return;
  for (const ImageTable::Image* const image : device.images.see_submission(recorded, ordering))
    if (image->address) ignore(device, *image);
}

void learn_allocation(Device& device, VkDeviceMemory memory, const VkMemoryAllocateInfo& info) {
  device.images.add_memory(memory, info.allocationSize);
  if (is_exposed(info)) device.images.expose(memory);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::GetMemoryFdKHR(VkDevice handle, const VkMemoryGetFdInfoKHR* pGetFdInfo,
                                                     int* pFd) {
  Device& device = device_of(handle);
  guarded([&] { expose(device, pGetFdInfo->memory); });
  return device.next.GetMemoryFdKHR(handle, pGetFdInfo, pFd);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::GetMemoryRemoteAddressNV(VkDevice handle,
                                                               const VkMemoryGetRemoteAddressInfoNV* pInfo,
                                                               VkRemoteAddressNV* pAddress) {
  Device& device = device_of(handle);
  guarded([&] { expose(device, pInfo->memory); });
  return device.next.GetMemoryRemoteAddressNV(handle, pInfo, pAddress);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateImage(VkDevice handle, const VkImageCreateInfo* pCreateInfo,
                                                  const VkAllocationCallbacks* pAllocator, VkImage* pImage) {
  Device& device = device_of(handle);
  const VkResult result = device.next.CreateImage(handle, pCreateInfo, pAllocator, pImage);
  if (result == VK_SUCCESS && device.engine->needs.command_accesses) {
    guarded([&] {
      device.object_facts.images.emplace(*pImage, ImageFacts{pCreateInfo->format, pCreateInfo->arrayLayers});
      if (device.engine->needs.images) device.images.add(*pImage, *pCreateInfo);
    });
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroyImage(VkDevice handle, VkImage image,
                                               const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  if (image && device.engine->needs.command_accesses) {
    guarded([&] { device.object_facts.images.erase(image); });
    if (device.engine->needs.images) guarded([&] { forget_image(device, image); });
  }
  device.next.DestroyImage(handle, image, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::BindImageMemory(VkDevice handle, VkImage image, VkDeviceMemory memory,
                                                      VkDeviceSize memoryOffset) {
  Device& device = device_of(handle);
  const VkResult result = device.next.BindImageMemory(handle, image, memory, memoryOffset);
  if (result == VK_SUCCESS && device.engine->needs.images) {
    guarded([&] {
      VkBindImageMemoryInfo info{};
      info.image = image;
      info.memory = memory;
      info.memoryOffset = memoryOffset;
      learn_binding(device, info);
    });
  }
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::BindImageMemory2(VkDevice handle, uint32_t bindInfoCount,
                                                       const VkBindImageMemoryInfo* pBindInfos) {
  Device& device = device_of(handle);
  const VkResult result = device.next.BindImageMemory2(handle, bindInfoCount, pBindInfos);
  if (result == VK_SUCCESS && device.engine->needs.images) {
    guarded([&] {
      for (uint32_t i = 0; i < bindInfoCount; ++i) learn_binding(device, pBindInfos[i]);
    });
  }
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateImageView(VkDevice handle,
                                                      const VkImageViewCreateInfo* pCreateInfo,
                                                      const VkAllocationCallbacks* pAllocator,
                                                      VkImageView* pView) {
  Device& device = device_of(handle);
  const VkResult result = device.next.CreateImageView(handle, pCreateInfo, pAllocator, pView);
  if (result == VK_SUCCESS && device.engine->needs.images)
    guarded([&] { device.images.add_view(*pView, *pCreateInfo); });
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroyImageView(VkDevice handle, VkImageView imageView,
                                                   const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  if (imageView && device.engine->needs.images)
    guarded([&] {
      device.descriptor_bytes.forget_view(device.images.entry(imageView));
      device.images.remove_view(imageView);
    });
  device.next.DestroyImageView(handle, imageView, pAllocator);
}

}  // namespace shaderqa::layer
