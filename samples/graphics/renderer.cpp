// SPDX-License-Identifier: Apache-2.0
#include "renderer.h"

#include <algorithm>
#include <cstdint>

#include "boxes_frag_spv.h"
#include "boxes_vert_spv.h"
#include "graphics_kit.h"

namespace {

constexpr VkFormat kColourFormat = VK_FORMAT_R8G8B8A8_UNORM;
constexpr VkFormat kBoxFormat = VK_FORMAT_R32_UINT;
constexpr VkFormat kDepthFormat = VK_FORMAT_D32_SFLOAT;
constexpr uint32_t kCheckerSize = 64;

struct Targets {
  kit::Image colour, box, depth;
  VkRenderPass pass;
  VkFramebuffer framebuffer;
};

Targets make_targets(kit::Device& device, VkExtent2D extent) {
  const VkImageUsageFlags colour = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  const VkAttachmentDescription attachments[] = {
      kit::attachment(kColourFormat, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL),
      kit::attachment(kBoxFormat, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL),
      kit::attachment(kDepthFormat, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL)};
  Targets targets{device.image(kColourFormat, extent, colour, VK_IMAGE_ASPECT_COLOR_BIT),
                  device.image(kBoxFormat, extent, colour, VK_IMAGE_ASPECT_COLOR_BIT),
                  device.image(kDepthFormat, extent, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
                               VK_IMAGE_ASPECT_DEPTH_BIT),
                  kit::render_pass(device, attachments, {.dependencies = {kit::colours_to_copies()}}),
                  VK_NULL_HANDLE};
  const VkImageView views[] = {targets.colour.view, targets.box.view, targets.depth.view};
  targets.framebuffer = kit::framebuffer(device, targets.pass, views, extent);
  return targets;
}

VkSampler make_sampler(kit::Device& device) {
  VkSamplerCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  info.magFilter = info.minFilter = VK_FILTER_NEAREST;
  VkSampler sampler;
  kit::check(vkCreateSampler(device.handle, &info, nullptr, &sampler), "vkCreateSampler");
  device.later([&device, sampler] { vkDestroySampler(device.handle, sampler, nullptr); });
  return sampler;
}

void change_layout(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to) {
  const bool to_shader = to == VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  const VkImageMemoryBarrier barrier{
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
      .pNext = nullptr,
      .srcAccessMask = to_shader ? VkAccessFlags{VK_ACCESS_TRANSFER_WRITE_BIT} : 0u,
      .dstAccessMask =
          to_shader ? VkAccessFlags{VK_ACCESS_SHADER_READ_BIT} : VkAccessFlags{VK_ACCESS_TRANSFER_WRITE_BIT},
      .oldLayout = from,
      .newLayout = to,
      .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .image = image,
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
  vkCmdPipelineBarrier(commands,
                       to_shader ? VK_PIPELINE_STAGE_TRANSFER_BIT : VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                       to_shader ? VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT : VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
                       0, nullptr, 0, nullptr, 1, &barrier);
}

kit::Image upload_checker(kit::Device& device, VkCommandBuffer commands) {
  const VkExtent2D extent{kCheckerSize, kCheckerSize};
  const kit::Buffer texels =
      device.buffer(VkDeviceSize{kCheckerSize} * kCheckerSize * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  for (uint32_t i = 0; i < kCheckerSize * kCheckerSize; ++i)
    texels.as<uint32_t>()[i] =
        ((i / kCheckerSize / 8 + i % kCheckerSize / 8) & 1) != 0 ? 0xFFE0E0E0u : 0xFF3060C0u;
  kit::Image image =
      device.image(VK_FORMAT_R8G8B8A8_UNORM, extent,
                   VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_IMAGE_ASPECT_COLOR_BIT);
  change_layout(commands, image.handle, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = {extent.width, extent.height, 1};
  vkCmdCopyBufferToImage(commands, texels.handle, image.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                         &region);
  change_layout(commands, image.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  return image;
}

VkPipeline make_pipeline(kit::Device& device, VkPipelineLayout layout, VkRenderPass pass, VkExtent2D extent) {
  kit::GraphicsState state(extent,
                           {kit::stage(VK_SHADER_STAGE_VERTEX_BIT, device.shader(boxes_vert_spv)),
                            kit::stage(VK_SHADER_STAGE_FRAGMENT_BIT, device.shader(boxes_frag_spv))},
                           layout, pass, 2);
  VkPipelineDepthStencilStateCreateInfo depth{};
  depth.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
  depth.depthTestEnable = depth.depthWriteEnable = VK_TRUE;
  depth.depthCompareOp = VK_COMPARE_OP_LESS;
  state.info.pDepthStencilState = &depth;
  return kit::graphics_pipeline(device, state.info);
}

}  // namespace

Frame render_boxes(kit::Device& device, VkExtent2D extent, std::span<const Box> boxes,
                   const FrameConstants& constants) {
  const kit::Buffer box_buffer = device.buffer(boxes.size_bytes(), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  std::copy(boxes.begin(), boxes.end(), box_buffer.as<Box>().begin());
  const Targets targets = make_targets(device, extent);

  VkCommandBuffer commands = device.begin();
  const kit::Image checker = upload_checker(device, commands);
  const VkDescriptorSetLayoutBinding bindings[] = {
      {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_VERTEX_BIT, nullptr},
      {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr}};
  const VkDescriptorSetLayout set_layout = device.set_layout(bindings);
  const VkDescriptorSet set = device.descriptor_set(set_layout, bindings);
  device.write_buffer(set, 0, box_buffer);
  const VkDescriptorImageInfo image{make_sampler(device), checker.view,
                                    VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = set;
  write.dstBinding = 1;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  write.pImageInfo = &image;
  vkUpdateDescriptorSets(device.handle, 1, &write, 0, nullptr);

  const VkShaderStageFlags stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
  const VkPipelineLayout layout = device.pipeline_layout({&set_layout, 1}, stages, sizeof(FrameConstants));
  const VkPipeline pipeline = make_pipeline(device, layout, targets.pass, extent);

  VkClearValue clears[3]{};
  clears[0].color = {{0.1f, 0.1f, 0.15f, 1.0f}};
  clears[2].depthStencil = {1.0f, 0};
  kit::begin_pass(commands, targets.pass, targets.framebuffer, extent, clears);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
  vkCmdPushConstants(commands, layout, stages, 0, sizeof(FrameConstants), &constants);
  vkCmdDraw(commands, 36, static_cast<uint32_t>(boxes.size()), 0, 0);
  vkCmdEndRenderPass(commands);

  const VkDeviceSize bytes = VkDeviceSize{extent.width} * extent.height * 4;
  const Frame frame{device.buffer(bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT),
                    device.buffer(bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT)};
  kit::copy_image(commands, targets.colour.handle, frame.colour, extent);
  kit::copy_image(commands, targets.box.handle, frame.box, extent);
  kit::memory_barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                      VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
  device.run(commands);
  return frame;
}
