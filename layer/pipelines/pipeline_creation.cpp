// SPDX-License-Identifier: Apache-2.0
#include "layer/pipelines/pipeline_creation.h"

#include <memory>

#include "layer/context/object_names.h"
#include "layer/loader/device.h"
#include "layer/pipelines/checked_versions.h"
#include "layer/pipelines/heap_stages.h"
#include "layer/pipelines/instrumenter.h"
#include "layer/pipelines/pipeline_parts.h"
#include "layer/pipelines/shader_modules.h"
#include "layer/recording/command_buffers.h"
#include "layer/resources/pipeline_layouts.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

// What of a pipeline's create info decides whether its stages may be edited.
struct StagePolicy {
  bool use_originals = false;
  std::string reason;  // for a note about each printing shader; empty: there is no code in the stages anyway
};

// A pipeline that the application keeps beyond this process, or takes from an earlier one, must not have our
// code in it.
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
  if (!(own_parts(chain) & kShaderParts)) return {true, {}};
  const VkPipelineCreateFlags2KHR all = all_flags(chain, flags);
  if (all & VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR) {
    return {true, "the application captures the pipeline's binary, which must work in other runs too"};
  }
  if (all & VK_PIPELINE_CREATE_2_RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_BIT_KHR) {
    return {true, "the application captures or replays the pipeline's shader group handles"};
  }
  return {};
}

void note_untouched_stages(const Device& device, std::span<const VkPipelineShaderStageCreateInfo> stages,
                           const std::string& reason) {
  for (const VkPipelineShaderStageCreateInfo& stage : stages) {
    if (const auto shader = device.shader_modules.find(stage.module)) {
      device.instrumenter.note_left_alone(*shader, reason);
    }
  }
}

// The instrumented shaders of the libraries that a pipeline links, and of the pipelines whose shader groups
// it takes over.
void inherit_shaders(const Device& device, const PipelineDescription& pipeline, PipelineEdit& edit) {
  std::vector<VkPipeline> from;
  if (const auto libraries = pipeline.libraries)
    from.assign(libraries->pLibraries, libraries->pLibraries + libraries->libraryCount);
  if (const auto groups = find_in_chain<VkGraphicsPipelineShaderGroupsCreateInfoNV>(
          pipeline.chain, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_SHADER_GROUPS_CREATE_INFO_NV)) {
    from.insert(from.end(), groups->pPipelines, groups->pPipelines + groups->pipelineCount);
  }
  for (const VkPipeline parent : from) {
    const std::vector<uint64_t> inherited = device.names.shaders_of_pipeline(parent);
    edit.inherited_shaders.insert(edit.inherited_shaders.end(), inherited.begin(), inherited.end());
    edit.inherited_record |= device.checks_sync() && device.command_buffers.find_pipeline(parent) != nullptr;
  }
}

// The layout without the action record's set, for a pipeline of an indirect execution set. Null: the given
// one will do.
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

// Whether a stage is named by an identifier, by which the driver finds it in its caches.
bool is_named_by_identifier(std::span<const VkPipelineShaderStageCreateInfo> stages) {
  for (const VkPipelineShaderStageCreateInfo& stage : stages) {
    const auto identifier = find_in_chain<VkPipelineShaderStageModuleIdentifierCreateInfoEXT>(
        stage.pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT);
    if (!stage.module && identifier && identifier->identifierSize &&
        !find_in_chain<VkShaderModuleCreateInfo>(stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO)) {
      return true;
    }
  }
  return false;
}

}  // namespace

VkPipelineCreateFlags2KHR all_flags(const void* chain, VkPipelineCreateFlags flags) {
  const auto flags2 = find_in_chain<VkPipelineCreateFlags2CreateInfoKHR>(
      chain, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR);
  return flags2 ? flags2->flags : VkPipelineCreateFlags2KHR{flags};
}

void PipelineEdit::restore() {
  rejected_shaders.swap(own_shaders);
  footprints_complete = false;
  own_record = linked;
  if (!linked) layout = VK_NULL_HANDLE;
  stages = nullptr;
}

bool is_linked(const PipelineDescription& pipeline) {
  return (all_flags(pipeline.chain, pipeline.flags) & VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR) ||
         (pipeline.libraries && pipeline.libraries->libraryCount);
}

std::shared_ptr<LayoutLease> layout_with_constant(const Device& device, VkPipelineLayout layout) {
  const auto known = device.checks_sync() && layout ? device.pipeline_layouts.find(layout) : nullptr;
  return known ? known->with_constant : nullptr;
}

