// SPDX-License-Identifier: Apache-2.0
#include "pipelines.h"

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <stdexcept>

#include "graphics_kit.h"
#include "pass_objects.h"

namespace oracle {
namespace {

constexpr VkExtent2D kArea{kFragmentsInRow, kMaxInvocations / kFragmentsInRow};

std::vector<uint32_t> compile(const std::string& glsl, EShLanguage stage) {
  glslang::TShader shader(stage);
  const char* const text = glsl.c_str();
  shader.setStrings(&text, 1);
  shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_1);
  shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_3);
  constexpr auto kMessages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules | EShMsgDebugInfo);
  glslang::TProgram program;
  if (!shader.parse(GetDefaultResources(), 460, false, kMessages))
    throw std::runtime_error(std::string(shader.getInfoLog()) + glsl);
  program.addShader(&shader);
  if (!program.link(kMessages)) throw std::runtime_error(std::string(program.getInfoLog()) + glsl);
  glslang::SpvOptions options;
  options.generateDebugInfo = true;
  std::vector<uint32_t> words;
  glslang::GlslangToSpv(*program.getIntermediate(stage), words, &options);
  return words;
}

EShLanguage language_of(VkShaderStageFlagBits stage) {
  if (stage == VK_SHADER_STAGE_VERTEX_BIT) return EShLangVertex;
  return stage == VK_SHADER_STAGE_FRAGMENT_BIT ? EShLangFragment : EShLangCompute;
}

}  // namespace

VkShaderModule Pipelines::module(const std::string& glsl, VkShaderStageFlagBits stage) {
  return device_.shader(compile(glsl, language_of(stage)));
}

VkPipeline Pipelines::make(uint32_t command, uint32_t first_line) {
  const Command& made = program_.commands[command];
  VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
  if (made.stage == Command::Stage::vertex) stage = VK_SHADER_STAGE_VERTEX_BIT;
  if (made.stage == Command::Stage::fragment) stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  const VkShaderModule shader = module(glsl_of(program_, command, first_line), stage);
  return made.is_draw() ? make_graphics(command, kit::stage(stage, shader)) : make_compute(made, shader);
}

VkPipeline Pipelines::make_compute(const Command& dispatch, VkShaderModule shader) {
  // The width of the workgroup, and L.
  const uint32_t values[] = {dispatch.local_size / dispatch.local_rows, dispatch.local_size};
  const VkSpecializationMapEntry entries[] = {{0, 0, sizeof(uint32_t)},
                                              {1, sizeof(uint32_t), sizeof(uint32_t)}};
  const VkSpecializationInfo specialisation{2, entries, sizeof values, values};
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.flags = descriptors_.pipeline_flags();
  info.stage = kit::stage(VK_SHADER_STAGE_COMPUTE_BIT, shader);
  if (program_.specialised) info.stage.pSpecializationInfo = &specialisation;
  info.layout = descriptors_.layout();
  VkPipeline pipeline = VK_NULL_HANDLE;
  kit::check(vkCreateComputePipelines(device_.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
             "vkCreateComputePipelines");
  device_.later([device = device_.handle, pipeline] { vkDestroyPipeline(device, pipeline, nullptr); });
  return pipeline;
}

VkPipeline Pipelines::make_graphics(uint32_t command, VkPipelineShaderStageCreateInfo shader) {
  const Command& draw = program_.commands[command];
  const int begin = attached_pass_of(program_, static_cast<int>(command));
  const VkShaderStageFlagBits other =
      draw.stage == Command::Stage::vertex ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT;
  const uint32_t in_row = draw.fragments_in_row();
  kit::GraphicsState state(
      {in_row, draw.groups / in_row}, {shader, kit::stage(other, module(other_glsl_of(draw), other))},
      descriptors_.layout(), begin < 0 ? pass() : attached_pass(static_cast<uint32_t>(begin)),
      begin < 0 ? 0 : 1);
  VkPipelineRenderingCreateInfo rendering{};
  rendering.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO;
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachmentFormats = &kImageFormat;
  if (begin >= 0 && !program_.pass_objects) state.info.pNext = &rendering;
  state.info.flags = descriptors_.pipeline_flags();
  if (draw.stage == Command::Stage::vertex) state.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  const VkVertexInputBindingDescription binding{0, draw.input_stride, VK_VERTEX_INPUT_RATE_VERTEX};
  const VkVertexInputAttributeDescription attribute{0, 0, VK_FORMAT_R32_UINT, 0};
  if (draw.input_stride != 0) {
    state.vertex_input.vertexBindingDescriptionCount = state.vertex_input.vertexAttributeDescriptionCount = 1;
    state.vertex_input.pVertexBindingDescriptions = &binding;
    state.vertex_input.pVertexAttributeDescriptions = &attribute;
  }
  return kit::graphics_pipeline(device_, state.info);
}

VkRenderPass Pipelines::pass() {
  if (pass_ == VK_NULL_HANDLE && program_.pass_objects) {
    pass_ = kit::render_pass(
        device_, {},
        {.dependencies = {{0, 0, kBeforeInPass, kBehindInPass, kAccessInPass, kAccessInPass, 0}}});
    target_ = kit::framebuffer(device_, pass_, {}, kArea);
  }
  return pass_;
}

void Pipelines::begin_pass(VkCommandBuffer commands) {
  if (program_.pass_objects) return kit::begin_pass(commands, pass(), target_, kArea, {});
  VkRenderingInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
  info.renderArea = {{0, 0}, kArea};
  info.layerCount = 1;
  vkCmdBeginRendering(commands, &info);
}

VkRenderPass Pipelines::attached_pass(uint32_t command) {
  if (!program_.pass_objects) return VK_NULL_HANDLE;
  VkRenderPass& pass = attached_passes_[command];
  if (pass == VK_NULL_HANDLE) pass = pass_object(device_, program_, command);
  return pass;
}

void Pipelines::begin_pass(VkCommandBuffer commands, uint32_t command, VkImageView attachment) {
  const Command& begin = program_.commands[command];
  const VkExtent2D area{kRowTexels, begin.bytes / 4 / kRowTexels};
  const VkClearValue clear{};
  if (program_.pass_objects) {
    const VkRenderPass pass = attached_pass(command);
    const VkFramebuffer target = kit::framebuffer(device_, pass, {&attachment, 1}, kImageExtent);
    return kit::begin_pass(commands, pass, target, area, {&clear, 1});
  }
  VkRenderingAttachmentInfo colour{};
  colour.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
  colour.imageView = attachment;
  colour.imageLayout = layout_of(layout_before(program_, static_cast<int>(command), begin.buffer));
  colour.loadOp = load_of(begin);
  colour.storeOp = store_of(begin);
  VkRenderingInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
  info.renderArea = {{0, 0}, area};
  info.layerCount = 1;
  info.colorAttachmentCount = 1;
  info.pColorAttachments = &colour;
  vkCmdBeginRendering(commands, &info);
}

void Pipelines::end_pass(VkCommandBuffer commands) const {
  if (program_.pass_objects) return vkCmdEndRenderPass(commands);
  vkCmdEndRendering(commands);
}

}  // namespace oracle
