// Pipelines and render passes of a case.
#include "sync_context.h"

namespace sync_cases {

using kit::check;

namespace {

constexpr VkExtent2D kExtent{16, 16};
constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;

VkShaderStageFlagBits stage_of(const std::string& stage) {
  if (stage == "vert") return VK_SHADER_STAGE_VERTEX_BIT;
  if (stage == "tesc") return VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT;
  if (stage == "tese") return VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
  if (stage == "geom") return VK_SHADER_STAGE_GEOMETRY_BIT;
  if (stage == "mesh") return VK_SHADER_STAGE_MESH_BIT_EXT;
  if (stage == "task") return VK_SHADER_STAGE_TASK_BIT_EXT;
  if (stage == "frag") return VK_SHADER_STAGE_FRAGMENT_BIT;
  return VK_SHADER_STAGE_COMPUTE_BIT;
}

}  // namespace

VkShaderModule Context::module(uint32_t shader) { return device.shader(kit::read_spirv(files_.at(shader))); }

VkPipeline Context::compute_pipeline(uint32_t shader) {
  VkPipeline& pipeline = pipelines_["compute " + std::to_string(shader)];
  if (pipeline != VK_NULL_HANDLE) return pipeline;
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module(shader);
  info.stage.pName = "main";
  info.layout = layout_;
  check(vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
        "vkCreateComputePipelines");
  device.later([handle = device.handle, made = pipeline] { vkDestroyPipeline(handle, made, nullptr); });
  return pipeline;
}

VkPipeline Context::graphics_pipeline(const std::vector<uint32_t>& shaders) {
  std::string key = "graphics " + std::to_string(subpass_) + (pass_ != VK_NULL_HANDLE ? " pass" : "");
  for (const uint32_t shader : shaders) key += " " + std::to_string(shader);
  VkPipeline& pipeline = pipelines_[key];
  if (pipeline != VK_NULL_HANDLE) return pipeline;
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  bool tessellated = false;
  for (const uint32_t shader : shaders) {
    VkPipelineShaderStageCreateInfo stage{};
    stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    stage.stage = stage_of(test.shaders[shader].stage);
    stage.module = module(shader);
    stage.pName = "main";
    tessellated |= stage.stage == VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT;
    stages.push_back(stage);
  }
  VkPipelineVertexInputStateCreateInfo vertex_input{};
  vertex_input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
  VkPipelineInputAssemblyStateCreateInfo assembly{};
  assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
  assembly.topology = tessellated ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  VkPipelineTessellationStateCreateInfo tessellation{};
  tessellation.sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO;
  tessellation.patchControlPoints = 3;
  const VkViewport viewport{0, 0, kExtent.width, kExtent.height, 0, 1};
  const VkRect2D scissor{{0, 0}, kExtent};
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
  VkPipelineColorBlendAttachmentState write_all{};
  write_all.colorWriteMask = 0xF;
  VkPipelineColorBlendStateCreateInfo blend{};
  blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
  blend.attachmentCount = 1;
  blend.pAttachments = &write_all;
  VkPipelineRenderingCreateInfo rendering{};
  rendering.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO;
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachmentFormats = &kFormat;
  VkGraphicsPipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info.pNext = pass_ == VK_NULL_HANDLE ? &rendering : nullptr;
  info.stageCount = static_cast<uint32_t>(stages.size());
  info.pStages = stages.data();
  info.pVertexInputState = &vertex_input;
  info.pInputAssemblyState = &assembly;
  info.pTessellationState = tessellated ? &tessellation : nullptr;
  info.pViewportState = &viewports;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pColorBlendState = &blend;
  info.layout = layout_;
  info.renderPass = pass_;
  info.subpass = subpass_;
  check(vkCreateGraphicsPipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
        "vkCreateGraphicsPipelines");
  device.later([handle = device.handle, made = pipeline] { vkDestroyPipeline(handle, made, nullptr); });
  return pipeline;
}

void Context::bind_compute(uint32_t shader) {
  const VkPipeline pipeline = compute_pipeline(shader);
  vkCmdBindPipeline(commands(), VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  bind(VK_PIPELINE_BIND_POINT_COMPUTE);
}

void Context::bind_graphics(const std::vector<uint32_t>& shaders) {
  const VkPipeline pipeline = graphics_pipeline(shaders);
  vkCmdBindPipeline(commands(), VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  bind(VK_PIPELINE_BIND_POINT_GRAPHICS);
}

kit::Image& Context::target() {
  if (target_.handle == VK_NULL_HANDLE)
    target_ = device.image(kFormat, kExtent, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_IMAGE_ASPECT_COLOR_BIT);
  return target_;
}

// Attachments are cleared; what a case says between passes orders buffers alone.
void Context::begin_pass(const std::vector<VkSubpassDependency>& dependencies, uint32_t subpasses,
                         bool secondary) {
  VkAttachmentDescription attachment{};
  attachment.format = kFormat;
  attachment.samples = VK_SAMPLE_COUNT_1_BIT;
  attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  attachment.finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  const VkAttachmentReference colour{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass{};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &colour;
  const std::vector<VkSubpassDescription> descriptions(subpasses, subpass);
  VkRenderPassCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
  info.attachmentCount = 1;
  info.pAttachments = &attachment;
  info.subpassCount = subpasses;
  info.pSubpasses = descriptions.data();
  info.dependencyCount = static_cast<uint32_t>(dependencies.size());
  info.pDependencies = dependencies.data();
  check(vkCreateRenderPass(device.handle, &info, nullptr, &pass_), "vkCreateRenderPass");
  device.later([handle = device.handle, pass = pass_] { vkDestroyRenderPass(handle, pass, nullptr); });
  VkFramebufferCreateInfo framebuffer{};
  framebuffer.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO;
  framebuffer.renderPass = pass_;
  framebuffer.attachmentCount = 1;
  framebuffer.pAttachments = &target().view;
  framebuffer.width = kExtent.width;
  framebuffer.height = kExtent.height;
  framebuffer.layers = 1;
  check(vkCreateFramebuffer(device.handle, &framebuffer, nullptr, &framebuffer_), "vkCreateFramebuffer");
  device.later(
      [handle = device.handle, made = framebuffer_] { vkDestroyFramebuffer(handle, made, nullptr); });
  const VkClearValue clear{};
  VkRenderPassBeginInfo begin_info{};
  begin_info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
  begin_info.renderPass = pass_;
  begin_info.framebuffer = framebuffer_;
  begin_info.renderArea = {{0, 0}, kExtent};
  begin_info.clearValueCount = 1;
  begin_info.pClearValues = &clear;
  vkCmdBeginRenderPass(
      commands(), &begin_info,
      secondary ? VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS : VK_SUBPASS_CONTENTS_INLINE);
}

void Context::next_subpass() {
  vkCmdNextSubpass(commands(), VK_SUBPASS_CONTENTS_INLINE);
  ++subpass_;
}

void Context::end_pass() {
  vkCmdEndRenderPass(commands());
  pass_ = VK_NULL_HANDLE;
  subpass_ = 0;
}

void Context::begin_rendering() {
  VkImageMemoryBarrier to_colour{};
  to_colour.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  to_colour.dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
  to_colour.newLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  to_colour.srcQueueFamilyIndex = to_colour.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  to_colour.image = target().handle;
  to_colour.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdPipelineBarrier(commands(), VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                       VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, 0, 0, nullptr, 0, nullptr, 1,
                       &to_colour);
  VkRenderingAttachmentInfo colour{};
  colour.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
  colour.imageView = target().view;
  colour.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  colour.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  VkRenderingInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
  info.renderArea = {{0, 0}, kExtent};
  info.layerCount = 1;
  info.colorAttachmentCount = 1;
  info.pColorAttachments = &colour;
  vkCmdBeginRendering(commands(), &info);
}

void Context::end_rendering() { vkCmdEndRendering(commands()); }

}  // namespace sync_cases
