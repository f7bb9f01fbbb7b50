// SPDX-License-Identifier: Apache-2.0
// The parts of graphics pipelines (VK_EXT_graphics_pipeline_library), and what is linked from them.
#ifndef SHADERQA_TESTS_LAYER_LIBRARY_KIT_H
#define SHADERQA_TESTS_LAYER_LIBRARY_KIT_H

#include <vector>

#include "layer/pipelines/pipeline_parts.h"
#include "layer/vk/descriptor_heap.h"
#include "tests/layer/program.h"

namespace shaderqa::layer_tests {

inline VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT* library_features() {
  static VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT features{};
  features = {};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT;
  features.graphicsPipelineLibrary = VK_TRUE;
  return &features;
}
inline std::vector<const char*> library_extensions() {
  return {VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME, VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME};
}

// Where Vulkan ignores a pointer, an application may leave anything.
template <typename Structure>
void point_nowhere(const Structure*& pointer) {
  pointer = reinterpret_cast<const Structure*>(0x10);
}

struct PartInfo {
  layer::PipelineParts parts = 0;  // 0: what is linked alone
  const Words* words = nullptr;    // of the part's stage; null: it has none
  std::vector<VkPipeline> libraries{};
  VkPipelineLayout layout = VK_NULL_HANDLE;
  bool library = true;
  VkPipelineCreateFlags2 more_flags = 0;
  const VkDescriptorSetAndBindingMappingEXT* mapping = nullptr;
  const VkAllocationCallbacks* allocator = nullptr;
  const void* chain = nullptr;  // in front of the rest
};

// All state that is not of its parts is invalid.
inline VkPipeline create_part(const Device& device, const PartInfo& part) {
  VkShaderDescriptorSetAndBindingMappingInfoEXT mappings{};
  mappings.sType = VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT;
  mappings.mappingCount = 1;
  mappings.pMappings = part.mapping;
  VkShaderModuleCreateInfo code{};
  if (part.words) code = module_info(*part.words);
  if (part.mapping) code.pNext = &mappings;
  VkPipelineShaderStageCreateInfo stage = stage_info(
      part.parts & layer::kPreRasterization ? VK_SHADER_STAGE_VERTEX_BIT : VK_SHADER_STAGE_FRAGMENT_BIT,
      VK_NULL_HANDLE);
  stage.pNext = &code;
  VkPipelineLibraryCreateInfoKHR link{};
  link.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR;
  link.pNext = part.chain;
  link.libraryCount = static_cast<uint32_t>(part.libraries.size());
  link.pLibraries = part.libraries.data();
  VkGraphicsPipelineLibraryCreateInfoEXT which{};
  which.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT;
  which.pNext = &link;
  which.flags = part.parts;
  VkPipelineCreateFlags2CreateInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO;
  flags.pNext = part.parts ? static_cast<const void*>(&which) : &link;
  flags.flags = part.more_flags | (part.library ? VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR : 0);
  VkPipelineRasterizationStateCreateInfo raster{};
  raster.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
  VkPipelineVertexInputStateCreateInfo vertices{};
  vertices.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
  VkPipelineColorBlendStateCreateInfo blend{};
  blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
  VkGraphicsPipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info.pNext = &flags;
  info.stageCount = part.words ? 1 : 0;
  info.pStages = part.words ? &stage : nullptr;
  if (part.parts & layer::kVertexInput)
    info.pVertexInputState = &vertices;
  else
    point_nowhere(info.pVertexInputState), point_nowhere(info.pInputAssemblyState);
  if (part.parts & layer::kPreRasterization)
    info.pRasterizationState = &raster;
  else
    point_nowhere(info.pRasterizationState), point_nowhere(info.pViewportState),
        point_nowhere(info.pTessellationState);
  if (part.parts & layer::kFragmentOutput)
    info.pColorBlendState = &blend;
  else
    point_nowhere(info.pColorBlendState);
  if (!(part.parts & layer::kFragmentShader)) point_nowhere(info.pDepthStencilState);
  if (!(part.parts & (layer::kFragmentShader | layer::kFragmentOutput)))
    point_nowhere(info.pMultisampleState);
  info.layout = part.layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  check(
      device.vk.vkCreateGraphicsPipelines(device.handle, VK_NULL_HANDLE, 1, &info, part.allocator, &pipeline),
      "vkCreateGraphicsPipelines");
  return pipeline;
}

}  // namespace shaderqa::layer_tests
#endif
