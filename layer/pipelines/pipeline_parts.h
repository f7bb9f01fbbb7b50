// SPDX-License-Identifier: Apache-2.0
// The parts of a graphics pipeline's state (VK_EXT_graphics_pipeline_library).
#ifndef SHADERQA_LAYER_PIPELINES_PIPELINE_PARTS_H
#define SHADERQA_LAYER_PIPELINES_PIPELINE_PARTS_H

#include <vulkan/vulkan_core.h>

#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {

using PipelineParts = VkGraphicsPipelineLibraryFlagsEXT;
constexpr PipelineParts kVertexInput = VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT;
constexpr PipelineParts kPreRasterization = VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT;
constexpr PipelineParts kFragmentShader = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT;
constexpr PipelineParts kFragmentOutput = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT;
constexpr PipelineParts kShaderParts = kPreRasterization | kFragmentShader;
constexpr PipelineParts kAllParts = kVertexInput | kShaderParts | kFragmentOutput;

// The parts that a create info has itself rather than from libraries. All that belongs to other parts, stages
// included, is undefined and must not be read. chain: the create info's.
inline PipelineParts own_parts(const void* chain) {
  const auto part = find_in_chain<VkGraphicsPipelineLibraryCreateInfoEXT>(
      chain, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
  if (part) return part->flags;
  const auto libraries = find_in_chain<VkPipelineLibraryCreateInfoKHR>(
      chain, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
  return libraries && libraries->libraryCount ? PipelineParts{} : kAllParts;
}

}  // namespace shaderqa::layer
#endif
