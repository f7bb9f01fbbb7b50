// SPDX-License-Identifier: Apache-2.0
// Images of swapchains, which nobody creates or binds: they are followed from the moment at which the program
// asks for them, and are new whenever they are acquired.
#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/resources/image_layouts.h"
#include "layer/resources/image_memory.h"
#include "layer/resources/image_table.h"
#include "layer/resources/object_facts.h"
#include "layer/vk/guarded.h"

namespace shaderqa::layer {
namespace {

VkImageCreateInfo image_info(const VkSwapchainCreateInfoKHR& swapchain) {
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  if (swapchain.flags & VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR) info.flags = VK_IMAGE_CREATE_PROTECTED_BIT;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = swapchain.imageFormat;
  info.extent = {swapchain.imageExtent.width, swapchain.imageExtent.height, 1};
  info.mipLevels = 1;
  info.arrayLayers = swapchain.imageArrayLayers;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = swapchain.imageUsage;
  return info;
}

// The driver says which images there are as often as it is asked.
void learn_images(Device& device, SwapchainFacts& swapchain, const VkImage* images, uint32_t count) {
  const std::lock_guard lock(swapchain.mutex);
  for (uint32_t i = static_cast<uint32_t>(swapchain.images.size()); i < count; ++i) {
    swapchain.images.push_back(images[i]);
    device.object_facts.images.emplace(images[i],
                                       ImageFacts{swapchain.info.format, swapchain.info.arrayLayers});
    if (!device.engine->needs.images) continue;
    device.images.add_presentable(images[i], swapchain.info);
    const ImageTable::Image* const image = device.images.find(images[i]);
    if (!image || !image->is_followed()) continue;
    device.engine->add_memory(image->address, image->grid.bytes());
    device.image_layouts.add(*image);
  }
}

}  // namespace

VkImage image_of(const Device& device, VkSwapchainKHR handle, uint32_t index) {
  SwapchainFacts* const swapchain = device.object_facts.swapchains.find(handle);
  if (!swapchain) return VK_NULL_HANDLE;
  const std::lock_guard lock(swapchain->mutex);
  return index < swapchain->images.size() ? swapchain->images[index] : VK_NULL_HANDLE;
}

void presentable_acquired(Device& device, VkSwapchainKHR swapchain, uint32_t index) {
  const VkImage handle = device.engine->needs.images ? image_of(device, swapchain, index) : VK_NULL_HANDLE;
  const ImageTable::Image* const image = handle ? device.images.find(handle) : nullptr;
  if (image && image->is_followed()) device.engine->renew_memory(image->address, image->grid.bytes());
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateSwapchainKHR(VkDevice handle,
                                                         const VkSwapchainCreateInfoKHR* pCreateInfo,
                                                         const VkAllocationCallbacks* pAllocator,
                                                         VkSwapchainKHR* pSwapchain) {
  Device& device = device_of(handle);
  const VkResult result = device.next.CreateSwapchainKHR(handle, pCreateInfo, pAllocator, pSwapchain);
  if (result == VK_SUCCESS && device.engine->needs.command_accesses) {
    guarded([&] {
      auto facts = std::make_unique<SwapchainFacts>();
      facts->info = image_info(*pCreateInfo);
      device.object_facts.swapchains.insert(*pSwapchain, std::move(facts));
    });
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroySwapchainKHR(VkDevice handle, VkSwapchainKHR swapchain,
                                                      const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  if (swapchain && device.engine->needs.command_accesses) {
    guarded([&] {
      const auto facts = device.object_facts.swapchains.erase(swapchain);
      if (!facts) return;
      for (const VkImage image : facts->images) {
        device.object_facts.images.erase(image);
        if (device.engine->needs.images) forget_image(device, image);
      }
    });
  }
  device.next.DestroySwapchainKHR(handle, swapchain, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::GetSwapchainImagesKHR(VkDevice handle, VkSwapchainKHR swapchain,
                                                            uint32_t* pSwapchainImageCount,
                                                            VkImage* pSwapchainImages) {
  Device& device = device_of(handle);
  const VkResult result =
      device.next.GetSwapchainImagesKHR(handle, swapchain, pSwapchainImageCount, pSwapchainImages);
  if (result >= 0 && pSwapchainImages && device.engine->needs.command_accesses) {
    guarded([&] {
      if (SwapchainFacts* const facts = device.object_facts.swapchains.find(swapchain))
        learn_images(device, *facts, pSwapchainImages, *pSwapchainImageCount);
    });
  }
  return result;
}

}  // namespace shaderqa::layer
