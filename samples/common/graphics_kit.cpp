// SPDX-License-Identifier: Apache-2.0
#include "graphics_kit.h"

#include <algorithm>
#include <utility>

namespace kit {

VkShaderStageFlagBits stage_of(std::string_view name) {
  static constexpr std::pair<std::string_view, VkShaderStageFlagBits> stages[] = {
      {"vert", VK_SHADER_STAGE_VERTEX_BIT},
      {"tesc", VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT},
      {"tese", VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT},
      {"geom", VK_SHADER_STAGE_GEOMETRY_BIT},
      {"frag", VK_SHADER_STAGE_FRAGMENT_BIT},
      {"task", VK_SHADER_STAGE_TASK_BIT_EXT},
      {"mesh", VK_SHADER_STAGE_MESH_BIT_EXT},
      {"rgen", VK_SHADER_STAGE_RAYGEN_BIT_KHR},
      {"rint", VK_SHADER_STAGE_INTERSECTION_BIT_KHR},
      {"rahit", VK_SHADER_STAGE_ANY_HIT_BIT_KHR},
      {"rchit", VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR},
      {"rmiss", VK_SHADER_STAGE_MISS_BIT_KHR},
      {"rcall", VK_SHADER_STAGE_CALLABLE_BIT_KHR}};
  const auto* found = std::ranges::find(stages, name, [](const auto& stage) { return stage.first; });
  return found == std::end(stages) ? VK_SHADER_STAGE_COMPUTE_BIT : found->second;
}

VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits kind, VkShaderModule module,
                                      const char* entry_point) {
  VkPipelineShaderStageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage = kind;
  info.module = module;
  info.pName = entry_point;
  return info;
}

GraphicsState::GraphicsState(VkExtent2D extent, std::vector<VkPipelineShaderStageCreateInfo> shaders,
                             VkPipelineLayout layout, VkRenderPass pass, uint32_t colours)
    : stages(std::move(shaders)), blends(colours) {
  const bool tessellated = std::ranges::any_of(
      stages, [](const auto& one) { return one.stage == VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT; });
  vertex_input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
  assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
  assembly.topology = tessellated ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  tessellation.sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO;
  tessellation.patchControlPoints = 3;
  viewport = {0, 0, static_cast<float>(extent.width), static_cast<float>(extent.height), 0, 1};
  scissor = {{0, 0}, extent};
  viewports.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
  viewports.viewportCount = viewports.scissorCount = 1;
  viewports.pViewports = &viewport;
  viewports.pScissors = &scissor;
  raster.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
  raster.lineWidth = 1.0f;
  samples.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  for (auto& one : blends) one.colorWriteMask = 0xF;
  blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
  blend.attachmentCount = colours;
  blend.pAttachments = blends.data();
  info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info.stageCount = static_cast<uint32_t>(stages.size());
  info.pStages = stages.data();
  info.pVertexInputState = &vertex_input;
  info.pInputAssemblyState = &assembly;
  info.pTessellationState = tessellated ? &tessellation : nullptr;
  info.pViewportState = &viewports;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pColorBlendState = &blend;
  info.layout = layout;
  info.renderPass = pass;
}

VkPipeline graphics_pipeline(Device& device, const VkGraphicsPipelineCreateInfo& info) {
  VkPipeline pipeline;
  check(vkCreateGraphicsPipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
        "vkCreateGraphicsPipelines");
  device.later([handle = device.handle, pipeline] { vkDestroyPipeline(handle, pipeline, nullptr); });
  return pipeline;
}

VkAttachmentDescription attachment(VkFormat format, VkImageLayout after) {
  VkAttachmentDescription result{};
  result.format = format;
  result.samples = VK_SAMPLE_COUNT_1_BIT;
  result.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  result.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  result.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
  result.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  result.finalLayout = after;
  return result;
}

