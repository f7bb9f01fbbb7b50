// SPDX-License-Identifier: Apache-2.0
// With the exact engine: what the host knows that it has not waited for by a fence of a submission.
#include <functional>
#include <vector>

#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

DeviceOptions options() {
  DeviceOptions options;
  options.extensions = {"VK_KHR_external_fence_fd", "VK_KHR_external_semaphore_fd", "VK_KHR_present_wait",
                        "VK_KHR_swapchain"};
  return options;
}

class OutsideWaits : public CommandTest {
 protected:
  OutsideWaits() : CommandTest(options(), {}, "exact") {}
  // Whether a submission is ordered behind another one after the host has learnt something.
  bool ordered_behind(const std::function<void()>& learn, VkSemaphore wait = VK_NULL_HANDLE) {
    const size_t before = records().size();
    const VkCommandBuffer first = checked_commands();
    const VkCommandBuffer second = checked_commands();
    submit({first});
    learn();
    submit({second}, wait, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
    const uint32_t* const record = records().at(before + 1);
    return visible_before(record) + 1 == submission_of(record).first_sequence;
  }
  void submit_fence(VkFence fence) {
    check(vk().vkQueueSubmit(device().queue, 0, nullptr, fence), "vkQueueSubmit");
  }
  void wait_for(VkFence fence) {
    check(vk().vkWaitForFences(device().handle, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  }
};

// The host may know more than it has asked Vulkan for.
TEST_F(OutsideWaits, OrderWhatCameBefore) {
  EXPECT_FALSE(ordered_behind([] {}));
  EXPECT_TRUE(ordered_behind([&] {
    check(vk().vkWaitForPresentKHR(device().handle, VK_NULL_HANDLE, 1, UINT64_MAX), "vkWaitForPresentKHR");
  }));
  EXPECT_FALSE(ordered_behind([] {}));
  int file = -1;
  VkSemaphoreGetFdInfoKHR semaphore{};
  semaphore.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR;
  semaphore.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  check(vk().vkGetSemaphoreFdKHR(device().handle, &semaphore, &file), "vkGetSemaphoreFdKHR");
  EXPECT_FALSE(ordered_behind([] {})) << "it cannot be waited for by such a file";
  const VkFence fence = create_fence(device());
  submit_fence(fence);
  EXPECT_TRUE(ordered_behind([&] {
    VkImportFenceFdInfoKHR imported{};
    imported.sType = VK_STRUCTURE_TYPE_IMPORT_FENCE_FD_INFO_KHR;
    imported.fence = fence;
    check(vk().vkImportFenceFdKHR(device().handle, &imported), "vkImportFenceFdKHR");
    wait_for(fence);
  }));
  EXPECT_FALSE(ordered_behind([] {}));
  VkFenceGetFdInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR;
  info.fence = fence;
  info.handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
  check(vk().vkGetFenceFdKHR(device().handle, &info, &file), "vkGetFenceFdKHR");
  EXPECT_TRUE(ordered_behind([] {}));
  EXPECT_EQ(notes_about("from vkGetFenceFdKHR on").size(), 1u);
  vk().vkDestroyFence(device().handle, fence, nullptr);
}

// A semaphore that stands for what another process, or another semaphore, has signalled.
TEST_F(OutsideWaits, AnImportedSemaphoreMayHaveBeenSignalledByAnything) {
  const VkSemaphore semaphore = create_semaphore();
  const auto signal = [&] {
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &semaphore;
    check(vk().vkQueueSubmit(device().queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
  };
  const auto import = [&](VkSemaphoreImportFlags flags) {
    VkImportSemaphoreFdInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR;
    info.semaphore = semaphore;
    info.flags = flags;
    info.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    check(vk().vkImportSemaphoreFdKHR(device().handle, &info), "vkImportSemaphoreFdKHR");
  };
  signal();
  EXPECT_FALSE(ordered_behind([] {}, semaphore)) << "it was signalled before";
  signal();
  EXPECT_TRUE(ordered_behind([&] { import(VK_SEMAPHORE_IMPORT_TEMPORARY_BIT); }, semaphore));
  signal();
  EXPECT_FALSE(ordered_behind([] {}, semaphore)) << "its own payload is back";
  signal();
  EXPECT_TRUE(ordered_behind([&] { import(0); }, semaphore));
  signal();
  EXPECT_TRUE(ordered_behind([] {}, semaphore)) << "others may signal it from then on";
}

// A fence that a submission has signalled before is given to a presentation.
TEST_F(OutsideWaits, AFenceOfAPresentationIsAnotherOne) {
  const VkFence fence = create_fence(device());
  submit_fence(fence);
  EXPECT_FALSE(ordered_behind([&] { wait_for(fence); })) << "it was signalled before";
  VkSwapchainPresentFenceInfoEXT fences{};
  fences.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT;
  fences.swapchainCount = 1;
  fences.pFences = &fence;
  VkPresentInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
  info.pNext = &fences;
  EXPECT_TRUE(ordered_behind([&] {
    check(vk().vkQueuePresentKHR(device().queue, &info), "vkQueuePresentKHR");
    wait_for(fence);
  }));
  vk().vkDestroyFence(device().handle, fence, nullptr);
}

}  // namespace
}  // namespace shaderqa::layer_tests
