// SPDX-License-Identifier: Apache-2.0
// A pipeline's create info that outlives the call which creates the pipeline (docs/internals/start.md).
#ifndef SHADERQA_LAYER_PIPELINES_PIPELINE_COPY_H
#define SHADERQA_LAYER_PIPELINES_PIPELINE_COPY_H

#include <vulkan/vulkan_core.h>

#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "layer/pipelines/pipeline_parts.h"
#include "layer/resources/lease.h"
#include "layer/resources/pipeline_layouts.h"
#include "layer/vk/arena.h"

namespace shaderqa::layer {

class Device;
class PipelineLibrary;
struct KeptShader;

// The code of a stage. There is no VkShaderModule: the application's may be destroyed.
struct StageCode {
  std::shared_ptr<const KeptShader> shader;
  bool checkable = false;  // there may be something to check
};

struct PipelineCopy {
  std::variant<VkComputePipelineCreateInfo, VkGraphicsPipelineCreateInfo> info;
  std::span<VkPipelineShaderStageCreateInfo> stages;  // of info; their modules are null
  std::vector<StageCode> code;                        // by stage
  // What actions with the pipeline need. Null: none of them can have a record.
  std::shared_ptr<CheckedPipeline> record;
  // With descriptor heaps, by stage: what is in place of a layout.
  std::vector<std::shared_ptr<const PipelineLayout>> stage_layouts;
  Arena arena;  // holds what info points to
  // What it is linked with. Links are made with the libraries' checked versions.
  std::vector<std::shared_ptr<PipelineLibrary>> libraries;
  bool linked = false;  // it is a library, or linked with some: all of these must have the same layout
  bool needed = false;  // a library that must be made even if there is nothing to check
  // A library with descriptor heaps whose shaders read the push data in which others find the record's
  // address.
  bool reads_record_place = false;

  // The application may destroy these once its own pipeline is created.
  std::shared_ptr<LayoutLease> layout;
  std::shared_ptr<Lease<VkRenderPass>> render_pass;
  std::vector<std::shared_ptr<Lease<VkSampler>>> samplers;
};

// Null if `reason` says why not: a structure is not known, or an object cannot be kept. To be called within
// the call that creates the pipeline. Derivatives, caches, feedback, and what a call does about pipelines
// that have to be compiled are the application's own pipeline's alone.
// libraries: those that it names, which have no checks themselves.
std::unique_ptr<PipelineCopy> copy_pipeline(Device& device, const VkComputePipelineCreateInfo& info,
                                            std::string& reason);
std::unique_ptr<PipelineCopy> copy_pipeline(Device& device, const VkGraphicsPipelineCreateInfo& info,
                                            std::vector<std::shared_ptr<PipelineLibrary>> libraries,
                                            std::string& reason);

// Throws CannotCopy.
struct CannotCopy {
  std::string reason;
};
// `dropped`: types that are left out.
const void* copy_chain(const void* chain, Arena& arena, std::span<const VkStructureType> dropped);
// Whether no fragment of the pipeline is ever made.
bool discards_fragments(const VkGraphicsPipelineCreateInfo& info);
// What pictures need to know of a pipeline: whether fragments can fail tests of depth or stencil, and whether
// these may come before the shader.
struct FragmentTests {
  bool any = false;
  bool may_be_early = false;
};
FragmentTests fragment_tests(const VkGraphicsPipelineCreateInfo& info);
// What graphics pipelines have besides stages and layout, of their own parts. uses: of the subpass; null in
// dynamic rendering.
void copy_graphics_state(VkGraphicsPipelineCreateInfo& info, PipelineParts parts, Arena& arena,
                         const SubpassUse* uses);

}  // namespace shaderqa::layer
#endif
