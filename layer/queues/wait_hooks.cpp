// SPDX-License-Identifier: Apache-2.0
// Commands by which the application gives work or learns that work is done: what was printed is out before
// they return.
#include "layer/engines/exact/exact_engine.h"
#include "layer/engines/exact/host_reads.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/queues/submissions.h"
#include "layer/resources/descriptor_sets.h"
#include "layer/vk/guarded.h"
#include "layer/vk/handle_value.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

template <typename Command, typename Info>
VkResult submit(Device& device, Command next, VkQueue queue, uint32_t count, const Info* infos,
                VkFence fence) {
  Arena arena;
  auto in_use = device.submissions.use(queue);
  if (device.checks_sync()) {
    guarded([&] { device.descriptor_sets.flush(); });
    guarded([&] { infos = device.submissions.prepare(queue, infos, count, arena); });
    guarded([&] { device.submissions.fence_submitted(queue, fence); });
  }
  const VkResult result = next(queue, count, infos, fence);
  if (in_use) in_use.unlock();
  device.after_submit(result);
  return result;
}

// A query's result or an event: what the device did for it is done, and nobody knows what that is.
void something_seen(Device& device) {
  device.submissions.host_synchronised();
  if (device.exact) device.exact->order.something_seen();
}

// It may read what it has mapped. command: what told it so.
void host_waited(Device& device, const char* command) {
  if (device.host_reads) guarded([&] { device.host_reads->wait(command); });
}

