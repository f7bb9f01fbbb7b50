// SPDX-License-Identifier: Apache-2.0
// The images of a window that nobody sees.
#include <stdexcept>

#include "sync_context.h"

namespace sync_cases {

using kit::check;

void Context::make_swapchain(const ImageSpec& spec) {
  VkHeadlessSurfaceCreateInfoEXT surface_info{};
  surface_info.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT;
  VkSurfaceKHR surface;
  check(vkCreateHeadlessSurfaceEXT(device.instance, &surface_info, nullptr, &surface), "surface");
  device.later([of = device.instance, surface] { vkDestroySurfaceKHR(of, surface, nullptr); });
  VkBool32 presents = VK_FALSE;
  check(vkGetPhysicalDeviceSurfaceSupportKHR(device.gpu, device.queue_family, surface, &presents), "support");
  if (!presents) throw std::runtime_error("the queue cannot present");
  VkSurfaceCapabilitiesKHR can{};
  check(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(device.gpu, surface, &can), "capabilities");
  VkSwapchainCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
  info.surface = surface;
  info.minImageCount = can.minImageCount;
  info.imageFormat = spec.format;
  info.imageExtent = {spec.extent.width, spec.extent.height};
  info.imageArrayLayers = 1;
  info.imageUsage = spec.usage;
  info.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR;
  info.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
  info.presentMode = VK_PRESENT_MODE_FIFO_KHR;
  check(vkCreateSwapchainKHR(device.handle, &info, nullptr, &swapchain_), "swapchain");
  device.later([handle = device.handle, made = swapchain_] {
    vkDeviceWaitIdle(handle);
    vkDestroySwapchainKHR(handle, made, nullptr);
  });
  uint32_t count = 0;
  check(vkGetSwapchainImagesKHR(device.handle, swapchain_, &count, nullptr), "images");
  presentable_.resize(count);
  check(vkGetSwapchainImagesKHR(device.handle, swapchain_, &count, presentable_.data()), "images");
  for (const VkImage image : presentable_)
    name(VK_OBJECT_TYPE_IMAGE, reinterpret_cast<uint64_t>(image),
         std::string(racy ? "racy " : "correct ") + test.name + " " + spec.name);
  images.push_back(VK_NULL_HANDLE);
}

void Context::acquire() {
  const VkSemaphore acquired = semaphore(false);
  check(vkAcquireNextImageKHR(device.handle, swapchain_, UINT64_MAX, acquired, VK_NULL_HANDLE, &acquired_),
        "vkAcquireNextImageKHR");
  images[0] = presentable_[acquired_];
  wait_before_next({acquired, 0, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT});
}

void Context::present() {
  const VkSemaphore done = semaphore(false);
  submit(VK_NULL_HANDLE, done);
  VkPresentInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
  info.waitSemaphoreCount = 1;
  info.pWaitSemaphores = &done;
  info.swapchainCount = 1;
  info.pSwapchains = &swapchain_;
  info.pImageIndices = &acquired_;
  check(vkQueuePresentKHR(queue_, &info), "vkQueuePresentKHR");
}

}  // namespace sync_cases
