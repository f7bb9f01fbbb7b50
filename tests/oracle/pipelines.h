// SPDX-License-Identifier: Apache-2.0
// Pipelines of an abstract program's commands, and the render passes of its draws.
#ifndef SHADERQA_TESTS_ORACLE_PIPELINES_H
#define SHADERQA_TESTS_ORACLE_PIPELINES_H

#include <map>

#include "descriptors.h"
#include "program.h"
#include "vulkan_kit.h"

namespace oracle {

class Pipelines {
 public:
  Pipelines(kit::Device& device, const Program& program, const Descriptors& descriptors)
      : device_(device), program_(program), descriptors_(descriptors) {}

  // first_line: that of the first statement in reports. The command is a dispatch or a draw. Throws where the
  // compiler fails.
  VkPipeline make(uint32_t command, uint32_t first_line);
  // A render pass without attachments, or that of the program's command begin_pass, with the view of its
  // image.
  void begin_pass(VkCommandBuffer commands);
  void begin_pass(VkCommandBuffer commands, uint32_t command, VkImageView attachment);
  void end_pass(VkCommandBuffer commands) const;

 private:
  VkPipeline make_compute(const Command& dispatch, VkShaderModule shader);
  VkPipeline make_graphics(uint32_t command, VkPipelineShaderStageCreateInfo shader);
  VkShaderModule module(const std::string& glsl, VkShaderStageFlagBits stage);
  VkRenderPass pass();
  VkRenderPass attached_pass(uint32_t command);

  kit::Device& device_;
  const Program& program_;
  const Descriptors& descriptors_;
  VkRenderPass pass_ = VK_NULL_HANDLE;
  std::map<uint32_t, VkRenderPass> attached_passes_;
  VkFramebuffer target_ = VK_NULL_HANDLE;
};

}  // namespace oracle
#endif
