// SPDX-License-Identifier: Apache-2.0
#include "layer/pipelines/pipeline_copy.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "layer/loader/device.h"
#include "layer/pipelines/heap_stages.h"
#include "layer/pipelines/pipeline_creation.h"
#include "layer/pipelines/pipeline_libraries.h"
#include "layer/pipelines/shader_modules.h"
#include "layer/recording/command_buffers.h"
#include "layer/resources/heap_tables.h"
#include "layer/vk/descriptor_heap.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

constexpr VkPipelineCreateFlags2KHR kOnlyForItself =
    VK_PIPELINE_CREATE_2_ALLOW_DERIVATIVES_BIT_KHR | VK_PIPELINE_CREATE_2_DERIVATIVE_BIT_KHR |
    VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT_KHR |
    VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT_KHR | VK_PIPELINE_CREATE_2_CAPTURE_STATISTICS_BIT_KHR |
    VK_PIPELINE_CREATE_2_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;

// Null where something in it is not known.
void* copy_mappings(const VkShaderDescriptorSetAndBindingMappingInfoEXT& info, Arena& arena) {
  auto* const copy = arena.make(info);
  auto* const mappings = arena.copy(info.pMappings, info.mappingCount);
  copy->pMappings = mappings;
  for (uint32_t i = 0; i < info.mappingCount; ++i) {
    const bool known = mappings[i].source <= VK_DESCRIPTOR_MAPPING_SOURCE_SHADER_RECORD_ADDRESS_EXT;
    auto* const sampler = const_cast<const VkSamplerCreateInfo**>(embedded_sampler(mappings[i]));
    if (mappings[i].pNext || !known || (sampler && *sampler && (*sampler)->pNext)) return nullptr;
    if (sampler && *sampler) *sampler = arena.make(**sampler);
  }
  return copy;
}

// Null where the structure is not known.
void* copy_structure(const void* structure, Arena& arena) {
  using Mappings = VkShaderDescriptorSetAndBindingMappingInfoEXT;
  if (type_of_structure(structure) == VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT)
    return copy_mappings(*static_cast<const Mappings*>(structure), arena);
  switch (type_of_structure(structure)) {
#define PIPELINE_CHAIN(structure_type, structure_name, arrays)               \
  case structure_type: {                                                     \
    auto* copy = arena.make(*static_cast<const structure_name*>(structure)); \
    arrays;                                                                  \
    return copy;                                                             \
  }
#define PIPELINE_ARRAY(member, count) \
  if (copy->count && copy->member) copy->member = arena.copy(copy->member, copy->count);
#include "layer/vk/pipeline_chains.inl"
#undef PIPELINE_ARRAY
#undef PIPELINE_CHAIN
    default:
      return nullptr;
  }
}

void copy_flags(const void* chain, VkPipelineCreateFlags& flags) {
  flags &= ~static_cast<VkPipelineCreateFlags>(kOnlyForItself);
  const auto newer = find_in_chain<VkPipelineCreateFlags2CreateInfoKHR>(
      chain, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR);
  if (newer) const_cast<VkPipelineCreateFlags2CreateInfoKHR*>(newer)->flags &= ~kOnlyForItself;
}

const VkSpecializationInfo* copy_constants(const VkSpecializationInfo* constants, Arena& arena) {
  if (!constants) return nullptr;
  VkSpecializationInfo* copy = arena.make(*constants);
  copy->pMapEntries = arena.copy(copy->pMapEntries, copy->mapEntryCount);
  copy->pData = arena.copy(static_cast<const std::byte*>(copy->pData), copy->dataSize);
  return copy;
}

