// SPDX-License-Identifier: Apache-2.0
// Cases of swapchains: frames that are acquired, written twice and presented.
#include <memory>
#include <set>
#include <utility>

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

Step to_presentable(VkImageLayout old_layout = VK_IMAGE_LAYOUT_GENERAL) {
  return {[=](Context& context) {
    VkImageMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.oldLayout = old_layout;
    barrier.newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = context.images[0];
    barrier.subresourceRange = part(0, 0);
    vkCmdPipelineBarrier(context.commands(),
                         VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                         VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, nullptr, 0, nullptr, 1, &barrier);
  }};
}

Case presents(const char* name, std::vector<Step> steps) {
  Case one = between(name, std::move(steps), {}, {});
  one.bindings = {kResultBinding};
  one.extensions = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
  one.images[0].presented = true;
  one.images[0].format = VK_FORMAT_B8G8R8A8_UNORM;
  one.images[0].usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  return one;
}

Step to_general(VkImageLayout old_layout = VK_IMAGE_LAYOUT_UNDEFINED) {
  return image_barrier2(kClear, 0, kClear, kCleared, 0, VK_IMAGE_ASPECT_COLOR_BIT, old_layout);
}

// More frames than a swapchain has images, and nothing that the host waits for.
Case frames(const char* name, const Step& between_writes) {
  Case one = presents(name, {});
  for (int i = 0; i < 7; ++i)
    for (const Step& step : {acquire(), to_general(), clear_image(0), between_writes,
                             render(0, VK_ATTACHMENT_LOAD_OP_LOAD), to_presentable(), present()})
      one.steps.push_back(step);
  one.expected = raced("write after write", "store");
  one.expected.command = "vkCmdBeginRendering";
  one.expected.earlier_command = "vkCmdClearColorImage";
  return one;
}

// What was presented before is acquired in the layout for that.
Step from_the_last_frame() {
  const auto seen = std::make_shared<std::set<VkImage>>();
  return {[=](Context& context) {
    const bool first = seen->insert(context.images[0]).second;
    to_general(first ? VK_IMAGE_LAYOUT_UNDEFINED : VK_IMAGE_LAYOUT_PRESENT_SRC_KHR).act(context);
  }};
}

}  // namespace

std::vector<Case> image_presented_cases() {
  return {
      frames("image_of_a_swapchain", only_correct(image_barrier2(kClear, kCleared, kOutput, kDrawnOver)))};
}

std::vector<LayoutCase> presented_layout_cases() {
  const auto wrong = [](const char* name, std::vector<Step> steps, const char* is, const char* changed_by) {
    return LayoutCase{presents(name, std::move(steps)), "vkQueuePresentKHR",
                      "VK_IMAGE_LAYOUT_PRESENT_SRC_KHR", is, changed_by};
  };
  return {
      wrong("layout_of_presentation",
            {acquire(), to_general(), clear_image(0), only_correct(to_presentable()), present()},
            "VK_IMAGE_LAYOUT_GENERAL", "vkCmdPipelineBarrier2"),
      wrong("layout_of_presentation_as_created",
            {acquire(), only_correct(to_presentable(VK_IMAGE_LAYOUT_UNDEFINED)), present()},
            "VK_IMAGE_LAYOUT_UNDEFINED", ""),
  };
}

std::vector<Case> presented_layout_patterns() {
  Case kept = presents("layouts_of_presentation_kept", {});
  const Step from_last = from_the_last_frame();
  for (int i = 0; i < 7; ++i)
    for (const Step& step : {acquire(), from_last, clear_image(0), to_presentable(), present()})
      kept.steps.push_back(step);
  return {kept};
}

}  // namespace sync_cases