VkRenderPass render_pass(Device& device, std::span<const VkAttachmentDescription> attachments,
                         const PassOptions& options) {
  std::vector<VkAttachmentReference> colours;
  VkAttachmentReference depth{VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED};
  for (uint32_t i = 0; i < attachments.size(); ++i) {
    if (attachments[i].finalLayout == VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL)
      depth = {i, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    else
      colours.push_back({i, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL});
  }
  VkSubpassDescription subpass{};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = static_cast<uint32_t>(colours.size());
  subpass.pColorAttachments = colours.data();
  subpass.pDepthStencilAttachment = &depth;
  const std::vector<VkSubpassDescription> subpasses(options.subpasses, subpass);
  VkRenderPassCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
  info.pNext = options.next;
  info.attachmentCount = static_cast<uint32_t>(attachments.size());
  info.pAttachments = attachments.data();
  info.subpassCount = options.subpasses;
  info.pSubpasses = subpasses.data();
  info.dependencyCount = static_cast<uint32_t>(options.dependencies.size());
  info.pDependencies = options.dependencies.data();
  VkRenderPass pass;
  check(vkCreateRenderPass(device.handle, &info, nullptr, &pass), "vkCreateRenderPass");
  device.later([handle = device.handle, pass] { vkDestroyRenderPass(handle, pass, nullptr); });
  return pass;
}

VkSubpassDependency colours_to_copies() {
  return {0,
          VK_SUBPASS_EXTERNAL,
          VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
          VK_PIPELINE_STAGE_TRANSFER_BIT,
          VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
          VK_ACCESS_TRANSFER_READ_BIT,
          0};
}

VkFramebuffer framebuffer(Device& device, VkRenderPass pass, std::span<const VkImageView> views,
                          VkExtent2D extent) {
  VkFramebufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO;
  info.renderPass = pass;
  info.attachmentCount = static_cast<uint32_t>(views.size());
  info.pAttachments = views.data();
  info.width = extent.width;
  info.height = extent.height;
  info.layers = 1;
  VkFramebuffer result;
  check(vkCreateFramebuffer(device.handle, &info, nullptr, &result), "vkCreateFramebuffer");
  device.later([handle = device.handle, result] { vkDestroyFramebuffer(handle, result, nullptr); });
  return result;
}

void begin_pass(VkCommandBuffer commands, VkRenderPass pass, VkFramebuffer target, VkExtent2D extent,
                std::span<const VkClearValue> clears, VkSubpassContents contents) {
  VkRenderPassBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
  info.renderPass = pass;
  info.framebuffer = target;
  info.renderArea = {{0, 0}, extent};
  info.clearValueCount = static_cast<uint32_t>(clears.size());
  info.pClearValues = clears.data();
  vkCmdBeginRenderPass(commands, &info, contents);
}

Canvas::Canvas(Device& device, VkExtent2D extent_, uint32_t views_)
    : extent(extent_),
      views(views_),
      image(device.image(VK_FORMAT_R8G8B8A8_UNORM, extent,
                         VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                         VK_IMAGE_ASPECT_COLOR_BIT, views)),
      pixels(device.buffer(VkDeviceSize{extent.width} * extent.height * 4 * views,
                           VK_BUFFER_USAGE_TRANSFER_DST_BIT)) {
  const VkAttachmentDescription colour =
      attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  const uint32_t mask = (1u << views) - 1;
  VkRenderPassMultiviewCreateInfo multiview{};
  multiview.sType = VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO;
  multiview.subpassCount = 1;
  multiview.pViewMasks = &mask;
  pass = render_pass(device, {&colour, 1},
                     {.dependencies = {colours_to_copies()}, .next = views > 1 ? &multiview : nullptr});
  target = framebuffer(device, pass, {&image.view, 1}, extent);
}

void Canvas::begin(VkCommandBuffer commands) const {
  const VkClearValue clear{};
  begin_pass(commands, pass, target, extent, {&clear, 1});
}

void Canvas::end(VkCommandBuffer commands) const {
  vkCmdEndRenderPass(commands);
  copy_image(commands, image.handle, pixels, extent, views);
}

void copy_image(VkCommandBuffer commands, VkImage from, const Buffer& to, VkExtent2D extent,
                uint32_t layers) {
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, layers};
  region.imageExtent = {extent.width, extent.height, 1};
  vkCmdCopyImageToBuffer(commands, from, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to.handle, 1, &region);
}

}  // namespace kit
