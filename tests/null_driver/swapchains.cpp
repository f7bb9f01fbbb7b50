// SPDX-License-Identifier: Apache-2.0
// Swapchains of images that nobody sees: the first one is always acquired.
#include <algorithm>

#include "tests/null_driver/commands.h"
#include "tests/null_driver/state.h"

namespace shaderqa::null_driver {

VKAPI_ATTR VkResult VKAPI_CALL CreateSwapchainKHR(VkDevice device, const VkSwapchainCreateInfoKHR* info,
                                                  const VkAllocationCallbacks*, VkSwapchainKHR* handle) {
  Call call("vkCreateSwapchainKHR");
  if (call.fault) return call.fault;
  Swapchain swapchain;
  for (uint32_t i = 0; i < info->minImageCount; ++i)
    swapchain.images.push_back(state().add<VkImage>(reinterpret_cast<Device*>(device), Image()));
  *handle = state().add<VkSwapchainKHR>(reinterpret_cast<Device*>(device), std::move(swapchain));
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroySwapchainKHR(VkDevice, VkSwapchainKHR handle,
                                               const VkAllocationCallbacks*) {
  Call call("vkDestroySwapchainKHR");
  const Swapchain* const swapchain = handle ? state().get<Swapchain>(handle) : nullptr;
  if (!swapchain) return;
  for (const VkImage image : swapchain->images) state().remove<Image>(image);
  state().remove<Swapchain>(handle);
}

VKAPI_ATTR VkResult VKAPI_CALL GetSwapchainImagesKHR(VkDevice, VkSwapchainKHR handle, uint32_t* count,
                                                     VkImage* images) {
  Call call("vkGetSwapchainImagesKHR");
  if (call.fault) return call.fault;
  const Swapchain* const swapchain = state().get<Swapchain>(handle);
  return swapchain ? give_list(swapchain->images, count, images) : VK_ERROR_UNKNOWN;
}

VKAPI_ATTR VkResult VKAPI_CALL QueuePresentKHR(VkQueue, const VkPresentInfoKHR* info) {
  Call call("vkQueuePresentKHR");
  if (call.fault) return call.fault;
  VkResult worst = VK_SUCCESS;
  const std::vector<VkResult>& results = state().settings.present_results;
  for (uint32_t i = 0; i < info->swapchainCount; ++i) {
    const VkResult result = i < results.size() ? results[i] : VK_SUCCESS;
    if (info->pResults) info->pResults[i] = result;
    worst = std::min(worst, result);
  }
  return worst;
}

VKAPI_ATTR VkResult VKAPI_CALL AcquireNextImageKHR(VkDevice, VkSwapchainKHR, uint64_t, VkSemaphore, VkFence,
                                                   uint32_t* index) {
  *index = 0;
  return Call("vkAcquireNextImageKHR").fault;
}

VKAPI_ATTR VkResult VKAPI_CALL AcquireNextImage2KHR(VkDevice, const VkAcquireNextImageInfoKHR*,
                                                    uint32_t* index) {
  *index = 0;
  return Call("vkAcquireNextImage2KHR").fault;
}

}  // namespace shaderqa::null_driver