// Where libraries of both kinds of stages have one, that of the pre-rasterization stages counts, so it has
// none of ours.
std::shared_ptr<LayoutLease> library_layout(const Device& device, const PipelineDescription& pipeline) {
  const VkPipelineCreateFlags2KHR flags = all_flags(pipeline.chain, pipeline.flags);
  const bool library = (flags & VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR) && !pipeline.ray_tracing;
  if (!library || !device.checks_sync() || !pipeline.layout) return nullptr;
  const bool part_of = find_in_chain<VkGraphicsPipelineLibraryCreateInfoEXT>(
      pipeline.chain, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
  const PipelineParts shaders = own_parts(pipeline.chain) & kShaderParts;
  if (!part_of || (shaders != kPreRasterization && shaders != kFragmentShader)) return nullptr;
  const std::shared_ptr<const PipelineLayout> known = device.pipeline_layouts.find(pipeline.layout);
  if (!known) return nullptr;
  return shaders == kPreRasterization ? known->before_others : known->beside_others;
}

PipelineEdit edit_library_layout(const Device& device, const PipelineDescription& pipeline) {
  PipelineEdit edit;
  if (const auto layout = library_layout(device, pipeline)) edit.layout = layout->handle;
  return edit;
}

PipelineEdit edit_pipeline(Device& device, StageEdits& stages, const PipelineDescription& pipeline) {
  PipelineEdit edit;
  HeapStages heaps = describe_heaps(device, pipeline);
  const VkPipelineCreateFlags2KHR flags = all_flags(pipeline.chain, pipeline.flags);
  edit.layout = execution_set_layout(device, flags, pipeline.layout);
  const auto with_constant = edit.layout ? nullptr : layout_with_constant(device, pipeline.layout);
  // On lavapipe 25 a linked one does not find the address there; why is not known.
  const bool linked_groups = with_constant && pipeline.ray_tracing && is_linked(pipeline);
  if (linked_groups)
    note_unchecked_layout(device, device.pipeline_layouts.find(pipeline.layout)->no_set +
                                      ", and its pipelines are for ray tracing and linked with others");
  const bool unchecked = edit.layout || linked_groups;
  if (!unchecked) edit.layout = edit_library_layout(device, pipeline).layout;
  if (const StagePolicy policy = stage_policy(device, pipeline.chain, pipeline.flags); policy.use_originals) {
    if (!policy.reason.empty()) note_untouched_stages(device, pipeline.stages, policy.reason);
  } else {
    EditedStages edited = stages.edit(pipeline.stages.data(), static_cast<uint32_t>(pipeline.stages.size()),
                                      unchecked ? VK_NULL_HANDLE : pipeline.layout, heaps.layouts);
    if (edited.stages != pipeline.stages.data()) edit.stages = edited.stages;
    edit.own_shaders = std::move(edited.shaders);
    edit.own_record = edited.needs_record;
    edit.footprints_complete = edited.footprints_complete;
    edit.withheld = (flags & VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT_KHR) &&
                    device.instruments() && is_named_by_identifier(pipeline.stages);
  }
  edit.linked = with_constant && !unchecked && is_linked(pipeline);
  edit.own_record |= edit.linked;
  if (edit.own_record && with_constant) edit.layout = with_constant->handle;
  if (edit.own_record) edit.heaps = std::move(heaps.pipeline);
  inherit_shaders(device, pipeline, edit);
  return edit;
}

void remember_pipeline(Device& device, VkPipeline pipeline, const PipelineEdit& edit,
                       const PipelineDescription& description) {
  if (!edit.is_instrumented()) return;
  std::vector<uint64_t> shaders = edit.own_shaders;
  shaders.insert(shaders.end(), edit.inherited_shaders.begin(), edit.inherited_shaders.end());
  device.names.add_pipeline(pipeline, shaders);
  if (!edit.own_record && !edit.inherited_record) return;
  if (edit.heaps) {
    edit.heaps->footprints_complete = edit.footprints_complete;
    device.command_buffers.add_checked_pipeline(pipeline, edit.heaps);
  } else if (description.layout) {
    device.command_buffers.add_checked_pipeline(pipeline, description.layout, edit.own_record,
                                                edit.footprints_complete && !edit.inherited_record);
  } else if (const auto libraries = description.libraries) {
    device.command_buffers.add_checked_pipeline(pipeline, {libraries->pLibraries, libraries->libraryCount});
  }
}

void note_rejected_shaders(const Device& device, const PipelineEdit& edit) {
  device.instrumenter.note_rejected(edit.rejected_shaders);
}

CreationTimer time_creation(const Device& device, uint32_t count) { return {device, count}; }

void destroy_pipelines(Device& device, std::span<VkPipeline> pipelines,
                       const VkAllocationCallbacks* allocator) {
  for (const VkPipeline pipeline : pipelines) {
    if (!pipeline) continue;
    device.names.remove_pipeline(pipeline);
    device.command_buffers.remove_pipeline(pipeline);
    if (device.checked_versions.remove(pipeline)) continue;
    device.next.DestroyPipeline(device.handle, pipeline, allocator);
  }
}

}  // namespace shaderqa::layer
