// SPDX-License-Identifier: Apache-2.0
// Pipelines and render passes of a case.
#include <utility>

#include "graphics_kit.h"
#include "sync_context.h"

namespace sync_cases {

using kit::check;

namespace {

constexpr VkExtent2D kExtent{16, 16};
constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;

}  // namespace

VkShaderModule Context::module(uint32_t shader) { return device.shader(kit::read_spirv(files_.at(shader))); }

VkPipeline Context::compute_pipeline(uint32_t shader) {
  VkPipeline& pipeline = pipelines_["compute " + std::to_string(shader)];
  if (pipeline != VK_NULL_HANDLE) return pipeline;
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage = kit::stage(VK_SHADER_STAGE_COMPUTE_BIT, module(shader));
  info.layout = layout_;
  check(vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
        "vkCreateComputePipelines");
  device.later([handle = device.handle, made = pipeline] { vkDestroyPipeline(handle, made, nullptr); });
  return pipeline;
}

VkPipeline Context::graphics_pipeline(const std::vector<uint32_t>& shaders) {
  std::string key = "graphics " + std::to_string(subpass_) + (pass_ != VK_NULL_HANDLE ? " pass" : "") +
                    (reads_locally_ ? " local" : "");
  for (const uint32_t shader : shaders) key += " " + std::to_string(shader);
  VkPipeline& pipeline = pipelines_[key];
  if (pipeline != VK_NULL_HANDLE) return pipeline;
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  for (const uint32_t shader : shaders)
    stages.push_back(kit::stage(kit::stage_of(test.shaders[shader].stage), module(shader)));
  kit::GraphicsState state(kExtent, std::move(stages), layout_, pass_);
  VkPipelineRenderingCreateInfo rendering{};
  rendering.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO;
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachmentFormats = reads_locally_ ? &local_colour_ : &kFormat;
  const VkRenderingInputAttachmentIndexInfo indices = input_indices();
  VkPipelineDepthStencilStateCreateInfo depth{};
  depth.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
  if (reads_locally_) {
    rendering.pNext = &indices;
    rendering.depthAttachmentFormat = local_depth_;
    state.info.pDepthStencilState = &depth;
  }
  state.info.pNext = pass_ == VK_NULL_HANDLE ? &rendering : nullptr;
  state.info.subpass = subpass_;
  if (test.strips) {
    state.assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
    state.assembly.primitiveRestartEnable = VK_TRUE;
  }
  state.vertex_input.vertexBindingDescriptionCount = static_cast<uint32_t>(test.vertex_bindings.size());
  state.vertex_input.pVertexBindingDescriptions = test.vertex_bindings.data();
  state.vertex_input.vertexAttributeDescriptionCount = static_cast<uint32_t>(test.vertex_attributes.size());
  state.vertex_input.pVertexAttributeDescriptions = test.vertex_attributes.data();
  pipeline = kit::graphics_pipeline(device, state.info);
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
  const VkAttachmentDescription colour = kit::attachment(kFormat, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  pass_ = kit::render_pass(device, {&colour, 1}, {.subpasses = subpasses, .dependencies = dependencies});
  framebuffer_ = kit::framebuffer(device, pass_, {&target().view, 1}, kExtent);
  const VkClearValue clear{};
  kit::begin_pass(commands(), pass_, framebuffer_, kExtent, {&clear, 1},
                  secondary ? VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS : VK_SUBPASS_CONTENTS_INLINE);
}

void Context::begin_input_pass(uint32_t image, bool draws_to_it) {
  const VkAttachmentReference colours[2] = {{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                                            {1, VK_IMAGE_LAYOUT_GENERAL}};
  VkSubpassDescription subpass{};
  subpass.inputAttachmentCount = 1;
  subpass.pInputAttachments = &colours[1];
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = draws_to_it ? &colours[1] : &colours[0];
  VkSubpassDependency outside{};  // in place of the implicit one, which would name all accesses
  outside.srcSubpass = VK_SUBPASS_EXTERNAL;
  outside.srcStageMask = outside.dstStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
  begin_pass_with(image, {&subpass, 1}, {&outside, 1});
}

void Context::begin_drawn_input_pass(uint32_t image, VkImageLayout layout) {
  const VkAttachmentReference target = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                              drawn = {1, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL}, input = {1, layout};
  VkSubpassDescription subpasses[2]{};
  subpasses[0].colorAttachmentCount = subpasses[1].colorAttachmentCount = 1;
  subpasses[0].pColorAttachments = &drawn;
  subpasses[1].pColorAttachments = &target;
  subpasses[1].inputAttachmentCount = 1;
  subpasses[1].pInputAttachments = &input;
  constexpr VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                 output = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
  constexpr VkAccessFlags written = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                          read = VK_ACCESS_INPUT_ATTACHMENT_READ_BIT;
  const VkSubpassDependency dependencies[] = {
      {VK_SUBPASS_EXTERNAL, 0, all, output, VK_ACCESS_MEMORY_WRITE_BIT,
       written | VK_ACCESS_COLOR_ATTACHMENT_READ_BIT, 0},
      {0, 1, output, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, written, read, VK_DEPENDENCY_BY_REGION_BIT},
      {1, VK_SUBPASS_EXTERNAL, output | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, all, written,
       VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT, 0}};
  begin_pass_with(image, subpasses, dependencies);
}

// The target is attachment 0, the image attachment 1.
void Context::begin_pass_with(uint32_t image, std::span<const VkSubpassDescription> subpasses,
                              std::span<const VkSubpassDependency> dependencies) {
  VkAttachmentDescription attachments[2] = {
      kit::attachment(kFormat, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL),
      kit::attachment(test.images[image].format, VK_IMAGE_LAYOUT_GENERAL)};
  attachments[1].initialLayout = VK_IMAGE_LAYOUT_GENERAL;
  attachments[1].loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  VkRenderPassCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
  info.attachmentCount = 2;
  info.pAttachments = attachments;
  info.subpassCount = static_cast<uint32_t>(subpasses.size());
  info.pSubpasses = subpasses.data();
  info.dependencyCount = static_cast<uint32_t>(dependencies.size());
  info.pDependencies = dependencies.data();
  check(vkCreateRenderPass(device.handle, &info, nullptr, &pass_), "vkCreateRenderPass");
  device.later([handle = device.handle, made = pass_] { vkDestroyRenderPass(handle, made, nullptr); });
  const VkImageView views[2] = {target().view, make_view(Binding(), image)};
  framebuffer_ = kit::framebuffer(device, pass_, views, kExtent);
  const VkClearValue clears[2]{};
  kit::begin_pass(commands(), pass_, framebuffer_, kExtent, clears);
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
  make_target_drawable();
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

// The input has the index 0.
VkRenderingInputAttachmentIndexInfo Context::input_indices() const {
  static constexpr uint32_t first = 0, none = VK_ATTACHMENT_UNUSED;
  const bool depth = local_depth_ != VK_FORMAT_UNDEFINED;
  VkRenderingInputAttachmentIndexInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO;
  info.colorAttachmentCount = 1;
  info.pColorAttachmentInputIndices = depth ? &none : &first;
  info.pDepthInputAttachmentIndex = depth ? &first : nullptr;
  return info;
}

void Context::begin_local_reads(uint32_t image, VkImageLayout layout) {
  const bool depth = test.images[image].format == VK_FORMAT_D32_SFLOAT;
  local_colour_ = depth ? kFormat : test.images[image].format;
  local_depth_ = depth ? test.images[image].format : VK_FORMAT_UNDEFINED;
  reads_locally_ = true;
  VkRenderingAttachmentInfo read{}, drawn{};
  read.sType = drawn.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
  read.imageView = make_view(Binding(), image);
  read.imageLayout = layout;
  read.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  read.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  if (depth) {
    make_target_drawable();
    drawn.imageView = target().view;
    drawn.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    drawn.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  }
  VkRenderingInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
  info.renderArea = {{0, 0}, kExtent};
  info.layerCount = 1;
  info.colorAttachmentCount = 1;
  info.pColorAttachments = depth ? &drawn : &read;
  info.pDepthAttachment = depth ? &read : nullptr;
  vkCmdBeginRendering(commands(), &info);
  const VkRenderingInputAttachmentIndexInfo indices = input_indices();
  vkCmdSetRenderingInputAttachmentIndicesKHR(commands(), &indices);
}

void Context::make_target_drawable() {
  VkImageMemoryBarrier to_colour{};
  to_colour.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  to_colour.srcAccessMask = to_colour.dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
  to_colour.newLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  to_colour.srcQueueFamilyIndex = to_colour.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  to_colour.image = target().handle;
  to_colour.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdPipelineBarrier(commands(), VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                       VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, 0, 0, nullptr, 0, nullptr, 1,
                       &to_colour);
}

void Context::end_rendering() {
  vkCmdEndRendering(commands());
  reads_locally_ = false;
}

}  // namespace sync_cases