void image_acquired(Device& device, VkSemaphore semaphore, VkFence fence) {
  if (!device.exact) return;
  guarded([&] { device.exact->order.signal_from_outside(handle_value(semaphore), handle_value(fence)); });
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hooks::QueueSubmit(VkQueue queue, uint32_t submitCount,
                                                  const VkSubmitInfo* pSubmits, VkFence fence) {
  Device& device = device_of(queue);
  return submit(device, device.next.QueueSubmit, queue, submitCount, pSubmits, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::QueueSubmit2(VkQueue queue, uint32_t submitCount,
                                                   const VkSubmitInfo2* pSubmits, VkFence fence) {
  Device& device = device_of(queue);
  return submit(device, device.next.QueueSubmit2, queue, submitCount, pSubmits, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::QueueBindSparse(VkQueue queue, uint32_t bindInfoCount,
                                                      const VkBindSparseInfo* pBindInfo, VkFence fence) {
  Device& device = device_of(queue);
  auto in_use = device.submissions.use(queue);
  if (device.exact) {
    guarded([&] { device.submissions.prepare_sparse(queue, pBindInfo, bindInfoCount); });
    guarded([&] { device.submissions.fence_submitted(queue, fence); });
  }
  const VkResult result = device.next.QueueBindSparse(queue, bindInfoCount, pBindInfo, fence);
  if (in_use) in_use.unlock();
  device.after_submit(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::QueuePresentKHR(VkQueue queue, const VkPresentInfoKHR* pPresentInfo) {
  Device& device = device_of(queue);
  auto in_use = device.submissions.use(queue);
  const VkResult result = device.next.QueuePresentKHR(queue, pPresentInfo);
  if (in_use) in_use.unlock();
  device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::QueueWaitIdle(VkQueue queue) {
  Device& device = device_of(queue);
  auto in_use = device.submissions.use(queue);
  const VkResult result = device.next.QueueWaitIdle(queue);
  if (in_use) in_use.unlock();
  device.submissions.host_synchronised();
  if (result == VK_SUCCESS) {
    guarded([&] { device.submissions.queue_idle(queue); });
    host_waited(device, "the host after vkQueueWaitIdle");
  }
  device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::DeviceWaitIdle(VkDevice handle) {
  Device& device = device_of(handle);
  auto in_use = device.submissions.use_all();
  const VkResult result = device.next.DeviceWaitIdle(handle);
  in_use.clear();
  device.submissions.host_synchronised();
  if (device.exact && result == VK_SUCCESS) {
    device.exact->order.device_idle();
    host_waited(device, "the host after vkDeviceWaitIdle");
  }
  // No queue may be used during this command, so no shader runs.
  device.after_idle(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::WaitForFences(VkDevice handle, uint32_t fenceCount,
                                                    const VkFence* pFences, VkBool32 waitAll,
                                                    uint64_t timeout) {
  Device& device = device_of(handle);
  const VkResult result = device.next.WaitForFences(handle, fenceCount, pFences, waitAll, timeout);
  if (result == VK_SUCCESS) {
    device.submissions.host_synchronised();
    const bool all = waitAll || fenceCount == 1;
    for (uint32_t i = 0; device.exact && i < fenceCount; ++i) {
      device.exact->order.fence_seen(handle_value(pFences[i]), all);
    }
    host_waited(device, "the host after vkWaitForFences");
  }
  device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::GetFenceStatus(VkDevice handle, VkFence fence) {
  Device& device = device_of(handle);
  const VkResult result = device.next.GetFenceStatus(handle, fence);
  if (result == VK_SUCCESS) {
    device.submissions.host_synchronised();
    if (device.exact) device.exact->order.fence_seen(handle_value(fence), true);
    host_waited(device, "the host after vkGetFenceStatus");
  }
  if (result != VK_NOT_READY) device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::WaitSemaphores(VkDevice handle, const VkSemaphoreWaitInfo* pWaitInfo,
                                                     uint64_t timeout) {
  Device& device = device_of(handle);
  const VkResult result = device.next.WaitSemaphores(handle, pWaitInfo, timeout);
  if (result == VK_SUCCESS) {
    device.submissions.host_synchronised();
    const uint32_t count = pWaitInfo->semaphoreCount;
    const bool all = !(pWaitInfo->flags & VK_SEMAPHORE_WAIT_ANY_BIT) || count == 1;
    for (uint32_t i = 0; device.exact && i < count; ++i) {
      device.exact->order.semaphore_seen(handle_value(pWaitInfo->pSemaphores[i]), pWaitInfo->pValues[i], all);
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
    device.submissions.host_synchronised();
    if (device.exact) device.exact->order.semaphore_seen(handle_value(semaphore), *pValue, true);
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
  const VkResult result = device.next.GetQueryPoolResults(handle, queryPool, firstQuery, queryCount, dataSize,
                                                          pData, stride, flags);
  if (result == VK_SUCCESS) something_seen(device);
  if ((flags & VK_QUERY_RESULT_WAIT_BIT) || result < 0) device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::GetEventStatus(VkDevice handle, VkEvent event) {
  Device& device = device_of(handle);
  const VkResult result = device.next.GetEventStatus(handle, event);
  if (result == VK_EVENT_SET) something_seen(device);
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::GetDeviceQueue(VkDevice handle, uint32_t queueFamilyIndex,
                                                 uint32_t queueIndex, VkQueue* pQueue) {
  Device& device = device_of(handle);
  device.next.GetDeviceQueue(handle, queueFamilyIndex, queueIndex, pQueue);
  guarded([&] { device.submissions.add_queue(*pQueue, queueFamilyIndex, queueIndex); });
}

VKAPI_ATTR void VKAPI_CALL hooks::GetDeviceQueue2(VkDevice handle, const VkDeviceQueueInfo2* pQueueInfo,
                                                  VkQueue* pQueue) {
  Device& device = device_of(handle);
  device.next.GetDeviceQueue2(handle, pQueueInfo, pQueue);
  if (!*pQueue) return;
  guarded(
      [&] { device.submissions.add_queue(*pQueue, pQueueInfo->queueFamilyIndex, pQueueInfo->queueIndex); });
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::AcquireNextImageKHR(VkDevice handle, VkSwapchainKHR swapchain,
                                                          uint64_t timeout, VkSemaphore semaphore,
                                                          VkFence fence, uint32_t* pImageIndex) {
  Device& device = device_of(handle);
  const VkResult result =
      device.next.AcquireNextImageKHR(handle, swapchain, timeout, semaphore, fence, pImageIndex);
  image_acquired(device, semaphore, fence);
  device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::AcquireNextImage2KHR(VkDevice handle,
                                                           const VkAcquireNextImageInfoKHR* pAcquireInfo,
                                                           uint32_t* pImageIndex) {
  Device& device = device_of(handle);
  const VkResult result = device.next.AcquireNextImage2KHR(handle, pAcquireInfo, pImageIndex);
  image_acquired(device, pAcquireInfo->semaphore, pAcquireInfo->fence);
  device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateSemaphore(VkDevice handle,
                                                      const VkSemaphoreCreateInfo* pCreateInfo,
                                                      const VkAllocationCallbacks* pAllocator,
                                                      VkSemaphore* pSemaphore) {
  Device& device = device_of(handle);
  const VkResult result = device.next.CreateSemaphore(handle, pCreateInfo, pAllocator, pSemaphore);
  if (result != VK_SUCCESS || !device.exact) return result;
  const auto type = find_in_chain<VkSemaphoreTypeCreateInfo>(pCreateInfo->pNext,
                                                             VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  const auto shared = find_in_chain<VkExportSemaphoreCreateInfo>(
      pCreateInfo->pNext, VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO);
  guarded([&] {
    device.exact->order.create_semaphore(handle_value(*pSemaphore),
                                         type && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE,
                                         type ? type->initialValue : 0, shared && shared->handleTypes);
  });
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroySemaphore(VkDevice handle, VkSemaphore semaphore,
                                                   const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  if (device.exact && semaphore) device.exact->order.destroy_semaphore(handle_value(semaphore));
  device.next.DestroySemaphore(handle, semaphore, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::SignalSemaphore(VkDevice handle,
                                                      const VkSemaphoreSignalInfo* pSignalInfo) {
  Device& device = device_of(handle);
  if (device.exact) {
    guarded([&] {
      device.exact->order.signal_from_host(handle_value(pSignalInfo->semaphore), pSignalInfo->value);
    });
  }
  return device.next.SignalSemaphore(handle, pSignalInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroyFence(VkDevice handle, VkFence fence,
                                               const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  if (device.exact && fence) device.exact->order.destroy_fence(handle_value(fence));
  device.next.DestroyFence(handle, fence, pAllocator);
}

}  // namespace shaderqa::layer
