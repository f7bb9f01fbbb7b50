// SPDX-License-Identifier: Apache-2.0
// Submissions are finished when they return.
#include "tests/null_driver/commands.h"
#include "tests/null_driver/state.h"

namespace shaderqa::null_driver {
namespace {

VkResult submit(const char* command, VkFence fence_handle) {
  Call call(command);
  if (call.fault) return call.fault;
  if (fence_handle) {
    if (auto fence = state().get<Fence>(fence_handle)) fence->signaled = true;
  }
  return VK_SUCCESS;
}

void add_batch(BatchRecord batch) {
  const std::lock_guard lock(state().mutex);
  state().records.batches.push_back(std::move(batch));
}

void signal(VkSemaphore handle, uint64_t value) {
  const std::lock_guard lock(state().mutex);
  if (auto semaphore = state().get<Semaphore>(handle)) semaphore->value = value;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo* submits,
                                           VkFence fence) {
  const VkResult result = submit("vkQueueSubmit", fence);
  for (uint32_t i = 0; result == VK_SUCCESS && i < count; ++i) {
    BatchRecord batch;
    batch.queue = reinterpret_cast<uint64_t>(queue);
    batch.chain = chain_of(submits[i].pNext);
    for (uint32_t k = 0; k < submits[i].commandBufferCount; ++k) {
      batch.command_buffers.push_back(reinterpret_cast<uint64_t>(submits[i].pCommandBuffers[k]));
    }
    for (uint32_t k = 0; k < submits[i].waitSemaphoreCount; ++k) {
      batch.waits.push_back(reinterpret_cast<uint64_t>(submits[i].pWaitSemaphores[k]));
    }
    for (uint32_t k = 0; k < submits[i].signalSemaphoreCount; ++k) {
      batch.signals.push_back(reinterpret_cast<uint64_t>(submits[i].pSignalSemaphores[k]));
    }
    add_batch(std::move(batch));
    const auto timeline = find_in_chain<VkTimelineSemaphoreSubmitInfo>(
        submits[i].pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    for (uint32_t k = 0; timeline && k < timeline->signalSemaphoreValueCount; ++k) {
      signal(submits[i].pSignalSemaphores[k], timeline->pSignalSemaphoreValues[k]);
    }
  }
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2* submits,
                                            VkFence fence) {
  const VkResult result = submit("vkQueueSubmit2", fence);
  for (uint32_t i = 0; result == VK_SUCCESS && i < count; ++i) {
    BatchRecord batch;
    batch.queue = reinterpret_cast<uint64_t>(queue);
    batch.chain = chain_of(submits[i].pNext);
    for (uint32_t k = 0; k < submits[i].commandBufferInfoCount; ++k) {
      batch.command_buffers.push_back(
          reinterpret_cast<uint64_t>(submits[i].pCommandBufferInfos[k].commandBuffer));
      batch.device_masks.push_back(submits[i].pCommandBufferInfos[k].deviceMask);
    }
    for (uint32_t k = 0; k < submits[i].waitSemaphoreInfoCount; ++k) {
      batch.waits.push_back(reinterpret_cast<uint64_t>(submits[i].pWaitSemaphoreInfos[k].semaphore));
    }
    for (uint32_t k = 0; k < submits[i].signalSemaphoreInfoCount; ++k) {
      batch.signals.push_back(reinterpret_cast<uint64_t>(submits[i].pSignalSemaphoreInfos[k].semaphore));
    }
    add_batch(std::move(batch));
    for (uint32_t k = 0; k < submits[i].signalSemaphoreInfoCount; ++k) {
      signal(submits[i].pSignalSemaphoreInfos[k].semaphore, submits[i].pSignalSemaphoreInfos[k].value);
    }
  }
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL QueueBindSparse(VkQueue, uint32_t, const VkBindSparseInfo*, VkFence fence) {
  return submit("vkQueueBindSparse", fence);
}

VKAPI_ATTR VkResult VKAPI_CALL QueueWaitIdle(VkQueue) {
  wait_for_device();
  return Call("vkQueueWaitIdle").fault;
}
VKAPI_ATTR VkResult VKAPI_CALL DeviceWaitIdle(VkDevice) {
  wait_for_device();
  return Call("vkDeviceWaitIdle").fault;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateFence(VkDevice device, const VkFenceCreateInfo* info,
                                           const VkAllocationCallbacks*, VkFence* handle) {
  Call call("vkCreateFence");
  if (call.fault) return call.fault;
  Fence fence;
  fence.signaled = info->flags & VK_FENCE_CREATE_SIGNALED_BIT;
  *handle = state().add<VkFence>(reinterpret_cast<Device*>(device), std::move(fence));
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyFence(VkDevice, VkFence fence, const VkAllocationCallbacks*) {
  Call call("vkDestroyFence");
  state().remove<Fence>(fence);
}

VKAPI_ATTR VkResult VKAPI_CALL ResetFences(VkDevice, uint32_t count, const VkFence* fences) {
  Call call("vkResetFences");
  if (call.fault) return call.fault;
  for (uint32_t i = 0; i < count; ++i) {
    if (auto fence = state().get<Fence>(fences[i])) fence->signaled = false;
  }
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetFenceStatus(VkDevice, VkFence handle) {
  Call call("vkGetFenceStatus");
  if (call.fault) return call.fault;
  auto fence = state().get<Fence>(handle);
  return fence && fence->signaled ? VK_SUCCESS : VK_NOT_READY;
}

// Nothing will signal a fence later but another thread; the driver does not wait for it.
VKAPI_ATTR VkResult VKAPI_CALL WaitForFences(VkDevice, uint32_t count, const VkFence* fences, VkBool32 all,
                                             uint64_t) {
  wait_for_device();
  Call call("vkWaitForFences");
  if (call.fault) return call.fault;
  uint32_t signaled = 0;
  for (uint32_t i = 0; i < count; ++i) {
    auto fence = state().get<Fence>(fences[i]);
    signaled += fence && fence->signaled;
  }
  return signaled >= (all ? count : 1) ? VK_SUCCESS : VK_TIMEOUT;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateSemaphore(VkDevice device, const VkSemaphoreCreateInfo* info,
                                               const VkAllocationCallbacks*, VkSemaphore* handle) {
  Call call("vkCreateSemaphore");
  if (call.fault) return call.fault;
  const auto type =
      find_in_chain<VkSemaphoreTypeCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  Semaphore semaphore;
  semaphore.value = type ? type->initialValue : 0;
  *handle = state().add<VkSemaphore>(reinterpret_cast<Device*>(device), std::move(semaphore));
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroySemaphore(VkDevice, VkSemaphore semaphore, const VkAllocationCallbacks*) {
  Call call("vkDestroySemaphore");
  state().remove<Semaphore>(semaphore);
}

VKAPI_ATTR VkResult VKAPI_CALL GetSemaphoreCounterValue(VkDevice, VkSemaphore handle, uint64_t* value) {
  Call call("vkGetSemaphoreCounterValue");
  if (call.fault) return call.fault;
  auto semaphore = state().get<Semaphore>(handle);
  *value = semaphore ? semaphore->value : 0;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL SignalSemaphore(VkDevice, const VkSemaphoreSignalInfo* info) {
  Call call("vkSignalSemaphore");
  if (call.fault) return call.fault;
  if (auto semaphore = state().get<Semaphore>(info->semaphore)) semaphore->value = info->value;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL WaitSemaphores(VkDevice, const VkSemaphoreWaitInfo* info, uint64_t) {
  wait_for_device();
  Call call("vkWaitSemaphores");
  if (call.fault) return call.fault;
  uint32_t reached = 0;
  for (uint32_t i = 0; i < info->semaphoreCount; ++i) {
    auto semaphore = state().get<Semaphore>(info->pSemaphores[i]);
    reached += semaphore && semaphore->value >= info->pValues[i];
  }
  const bool any = info->flags & VK_SEMAPHORE_WAIT_ANY_BIT;
  return reached >= (any ? 1 : info->semaphoreCount) ? VK_SUCCESS : VK_TIMEOUT;
}

VKAPI_ATTR VkResult VKAPI_CALL GetFenceFdKHR(VkDevice, const VkFenceGetFdInfoKHR*, int* file) {
  *file = -1;  // signalled already
  return Call("vkGetFenceFdKHR").fault;
}

VKAPI_ATTR VkResult VKAPI_CALL ImportFenceFdKHR(VkDevice, const VkImportFenceFdInfoKHR* info) {
  Call call("vkImportFenceFdKHR");
  if (auto fence = state().get<Fence>(info->fence)) fence->signaled = true;
  return call.fault;
}

VKAPI_ATTR VkResult VKAPI_CALL ImportSemaphoreFdKHR(VkDevice, const VkImportSemaphoreFdInfoKHR*) {
  return Call("vkImportSemaphoreFdKHR").fault;
}

VKAPI_ATTR VkResult VKAPI_CALL GetSemaphoreFdKHR(VkDevice, const VkSemaphoreGetFdInfoKHR*, int* file) {
  *file = -1;
  return Call("vkGetSemaphoreFdKHR").fault;
}

VKAPI_ATTR VkResult VKAPI_CALL WaitForPresentKHR(VkDevice, VkSwapchainKHR, uint64_t, uint64_t) {
  return Call("vkWaitForPresentKHR").fault;
}

VKAPI_ATTR VkResult VKAPI_CALL WaitForPresent2KHR(VkDevice, VkSwapchainKHR, const VkPresentWait2InfoKHR*) {
  return Call("vkWaitForPresent2KHR").fault;
}

}  // namespace shaderqa::null_driver