StageCode code_of(const Device& device, const VkPipelineShaderStageCreateInfo& stage) {
  if (stage.module) {
    if (auto shader = device.shader_modules.find(stage.module)) return {std::move(shader), true};
    if (auto shader = device.shader_modules.find_other(stage.module)) return {std::move(shader), false};
    throw CannotCopy{"a shader's code is not known"};
  }
  const auto code =
      find_in_chain<VkShaderModuleCreateInfo>(stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  if (!code) throw CannotCopy{"a stage has no code"};
  const std::span<const uint32_t> words = words_of(code->pCode, code->codeSize);
  if (auto shader = keep_shader(device, words)) return {std::move(shader), true};
  return {keep_other_shader(words), false};
}

void copy_stages(const Device& device, std::span<const VkPipelineShaderStageCreateInfo> stages,
                 PipelineCopy& copy) {
  constexpr std::array dropped = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                  VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                  VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT};
  copy.stages = {copy.arena.copy(stages.data(), stages.size()), stages.size()};
  for (VkPipelineShaderStageCreateInfo& stage : copy.stages) {
    copy.code.push_back(code_of(device, stage));
    stage.pNext = copy_chain(stage.pNext, copy.arena, dropped);
    stage.module = VK_NULL_HANDLE;
    stage.pName = copy.arena.copy(stage.pName, std::strlen(stage.pName) + 1);
    stage.pSpecializationInfo = copy_constants(stage.pSpecializationInfo, copy.arena);
  }
}

void keep_samplers(const Device& device, const PipelineLayout& layout, PipelineCopy& copy) {
  for (const auto& set : layout.sets) {
    for (size_t i = 0; set && i < set->immutable_samplers.size(); ++i) {
      auto sampler = device.leases.samplers.borrow(set->immutable_samplers[i]);
      if (!sampler) throw CannotCopy{"an immutable sampler was created with an allocator or converts YCbCr"};
      copy.samplers.push_back(std::move(sampler));
    }
  }
}

// The layout itself, and the samplers in it: the driver may keep pointers to those.
void keep_layout(Device& device, const PipelineDescription& pipeline, PipelineCopy& copy) {
  if (!pipeline.layout) return;
  const std::shared_ptr<const PipelineLayout> known = device.pipeline_layouts.find(pipeline.layout);
  if (!known) throw CannotCopy{"its layout is not known"};
  copy.layout = library_layout(device, pipeline);
  if (!copy.layout) copy.layout = known->twin;
  if (!copy.layout) copy.layout = device.leases.layouts.borrow(pipeline.layout);
  if (!copy.layout) throw CannotCopy{"its layout was created with an allocator"};
  keep_samplers(device, *known, copy);
}

void copy_own(Device& device, const VkComputePipelineCreateInfo& original, PipelineCopy& copy,
              VkComputePipelineCreateInfo& info) {
  constexpr std::array dropped = {VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO};
  info.pNext = copy_chain(info.pNext, copy.arena, dropped);
  copy_stages(device, {&original.stage, 1}, copy);
}

// What Vulkan ignores may be invalid.
void drop_ignored(VkGraphicsPipelineCreateInfo& info, PipelineParts parts) {
  if (!(parts & kShaderParts)) {
    info.stageCount = 0;
    info.pStages = nullptr;
    info.layout = parts ? VkPipelineLayout{} : info.layout;
  }
  if (!(parts & kPreRasterization)) info.pRasterizationState = nullptr;
  if (!(parts & (kShaderParts | kFragmentOutput))) info.renderPass = VK_NULL_HANDLE;
}

