// SPDX-License-Identifier: Apache-2.0
// Compute and graphics pipelines.
#include "layer/loader/dispatch.h"
#include "layer/pipelines/pipeline_creation.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

// A graphics pipeline made from libraries, or a library without shaders of its own, has stages that nobody
// may look at.
bool has_shader_stages(const void* chain) {
  const auto part = find_in_chain<VkGraphicsPipelineLibraryCreateInfoEXT>(
      chain, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
  constexpr VkGraphicsPipelineLibraryFlagsEXT with_shaders =
      VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT |
      VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT;
  if (part) return part->flags & with_shaders;
  const auto libraries = find_in_chain<VkPipelineLibraryCreateInfoKHR>(
      chain, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
  return !libraries || libraries->libraryCount == 0;
}

}  // namespace

VkPipelineCreateFlags2KHR all_flags(const void* chain, VkPipelineCreateFlags flags) {
  const auto flags2 = find_in_chain<VkPipelineCreateFlags2CreateInfoKHR>(
      chain, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR);
  return flags2 ? flags2->flags : VkPipelineCreateFlags2KHR{flags};
}

StagePolicy stage_policy(const Device& device, const void* chain, VkPipelineCreateFlags flags) {
  const auto binaries =
      find_in_chain<VkPipelineBinaryInfoKHR>(chain, VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR);
  if (binaries && binaries->binaryCount) {
    device.note(
        "pipeline binaries",
        "the application makes pipelines from binaries, which cannot be instrumented: they print nothing "
        "and are not checked; remove the application's pipeline cache to have them made from SPIR-V");
    return {true, {}};
  }
  if (!has_shader_stages(chain)) return {true, {}};
  const VkPipelineCreateFlags2KHR all = all_flags(chain, flags);
  if (all & VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR) {
    return {true, "the application captures the pipeline's binary, which must work in other runs too"};
  }
  if (all & VK_PIPELINE_CREATE_2_RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_BIT_KHR) {
    return {true, "the application captures or replays the pipeline's shader group handles"};
  }
  return {};
}

void note_untouched_stages(Device& device, const VkPipelineShaderStageCreateInfo* stages, uint32_t count,
                           const std::string& reason) {
  for (uint32_t i = 0; i < count; ++i) {
    if (const auto shader = device.shader_modules.find(stages[i].module)) {
      device.instrumenter.note_left_alone(shader->hash, reason);
    }
  }
}

bool inherit_shaders(Device& device, const VkPipelineLibraryCreateInfoKHR* libraries, const void* chain,
                     std::vector<uint64_t>& hashes) {
  std::vector<VkPipeline> from;
  if (libraries) from.assign(libraries->pLibraries, libraries->pLibraries + libraries->libraryCount);
  if (const auto groups = find_in_chain<VkGraphicsPipelineShaderGroupsCreateInfoNV>(
          chain, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_SHADER_GROUPS_CREATE_INFO_NV)) {
    from.insert(from.end(), groups->pPipelines, groups->pPipelines + groups->pipelineCount);
  }
  bool needs_record = false;
  for (const VkPipeline pipeline : from) {
    const std::vector<uint64_t> inherited = device.names.shaders_of_pipeline(pipeline);
    hashes.insert(hashes.end(), inherited.begin(), inherited.end());
    needs_record |= device.checks_sync() && device.command_buffers.find_pipeline(pipeline) != nullptr;
  }
  return needs_record;
}

VkPipelineLayout execution_set_layout(const Device& device, VkPipelineCreateFlags2KHR flags,
                                      VkPipelineLayout layout) {
  if (!(flags & VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT) || !device.checks_sync() || !layout)
    return VK_NULL_HANDLE;
  const std::shared_ptr<const PipelineLayout> known = device.pipeline_layouts.find(layout);
  if (!known || !known->as_given) return VK_NULL_HANDLE;
  device.note(
      "execution sets",
      std::string("pipelines that may be in indirect execution sets are not checked for unsynchronised "
                  "accesses: ") +
          PipelineLayouts::kNotInExecutionSets);
  return known->as_given;
}

bool is_named_by_identifier(const VkPipelineShaderStageCreateInfo* stages, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const auto identifier = find_in_chain<VkPipelineShaderStageModuleIdentifierCreateInfoEXT>(
        stages[i].pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT);
    if (!stages[i].module && identifier && identifier->identifierSize &&
        !find_in_chain<VkShaderModuleCreateInfo>(stages[i].pNext,
                                                 VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO)) {
      return true;
    }
  }
  return false;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateComputePipelines(VkDevice handle, VkPipelineCache pipelineCache,
                                                             uint32_t createInfoCount,
                                                             const VkComputePipelineCreateInfo* pCreateInfos,
                                                             const VkAllocationCallbacks* pAllocator,
                                                             VkPipeline* pPipelines) {
  Device& device = device_of(handle);
  return create_pipelines(
      device, pCreateInfos, createInfoCount, pPipelines, pAllocator,
      [&](const VkComputePipelineCreateInfo* infos, uint32_t count, VkPipeline* made, bool) {
        return device.next.CreateComputePipelines(handle, pipelineCache, count, infos, pAllocator, made);
      });
}

VKAPI_ATTR VkResult VKAPI_CALL
hooks::CreateGraphicsPipelines(VkDevice handle, VkPipelineCache pipelineCache, uint32_t createInfoCount,
                               const VkGraphicsPipelineCreateInfo* pCreateInfos,
                               const VkAllocationCallbacks* pAllocator, VkPipeline* pPipelines) {
  Device& device = device_of(handle);
  const VkResult result = create_pipelines(
      device, pCreateInfos, createInfoCount, pPipelines, pAllocator,
      [&](const VkGraphicsPipelineCreateInfo* infos, uint32_t count, VkPipeline* made, bool) {
        return device.next.CreateGraphicsPipelines(handle, pipelineCache, count, infos, pAllocator, made);
      });
  for (uint32_t i = 0; device.engine->needs.command_accesses && i < createInfoCount; ++i) {
    // Where some are not made the others are.
    if (pPipelines[i]) guarded([&] { device.vertex_stages.add_pipeline(pPipelines[i], pCreateInfos[i]); });
  }
  return result;
}

}  // namespace shaderqa::layer
