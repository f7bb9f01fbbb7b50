// SPDX-License-Identifier: Apache-2.0
// Queues: commands that give them work, and that wait until they are idle. What was printed is out before
// they return.
#include "host/switch/check_switch.h"
#include "layer/context/instance.h"
#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/queues/device_wait.h"
#include "layer/queues/submissions.h"
#include "layer/recording/layout_replay.h"
#include "layer/resources/descriptor_sets.h"
#include "layer/resources/image_layouts.h"
#include "layer/vk/arena.h"
#include "layer/vk/guarded.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

template <typename Command, typename Info>
VkResult submit(Device& device, Command next, VkQueue queue, uint32_t count, const Info* infos,
                VkFence fence) {
  Arena arena;
  auto in_use = device.submissions.submit_to(queue);
  if (device.checks_sync()) guarded([&] { device.descriptor_sets.flush(); });
  guarded([&] { infos = device.submissions.prepare(queue, infos, count, arena); });
  if (device.checks_sync()) guarded([&] { device.submissions.fence_submitted(queue, fence); });
  const VkResult result = next(queue, count, infos, fence);
  if (in_use) in_use.unlock();
  // What was taken for submitted may not be.
  if (result != VK_SUCCESS && device.engine->needs.images)
    guarded([&] { device.image_layouts.forget_all(); });
  device.after_submit(result);
  return result;
}

// They stand for other work now than what may have been submitted with them before.
void forget_fences(Device& device, const VkPresentInfoKHR& info) {
  const auto given = find_in_chain<VkSwapchainPresentFenceInfoEXT>(
      info.pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT);
  for (uint32_t i = 0; given && given->pFences && i < given->swapchainCount; ++i)
    if (given->pFences[i]) device.engine->fence_destroyed(given->pFences[i]);
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
  auto in_use = device.submissions.submit_to(queue);
  if (device.engine->needs.order) {
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
  std::vector<WrongPresented> wrong;
  if (device.engine->needs.images) guarded([&] { wrong = find_wrong_presented(device, *pPresentInfo); });
  guarded([&] { forget_fences(device, *pPresentInfo); });
  const VkResult result = device.next.QueuePresentKHR(queue, pPresentInfo);
  if (in_use) in_use.unlock();
  if (!wrong.empty())
    guarded(
        [&] { report_presented(device, wrong, *pPresentInfo, result, device.submissions.name_of(queue)); });
  guarded([&] { device.instance->checks->frame_ended(); });
  device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::QueueWaitIdle(VkQueue queue) {
  Device& device = device_of(queue);
  std::unique_ptr<Submissions::UntilNow> waited;
  guarded([&] { waited = device.submissions.until_now(queue); });
  auto in_use = device.submissions.use(queue);
  const VkResult result =
      wait_for(*device.instance->summary, [&] { return device.next.QueueWaitIdle(queue); });
  if (in_use) in_use.unlock();
  if (result == VK_SUCCESS) {
    if (waited) guarded([&] { waited->seen(); });
    guarded([&] { device.engine->host_waited("the host after vkQueueWaitIdle"); });
  }
  device.after_wait(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::DeviceWaitIdle(VkDevice handle) {
  Device& device = device_of(handle);
  // Otherwise no queue may be used during this command.
  bool used_meanwhile = false;
  std::vector<std::unique_ptr<Submissions::UntilNow>> waited;
  guarded([&] {
    used_meanwhile = device.submissions.any_synchronised();
    if (used_meanwhile) waited = device.submissions.all_until_now();
  });
  auto in_use = device.submissions.use_all();
  const VkResult result =
      wait_for(*device.instance->summary, [&] { return device.next.DeviceWaitIdle(handle); });
  in_use.clear();
  if (result == VK_SUCCESS) {
    guarded([&] {
      for (const auto& one : waited) one->seen();
    });
    if (!used_meanwhile) device.engine->device_idle();
    guarded([&] { device.engine->host_waited("the host after vkDeviceWaitIdle"); });
  }
  used_meanwhile ? device.after_wait(result) : device.after_idle(result);
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::GetDeviceQueue(VkDevice handle, uint32_t queueFamilyIndex,
                                                 uint32_t queueIndex, VkQueue* pQueue) {
  Device& device = device_of(handle);
  device.next.GetDeviceQueue(handle, queueFamilyIndex, queueIndex, pQueue);
  VkDeviceQueueInfo2 info{};
  info.queueFamilyIndex = queueFamilyIndex;
  info.queueIndex = queueIndex;
  guarded([&] { device.submissions.add_queue(*pQueue, info); });
}

VKAPI_ATTR void VKAPI_CALL hooks::GetDeviceQueue2(VkDevice handle, const VkDeviceQueueInfo2* pQueueInfo,
                                                  VkQueue* pQueue) {
  Device& device = device_of(handle);
  device.next.GetDeviceQueue2(handle, pQueueInfo, pQueue);
  if (!*pQueue) return;
  guarded([&] { device.submissions.add_queue(*pQueue, *pQueueInfo); });
}

}  // namespace shaderqa::layer
