#include "renderer.h"

#include <algorithm>
#include <cstdint>

#include "boxes_frag_spv.h"
#include "boxes_vert_spv.h"

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

VkAttachmentDescription attachment(VkFormat format, VkImageLayout after) {
  return {.flags = 0,
          .format = format,
          .samples = VK_SAMPLE_COUNT_1_BIT,
          .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
          .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
          .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
          .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
          .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
          .finalLayout = after};
}

VkRenderPass make_pass(kit::Device& device) {
  const VkAttachmentDescription attachments[] = {
      attachment(kColourFormat, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL),
      attachment(kBoxFormat, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL),
      attachment(kDepthFormat, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL)};
  const VkAttachmentReference colours[] = {{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                                           {1, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL}};
  const VkAttachmentReference depth{2, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass{};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = 2;
  subpass.pColorAttachments = colours;
  subpass.pDepthStencilAttachment = &depth;
  const VkSubpassDependency to_copy{.srcSubpass = 0,
                                    .dstSubpass = VK_SUBPASS_EXTERNAL,
                                    .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                    .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                    .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
                                    .dependencyFlags = 0};
  const VkRenderPassCreateInfo info{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                    .pNext = nullptr,
                                    .flags = 0,
                                    .attachmentCount = 3,
                                    .pAttachments = attachments,
                                    .subpassCount = 1,
                                    .pSubpasses = &subpass,
                                    .dependencyCount = 1,
                                    .pDependencies = &to_copy};
  VkRenderPass pass;
  kit::check(vkCreateRenderPass(device.handle, &info, nullptr, &pass), "vkCreateRenderPass");
  device.later([&device, pass] { vkDestroyRenderPass(device.handle, pass, nullptr); });
  return pass;
}

Targets make_targets(kit::Device& device, VkExtent2D extent) {
  const VkImageUsageFlags colour = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  Targets targets{device.image(kColourFormat, extent, colour, VK_IMAGE_ASPECT_COLOR_BIT),
                  device.image(kBoxFormat, extent, colour, VK_IMAGE_ASPECT_COLOR_BIT),
                  device.image(kDepthFormat, extent, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
                               VK_IMAGE_ASPECT_DEPTH_BIT),
                  make_pass(device), VK_NULL_HANDLE};
  const VkImageView views[] = {targets.colour.view, targets.box.view, targets.depth.view};
  const VkFramebufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                     .pNext = nullptr,
                                     .flags = 0,
                                     .renderPass = targets.pass,
                                     .attachmentCount = 3,
                                     .pAttachments = views,
                                     .width = extent.width,
                                     .height = extent.height,
                                     .layers = 1};
  kit::check(vkCreateFramebuffer(device.handle, &info, nullptr, &targets.framebuffer), "vkCreateFramebuffer");
  device.later([&device, f = targets.framebuffer] { vkDestroyFramebuffer(device.handle, f, nullptr); });
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

void copy_image(VkCommandBuffer commands, VkImage image, const kit::Buffer& buffer, VkExtent2D extent,
                bool upload) {
  const VkBufferImageCopy region{.bufferOffset = 0,
                                 .bufferRowLength = 0,
                                 .bufferImageHeight = 0,
                                 .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                 .imageOffset = {},
                                 .imageExtent = {extent.width, extent.height, 1}};
  if (upload)
    vkCmdCopyBufferToImage(commands, buffer.handle, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
  else
    vkCmdCopyImageToBuffer(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer.handle, 1, &region);
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
  copy_image(commands, image.handle, texels, extent, true);
  change_layout(commands, image.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  return image;
}

VkPipeline make_pipeline(kit::Device& device, VkPipelineLayout layout, VkRenderPass pass, VkExtent2D extent) {
  VkPipelineShaderStageCreateInfo stages[2]{};
  stages[0].sType = stages[1].sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
  stages[0].module = device.shader(boxes_vert_spv);
  stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  stages[1].module = device.shader(boxes_frag_spv);
  stages[0].pName = stages[1].pName = "main";
  VkPipelineVertexInputStateCreateInfo vertex_input{};
  vertex_input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
  VkPipelineInputAssemblyStateCreateInfo assembly{};
  assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  const VkViewport viewport{0, 0, static_cast<float>(extent.width), static_cast<float>(extent.height), 0, 1};
  const VkRect2D scissor{{0, 0}, extent};
  VkPipelineViewportStateCreateInfo viewports{};
  viewports.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
  viewports.viewportCount = viewports.scissorCount = 1;
  viewports.pViewports = &viewport;
  viewports.pScissors = &scissor;
  VkPipelineRasterizationStateCreateInfo raster{};
  raster.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
  raster.lineWidth = 1.0f;
  VkPipelineMultisampleStateCreateInfo samples{};
  samples.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  VkPipelineDepthStencilStateCreateInfo depth{};
  depth.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
  depth.depthTestEnable = depth.depthWriteEnable = VK_TRUE;
  depth.depthCompareOp = VK_COMPARE_OP_LESS;
  VkPipelineColorBlendAttachmentState write_all{};
  write_all.colorWriteMask = 0xF;
  const VkPipelineColorBlendAttachmentState blends[] = {write_all, write_all};
  VkPipelineColorBlendStateCreateInfo blend{};
  blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
  blend.attachmentCount = 2;
  blend.pAttachments = blends;
  VkGraphicsPipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info.stageCount = 2;
  info.pStages = stages;
  info.pVertexInputState = &vertex_input;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &viewports;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pDepthStencilState = &depth;
  info.pColorBlendState = &blend;
  info.layout = layout;
  info.renderPass = pass;
  VkPipeline pipeline;
  kit::check(vkCreateGraphicsPipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
             "vkCreateGraphicsPipelines");
  device.later([&device, pipeline] { vkDestroyPipeline(device.handle, pipeline, nullptr); });
  return pipeline;
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
  const VkRenderPassBeginInfo begin{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                    .pNext = nullptr,
                                    .renderPass = targets.pass,
                                    .framebuffer = targets.framebuffer,
                                    .renderArea = {{0, 0}, extent},
                                    .clearValueCount = 3,
                                    .pClearValues = clears};
  vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
  vkCmdPushConstants(commands, layout, stages, 0, sizeof(FrameConstants), &constants);
  vkCmdDraw(commands, 36, static_cast<uint32_t>(boxes.size()), 0, 0);
  vkCmdEndRenderPass(commands);

  const VkDeviceSize bytes = VkDeviceSize{extent.width} * extent.height * 4;
  const Frame frame{device.buffer(bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT),
                    device.buffer(bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT)};
  copy_image(commands, targets.colour.handle, frame.colour, extent, false);
  copy_image(commands, targets.box.handle, frame.box, extent, false);
  const VkMemoryBarrier to_host{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                .pNext = nullptr,
                                .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host,
                       0, nullptr, 0, nullptr);
  device.run(commands);
  return frame;
}
