// Commands by which the application gives work or learns that work is done: what was printed is out before
// they return.
#include "layer/device.h"
#include "layer/dispatch.h"

namespace shaderqa::layer {
namespace {

template <typename Command, typename Info>
VkResult submit(Device& device, Command next, VkQueue queue, uint32_t count, const Info* infos,
                VkFence fence) {
  Arena arena;
  if (device.checks_sync()) {
    guarded([&] { device.descriptor_sets.flush(); });
    guarded([&] { infos = device.submissions.prepare(queue, infos, count, arena); });
  }
  const VkResult result = next(queue, count, infos, fence);
  device.after_submit(result);
  return result;
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
  const VkResult result = device.next.QueueBindSparse(queue, bindInfoCount, pBindInfo, fence);
  device.after_submit(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::QueuePresentKHR(VkQueue queue, const VkPresentInfoKHR* pPresentInfo) {
  Device& device = device_of(queue);
  const VkResult result = device.next.QueuePresentKHR(queue, pPresentInfo);
  device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::QueueWaitIdle(VkQueue queue) {
  Device& device = device_of(queue);
  const VkResult result = device.next.QueueWaitIdle(queue);
  device.submissions.host_synchronised();
  device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::DeviceWaitIdle(VkDevice handle) {
  Device& device = device_of(handle);
  const VkResult result = device.next.DeviceWaitIdle(handle);
  device.submissions.host_synchronised();
  // No queue may be used during this command, so no shader runs.
  device.after_wait(result, PrintfStream::Mode::finished);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::WaitForFences(VkDevice handle, uint32_t fenceCount,
                                                    const VkFence* pFences, VkBool32 waitAll,
                                                    uint64_t timeout) {
  Device& device = device_of(handle);
  const VkResult result = device.next.WaitForFences(handle, fenceCount, pFences, waitAll, timeout);
  if (result == VK_SUCCESS) device.submissions.host_synchronised();
  device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::GetFenceStatus(VkDevice handle, VkFence fence) {
  Device& device = device_of(handle);
  const VkResult result = device.next.GetFenceStatus(handle, fence);
  if (result == VK_SUCCESS) device.submissions.host_synchronised();
  if (result != VK_NOT_READY) device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::WaitSemaphores(VkDevice handle, const VkSemaphoreWaitInfo* pWaitInfo,
                                                     uint64_t timeout) {
  Device& device = device_of(handle);
  const VkResult result = device.next.WaitSemaphores(handle, pWaitInfo, timeout);
  if (result == VK_SUCCESS) device.submissions.host_synchronised();
  device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::GetSemaphoreCounterValue(VkDevice handle, VkSemaphore semaphore,
                                                               uint64_t* pValue) {
  Device& device = device_of(handle);
  const VkResult result = device.next.GetSemaphoreCounterValue(handle, semaphore, pValue);
  if (result == VK_SUCCESS) device.submissions.host_synchronised();
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
  if (result == VK_SUCCESS) device.submissions.host_synchronised();
  if ((flags & VK_QUERY_RESULT_WAIT_BIT) || result < 0) device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::GetEventStatus(VkDevice handle, VkEvent event) {
  Device& device = device_of(handle);
  const VkResult result = device.next.GetEventStatus(handle, event);
  if (result == VK_EVENT_SET) device.submissions.host_synchronised();
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
  device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::AcquireNextImage2KHR(VkDevice handle,
                                                           const VkAcquireNextImageInfoKHR* pAcquireInfo,
                                                           uint32_t* pImageIndex) {
  Device& device = device_of(handle);
  const VkResult result = device.next.AcquireNextImage2KHR(handle, pAcquireInfo, pImageIndex);
  device.after_wait(result);
  return result;
}

}  // namespace shaderqa::layer
