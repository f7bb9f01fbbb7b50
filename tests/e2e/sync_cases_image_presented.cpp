// SPDX-License-Identifier: Apache-2.0
// Cases of swapchains: frames that are acquired, written twice and presented.
#include "sync_image_steps.h"

namespace sync_cases {
namespace {

constexpr VkPipelineStageFlags2 kClear = VK_PIPELINE_STAGE_2_CLEAR_BIT,
                                kOutput = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
constexpr VkAccessFlags2 kDrawn = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
                         kDrawnOver = kDrawn | VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT,
                         kCleared = VK_ACCESS_2_TRANSFER_WRITE_BIT;

Step acquire() {
  return {[](Context& context) { context.acquire(); }};
}
Step present() {
  return {[](Context& context) { context.present(); }};
}

Step to_presentable() {
  return {[](Context& context) {
    VkImageMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
    barrier.oldLayout = VK_IMAGE_LAYOUT_GENERAL;
    barrier.newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = context.images[0];
    barrier.subresourceRange = part(0, 0);
    vkCmdPipelineBarrier(context.commands(), VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                         VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, nullptr, 0, nullptr, 1, &barrier);
  }};
}

// More frames than a swapchain has images, and nothing that the host waits for.
Case frames(const char* name, const Step& between_writes) {
  Case one = between(name, {}, {}, {});
  for (int i = 0; i < 7; ++i)
    for (const Step& step :
         {acquire(),
          image_barrier2(kClear, 0, kClear, kCleared, 0, VK_IMAGE_ASPECT_COLOR_BIT,
                         VK_IMAGE_LAYOUT_UNDEFINED),
          clear_image(0), between_writes, render(0, VK_ATTACHMENT_LOAD_OP_LOAD), to_presentable(), present()})
      one.steps.push_back(step);
  one.expected = raced("write after write", "store");
  one.expected.command = "vkCmdBeginRendering";
  one.expected.earlier_command = "vkCmdClearColorImage";
  one.bindings = {kResultBinding};
  one.extensions = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
  one.images[0].presented = true;
  one.images[0].format = VK_FORMAT_B8G8R8A8_UNORM;
  one.images[0].usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  return one;
}

}  // namespace

std::vector<Case> image_presented_cases() {
  return {
      frames("image_of_a_swapchain", only_correct(image_barrier2(kClear, kCleared, kOutput, kDrawnOver)))};
}

}  // namespace sync_cases
