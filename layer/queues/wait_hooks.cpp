// SPDX-License-Identifier: Apache-2.0
// Fences, semaphores, events and queries: what orders work on the device, and tells the application that work
// is done. What was printed is out before they return.
#include "layer/context/instance.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/queues/device_wait.h"
#include "layer/queues/submissions.h"
#include "layer/resources/image_memory.h"
#include "layer/vk/guarded.h"

namespace shaderqa::layer {
namespace {

// The application may read what it has mapped. command: what told it so.
void host_waited(Device& device, const char* command) {
  guarded([&] { device.engine->host_waited(command); });
}

// A sync file can be waited for without Vulkan.
VkResult after_export(Device& device, VkResult result, bool sync_file, const char* command) {
  if (result == VK_SUCCESS && sync_file) guarded([&] { device.submissions.learn_outside(command); });
  return result;
}

// What was submitted before that image was presented is done; which submissions these are is not known.
VkResult after_present_wait(Device& device, VkResult result) {
  if (result == VK_SUCCESS) device.engine->something_seen();
  device.after_wait(result);
  return result;
}

bool is_acquired(VkResult result) { return result == VK_SUCCESS || result == VK_SUBOPTIMAL_KHR; }

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hooks::WaitForFences(VkDevice handle, uint32_t fenceCount,
                                                    const VkFence* pFences, VkBool32 waitAll,
                                                    uint64_t timeout) {
  Device& device = device_of(handle);
  const VkResult result = wait_for(*device.instance->summary, [&] {
    return device.next.WaitForFences(handle, fenceCount, pFences, waitAll, timeout);
  });
  if (result == VK_SUCCESS) {
    const bool all = waitAll || fenceCount == 1;
    for (uint32_t i = 0; i < fenceCount; ++i) device.engine->fence_seen(pFences[i], all);
    host_waited(device, "the host after vkWaitForFences");
  }
  device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::GetFenceStatus(VkDevice handle, VkFence fence) {
  Device& device = device_of(handle);
  const VkResult result = device.next.GetFenceStatus(handle, fence);
  if (result == VK_SUCCESS) {
    device.engine->fence_seen(fence, true);
    host_waited(device, "the host after vkGetFenceStatus");
  }
  if (result != VK_NOT_READY) device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::WaitSemaphores(VkDevice handle, const VkSemaphoreWaitInfo* pWaitInfo,
                                                     uint64_t timeout) {
  Device& device = device_of(handle);
  const VkResult result = wait_for(*device.instance->summary,
                                   [&] { return device.next.WaitSemaphores(handle, pWaitInfo, timeout); });
  if (result == VK_SUCCESS) {
    const uint32_t count = pWaitInfo->semaphoreCount;
    const bool all = !(pWaitInfo->flags & VK_SEMAPHORE_WAIT_ANY_BIT) || count == 1;
    for (uint32_t i = 0; i < count; ++i) {
      device.engine->semaphore_seen(pWaitInfo->pSemaphores[i], pWaitInfo->pValues[i], all);
    }
    host_waited(device, "the host after vkWaitSemaphores");
  }
  device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::GetSemaphoreCounterValue(VkDevice handle, VkSemaphore semaphore,
                                                               uint64_t* pValue) {
  Device& device = device_of(handle);
  const VkResult result = device.next.GetSemaphoreCounterValue(handle, semaphore, pValue);
  if (result == VK_SUCCESS) {
    device.engine->semaphore_seen(semaphore, *pValue, true);
    host_waited(device, "the host after vkGetSemaphoreCounterValue");
  }
  device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::GetQueryPoolResults(VkDevice handle, VkQueryPool queryPool,
                                                          uint32_t firstQuery, uint32_t queryCount,
                                                          size_t dataSize, void* pData, VkDeviceSize stride,
                                                          VkQueryResultFlags flags) {
  Device& device = device_of(handle);
  const auto get_results = [&] {
    return device.next.GetQueryPoolResults(handle, queryPool, firstQuery, queryCount, dataSize, pData, stride,
                                           flags);
  };
  const bool waits = (flags & VK_QUERY_RESULT_WAIT_BIT) != 0;
  const VkResult result = waits ? wait_for(*device.instance->summary, get_results) : get_results();
  if (result == VK_SUCCESS) device.engine->something_seen();
  if (waits || result < 0) device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::GetEventStatus(VkDevice handle, VkEvent event) {
  Device& device = device_of(handle);
  const VkResult result = device.next.GetEventStatus(handle, event);
  if (result == VK_EVENT_SET) device.engine->something_seen();
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::AcquireNextImageKHR(VkDevice handle, VkSwapchainKHR swapchain,
                                                          uint64_t timeout, VkSemaphore semaphore,
                                                          VkFence fence, uint32_t* pImageIndex) {
  Device& device = device_of(handle);
  const VkResult result =
      device.next.AcquireNextImageKHR(handle, swapchain, timeout, semaphore, fence, pImageIndex);
  guarded([&] {
    device.engine->image_acquired(semaphore, fence);
    if (is_acquired(result)) presentable_acquired(device, swapchain, *pImageIndex);
  });
  device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::AcquireNextImage2KHR(VkDevice handle,
                                                           const VkAcquireNextImageInfoKHR* pAcquireInfo,
                                                           uint32_t* pImageIndex) {
  Device& device = device_of(handle);
  const VkResult result = device.next.AcquireNextImage2KHR(handle, pAcquireInfo, pImageIndex);
  guarded([&] {
    device.engine->image_acquired(pAcquireInfo->semaphore, pAcquireInfo->fence);
    if (is_acquired(result)) presentable_acquired(device, pAcquireInfo->swapchain, *pImageIndex);
  });
  device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateSemaphore(VkDevice handle,
                                                      const VkSemaphoreCreateInfo* pCreateInfo,
                                                      const VkAllocationCallbacks* pAllocator,
                                                      VkSemaphore* pSemaphore) {
  Device& device = device_of(handle);
  const VkResult result = device.next.CreateSemaphore(handle, pCreateInfo, pAllocator, pSemaphore);
  if (result == VK_SUCCESS) guarded([&] { device.engine->semaphore_created(*pSemaphore, *pCreateInfo); });
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroySemaphore(VkDevice handle, VkSemaphore semaphore,
                                                   const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  if (semaphore) device.engine->semaphore_destroyed(semaphore);
  device.next.DestroySemaphore(handle, semaphore, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::SignalSemaphore(VkDevice handle,
                                                      const VkSemaphoreSignalInfo* pSignalInfo) {
  Device& device = device_of(handle);
  guarded([&] { device.engine->semaphore_signalled_by_host(pSignalInfo->semaphore, pSignalInfo->value); });
  return device.next.SignalSemaphore(handle, pSignalInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroyFence(VkDevice handle, VkFence fence,
                                               const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  if (fence) device.engine->fence_destroyed(fence);
  device.next.DestroyFence(handle, fence, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::GetFenceFdKHR(VkDevice handle, const VkFenceGetFdInfoKHR* pGetFdInfo,
                                                    int* pFd) {
  Device& device = device_of(handle);
  const bool sync_file = pGetFdInfo->handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
  return after_export(device, device.next.GetFenceFdKHR(handle, pGetFdInfo, pFd), sync_file,
                      "vkGetFenceFdKHR");
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::GetSemaphoreFdKHR(VkDevice handle,
                                                        const VkSemaphoreGetFdInfoKHR* pGetFdInfo, int* pFd) {
  Device& device = device_of(handle);
  const bool sync_file = pGetFdInfo->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
  return after_export(device, device.next.GetSemaphoreFdKHR(handle, pGetFdInfo, pFd), sync_file,
                      "vkGetSemaphoreFdKHR");
}

// It stands for other work now than was submitted with it.
VKAPI_ATTR VkResult VKAPI_CALL hooks::ImportFenceFdKHR(VkDevice handle,
                                                       const VkImportFenceFdInfoKHR* pImportFenceFdInfo) {
  Device& device = device_of(handle);
  const VkResult result = device.next.ImportFenceFdKHR(handle, pImportFenceFdInfo);
  if (result == VK_SUCCESS) guarded([&] { device.engine->fence_destroyed(pImportFenceFdInfo->fence); });
  return result;
}

// The same of a semaphore. The payload of a sync file is always temporary.
VKAPI_ATTR VkResult VKAPI_CALL
hooks::ImportSemaphoreFdKHR(VkDevice handle, const VkImportSemaphoreFdInfoKHR* pImportSemaphoreFdInfo) {
  Device& device = device_of(handle);
  const VkResult result = device.next.ImportSemaphoreFdKHR(handle, pImportSemaphoreFdInfo);
  if (result == VK_SUCCESS)
    guarded([&] {
      const VkImportSemaphoreFdInfoKHR& info = *pImportSemaphoreFdInfo;
      device.engine->semaphore_imported(info.semaphore,
                                        (info.flags & VK_SEMAPHORE_IMPORT_TEMPORARY_BIT) != 0 ||
                                            info.handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT);
    });
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::WaitForPresentKHR(VkDevice handle, VkSwapchainKHR swapchain,
                                                        uint64_t presentId, uint64_t timeout) {
  Device& device = device_of(handle);
  return after_present_wait(device, device.next.WaitForPresentKHR(handle, swapchain, presentId, timeout));
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::WaitForPresent2KHR(VkDevice handle, VkSwapchainKHR swapchain,
                                                         const VkPresentWait2InfoKHR* pPresentWait2Info) {
  Device& device = device_of(handle);
  return after_present_wait(device, device.next.WaitForPresent2KHR(handle, swapchain, pPresentWait2Info));
}

}  // namespace shaderqa::layer
