// SPDX-License-Identifier: Apache-2.0
// What programs that draw share: a pipeline's usual state, render passes with one subpass, framebuffers, and
// the way of a picture back to the host. As in vulkan_kit.h, everything lives until the Device goes.
#ifndef SHADERQA_SAMPLES_GRAPHICS_KIT_H
#define SHADERQA_SAMPLES_GRAPHICS_KIT_H

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vulkan_kit.h"

namespace kit {

// By the name that compilers give it: "vert", "tesc", "rgen", ...; compute for what is not known.
VkShaderStageFlagBits stage_of(std::string_view name);
VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits kind, VkShaderModule module,
                                      const char* entry_point = "main");

// Fixed-function state of a pipeline that draws triangles over all of its targets, without vertex buffers.
// What differs is changed in `info` and in the members that it points to.
struct GraphicsState {
  GraphicsState(VkExtent2D extent, std::vector<VkPipelineShaderStageCreateInfo> shaders,
                VkPipelineLayout layout, VkRenderPass pass, uint32_t colours = 1);
  GraphicsState(const GraphicsState&) = delete;
  GraphicsState& operator=(const GraphicsState&) = delete;

  std::vector<VkPipelineShaderStageCreateInfo> stages;
  VkPipelineVertexInputStateCreateInfo vertex_input{};
  VkPipelineInputAssemblyStateCreateInfo assembly{};
  VkPipelineTessellationStateCreateInfo tessellation{};
  VkViewport viewport{};
  VkRect2D scissor{};
  VkPipelineViewportStateCreateInfo viewports{};
  VkPipelineRasterizationStateCreateInfo raster{};
  VkPipelineMultisampleStateCreateInfo samples{};
  std::vector<VkPipelineColorBlendAttachmentState> blends;
  VkPipelineColorBlendStateCreateInfo blend{};
  VkGraphicsPipelineCreateInfo info{};
};
VkPipeline graphics_pipeline(Device& device, const VkGraphicsPipelineCreateInfo& info);

// Cleared at first, kept at the end.
VkAttachmentDescription attachment(VkFormat format, VkImageLayout after);
struct PassOptions {
  uint32_t subpasses = 1;  // all draw to the same attachments
  std::vector<VkSubpassDependency> dependencies = {};
  const void* next = nullptr;
};
// A depth attachment is the last one and known by its final layout.
VkRenderPass render_pass(Device& device, std::span<const VkAttachmentDescription> attachments,
                         const PassOptions& options = {});
// From colour attachments to copies.
VkSubpassDependency colours_to_copies();
VkFramebuffer framebuffer(Device& device, VkRenderPass pass, std::span<const VkImageView> views,
                          VkExtent2D extent);
// clears: one an attachment.
void begin_pass(VkCommandBuffer commands, VkRenderPass pass, VkFramebuffer target, VkExtent2D extent,
                std::span<const VkClearValue> clears,
                VkSubpassContents contents = VK_SUBPASS_CONTENTS_INLINE);

// One RGBA8 picture that is drawn to and read back; or of each view one, one after the other.
struct Canvas {
  Canvas(Device& device, VkExtent2D extent, uint32_t views = 1);
  void begin(VkCommandBuffer commands) const;
  void end(VkCommandBuffer commands) const;  // with the copy to `pixels`

  VkExtent2D extent;
  uint32_t views;
  Image image;
  VkRenderPass pass;
  VkFramebuffer target;
  Buffer pixels;
};

void copy_image(VkCommandBuffer commands, VkImage from, const Buffer& to, VkExtent2D extent,
                uint32_t layers = 1);

}  // namespace kit
#endif
