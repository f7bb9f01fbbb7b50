// SPDX-License-Identifier: Apache-2.0
// Cases of copies and layout transitions by the host, between work of the device.
#include <vector>

#include "sync_image_steps.h"

namespace sync_cases {
namespace {

constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL, kSource = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
constexpr VkImageSubresourceLayers kLayers = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};

Step host_in(uint32_t value, VkImageLayout layout = kGeneral) {
  return {[=](Context& context) {
    const std::vector<uint32_t> texels(16 * 16, value);
    VkMemoryToImageCopy region{};
    region.sType = VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY;
    region.pHostPointer = texels.data();
    region.imageSubresource = kLayers;
    region.imageExtent = {16, 16, 1};
    VkCopyMemoryToImageInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO;
    info.dstImage = context.images[0];
    info.dstImageLayout = layout;
    info.regionCount = 1;
    info.pRegions = &region;
    kit::check(vkCopyMemoryToImageEXT(context.device.handle, &info), "vkCopyMemoryToImageEXT");
  }};
}

// The first row alone.
Step host_out() {
  return {[](Context& context) {
    std::vector<uint32_t> texels(16);
    VkImageToMemoryCopy region{};
    region.sType = VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY;
    region.pHostPointer = texels.data();
    region.imageSubresource = kLayers;
    region.imageExtent = {16, 1, 1};
    VkCopyImageToMemoryInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COPY_IMAGE_TO_MEMORY_INFO;
    info.srcImage = context.images[0];
    info.srcImageLayout = kGeneral;
    info.regionCount = 1;
    info.pRegions = &region;
    kit::check(vkCopyImageToMemoryEXT(context.device.handle, &info), "vkCopyImageToMemoryEXT");
  }};
}

Step host_discards() {
  return {[](Context& context) {
    VkHostImageLayoutTransitionInfo info{};
    info.sType = VK_STRUCTURE_TYPE_HOST_IMAGE_LAYOUT_TRANSITION_INFO;
    info.image = context.images[0];
    info.newLayout = kGeneral;
    info.subresourceRange = part(0, 0);
    kit::check(vkTransitionImageLayoutEXT(context.device.handle, 1, &info), "vkTransitionImageLayoutEXT");
  }};
}

Case by_host(const char* name, std::vector<Step> steps) {
  Case test = between(name, std::move(steps), {});
  test.images[0].usage |= VK_IMAGE_USAGE_HOST_TRANSFER_BIT;
  test.extensions = {VK_EXT_HOST_IMAGE_COPY_EXTENSION_NAME};
  test.rare = true;
  return test;
}

}  // namespace

// The host waits for all that the device did before, and no barrier of the device is needed.
std::vector<Case> host_copy_patterns() {
  return {by_host("image_host_copies", {host_in(5), dispatch(1), fence_wait(), host_in(6), dispatch(0),
                                        timeline_host_wait(), host_out(), host_in(7), dispatch(1),
                                        queue_idle(), host_discards(), host_in(8), dispatch(1)}),
          by_host("image_host_copies_between_device_copies",
                  {copy_in(0), fence_wait(), host_in(9), copy_in(0, {0, 0, 0}, {16, 16, 1}, true),
                   device_idle(), host_in(10), copy_in(0), fence_poll(), host_out()})};
}

LayoutCase host_copy_layout_case() {
  return {.test = by_host("layout_of_a_host_copy", {only_racy({[](Context& context) {
                                                      VkImageMemoryBarrier barrier{};
                                                      barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
                                                      barrier.oldLayout = kGeneral;
                                                      barrier.newLayout = kSource;
                                                      barrier.srcQueueFamilyIndex =
                                                          barrier.dstQueueFamilyIndex =
                                                              VK_QUEUE_FAMILY_IGNORED;
                                                      barrier.image = context.images[0];
                                                      barrier.subresourceRange = part(0, 0);
                                                      vkCmdPipelineBarrier(context.commands(), kCompute,
                                                                           kCompute, 0, 0, nullptr, 0,
                                                                           nullptr, 1, &barrier);
                                                    }}),
                                                    fence_wait(), host_in(5)}),
          .command = "vkCopyMemoryToImage",
          .named = "VK_IMAGE_LAYOUT_GENERAL",
          .is = "VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL",
          .changed_by = "vkCmdPipelineBarrier"};
}

}  // namespace sync_cases