void copy_own(Device& device, const VkGraphicsPipelineCreateInfo& original, PipelineCopy& copy,
              VkGraphicsPipelineCreateInfo& info) {
  const PipelineParts parts = own_parts(original.pNext);
  drop_ignored(info, parts);
  const SubpassUse* uses = nullptr;
  std::vector<VkStructureType> dropped = {VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
                                          VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR};
  if (info.renderPass) {
    copy.render_pass = device.leases.render_passes.borrow(info.renderPass);
    const auto* subpasses = device.leases.subpasses.find(info.renderPass);
    if (!copy.render_pass || !subpasses || info.subpass >= subpasses->size())
      throw CannotCopy{"its render pass is not known, or was created with an allocator"};
    uses = &(*subpasses)[info.subpass];
  }
  // Formats that are ignored may be invalid.
  constexpr VkStructureType rendering_type = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO;
  const auto* rendering = find_in_chain<VkPipelineRenderingCreateInfo>(info.pNext, rendering_type);
  const bool formats =
      rendering && !info.renderPass && (parts & kFragmentOutput) && !discards_fragments(info);
  if (!formats) dropped.push_back(rendering_type);
  copy_stages(device, {info.pStages, info.stageCount}, copy);
  info.pStages = copy.stages.data();
  info.pNext = copy_chain(info.pNext, copy.arena, dropped);
  if (rendering && !info.renderPass && !formats) {
    VkPipelineRenderingCreateInfo views{};
    views.sType = rendering_type;
    views.pNext = info.pNext;
    views.viewMask = rendering->viewMask;
    info.pNext = copy.arena.make(views);
  }
  copy_graphics_state(info, parts, copy.arena, uses);
}

// The record of a pipeline that is linked without a layout is that of its libraries.
void inherit_record(PipelineCopy& copy) {
  for (const auto& library : copy.libraries) {
    if (copy.record || !library->copy() || !library->copy()->record) continue;
    copy.record = std::make_shared<CheckedPipeline>(*library->copy()->record);
  }
}

template <typename Info>
std::unique_ptr<PipelineCopy> copy_any(Device& device, const Info& original,
                                       std::vector<std::shared_ptr<PipelineLibrary>> libraries,
                                       std::string& reason) {
  try {
    auto copy = std::make_unique<PipelineCopy>();
    Info info = original;
    const PipelineDescription pipeline = describe(original);
    copy->libraries = std::move(libraries);
    copy->linked = is_linked(pipeline);
    copy_own(device, original, *copy, info);
    if (info.layout) keep_layout(device, pipeline, *copy);
    if (device.checks_sync() && info.layout)
      copy->record = device.command_buffers.describe_pipeline(info.layout);
    if (copy->layout) info.layout = copy->layout->handle;
    HeapStages heaps = describe_heaps_for_later(device, pipeline, copy->libraries);
    if (heaps.pipeline) copy->record = std::move(heaps.pipeline);
    copy->stage_layouts = std::move(heaps.layouts);
    copy->reads_record_place = heaps.reads_record_place;
    if (!heaps.any) inherit_record(*copy);
    info.basePipelineHandle = VK_NULL_HANDLE;
    info.basePipelineIndex = -1;
    copy_flags(info.pNext, info.flags);
    copy->info = info;
    return copy;
  } catch (const CannotCopy& problem) {
    reason = problem.reason;
    return nullptr;
  }
}

}  // namespace

const void* copy_chain(const void* chain, Arena& arena, std::span<const VkStructureType> dropped) {
  const void* head = nullptr;
  void* last = nullptr;
  int length = 0;
  for (; chain; chain = next_structure(chain)) {
    const VkStructureType type = type_of_structure(chain);
    if (++length > kLongestChain) throw CannotCopy{"its chain is a ring"};
    if (std::ranges::find(dropped, type) != dropped.end()) continue;
    void* copy = copy_structure(chain, arena);
    if (!copy) throw CannotCopy{"a structure of type " + std::to_string(type) + " cannot be copied"};
    link_structure(copy, nullptr);
    if (last) link_structure(last, copy);
    if (!head) head = copy;
    last = copy;
  }
  return head;
}

std::unique_ptr<PipelineCopy> copy_pipeline(Device& device, const VkComputePipelineCreateInfo& info,
                                            std::string& reason) {
  return copy_any(device, info, {}, reason);
}

std::unique_ptr<PipelineCopy> copy_pipeline(Device& device, const VkGraphicsPipelineCreateInfo& info,
                                            std::vector<std::shared_ptr<PipelineLibrary>> libraries,
                                            std::string& reason) {
  return copy_any(device, info, std::move(libraries), reason);
}

}  // namespace shaderqa::layer
