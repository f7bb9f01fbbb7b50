// SPDX-License-Identifier: Apache-2.0
// The commands that bind pipelines, shader objects and descriptor sets, and that push descriptors.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "host/switch/check_switch.h"
#include "layer/context/instance.h"
#include "layer/loader/device.h"
#include "layer/pipelines/checked_versions.h"
#include "layer/pipelines/shader_objects.h"
#include "layer/pipelines/vertex_stages.h"
#include "layer/recording/command_recorder.h"
#include "layer/resources/descriptor_pools.h"
#include "layer/resources/descriptor_sets.h"

namespace shaderqa::layer {
namespace {

template <typename Work>
void for_each_point(VkShaderStageFlags stages, const Work& work) {
  const uint32_t points = bind_points_of(stages);
  for (uint32_t i = 0; i < kBindPoints; ++i) {
    if (points & (1u << i)) work(static_cast<BindPoint>(i));
  }
}

void push(const Device& device, CommandRecorder& state, BindPoint point, VkPipelineLayout layout,
          uint32_t set, uint32_t count, const VkWriteDescriptorSet* writes) {
  Binds::Pushed* pushed = state.binds.pushed_set(device, point, layout, set);
  if (!pushed) return;
  for (uint32_t i = 0; i < count; ++i) write_entries(device, *pushed->layout, writes[i], pushed->entries);
}

void push_with_template(const Device& device, CommandRecorder& state,
                        VkDescriptorUpdateTemplate update_template, VkPipelineLayout layout, uint32_t set,
                        const void* data) {
  const UpdateTemplate* known = device.descriptor_sets.find_template(update_template);
  const auto point = known ? point_of(known->bind_point) : std::nullopt;
  if (!point) return;
  Binds::Pushed* pushed = state.binds.pushed_set(device, *point, layout, set);
  if (pushed) write_entries_with_template(device, *pushed->layout, update_template, data, pushed->entries);
}

void bind_pipeline(const Device& device, CommandRecorder& state, VkPipelineBindPoint bind_point,
                   VkPipeline pipeline, const BoundPipeline& bound) {
  const auto point = point_of(bind_point);
  if (!point) return;
  Binds& binds = state.binds.at(*point);
  binds.checked_shaders = binds.heap_shaders = binds.heap_shaders_end = 0;
  binds.readers = binds.twins = 0;
  binds.shaders.fill(VK_NULL_HANDLE);
  binds.pipeline = bound.pipeline;
  binds.compute_shader = VK_NULL_HANDLE;
  binds.checked = bound.record;
  binds.unchecked = bound.unchecked;
  binds.left_out = bound.left_out;
  binds.checks_indirect = bound.checks_indirect;
  binds.direct = bound.direct;
  // As VersionKind::alone_for_dispatches says.
  if (*point == BindPoint::compute && !bound.two_versions && device.engine->needs.command_accesses)
    binds.checks_indirect = false;
  binds.may_order = bound.may_order;
  binds.coverage = bound.coverage;
  binds.own = bound.two_versions ? pipeline : VK_NULL_HANDLE;
  if (device.engine->needs.command_accesses && *point == BindPoint::graphics) {
    binds.set_vertex(device.vertex_stages.find(pipeline));
  }
}

BoundPipeline version_to_bind(VkCommandBuffer command_buffer, VkPipeline pipeline) {
  BoundPipeline bound;
  bound.pipeline = pipeline;
  Device& device = device_of(command_buffer);
  // Without the recording's state, what is recorded now counts.
  const CommandRecorder* const recorder = find_recorder(command_buffer).recorder;
  WantedVersion wanted = WantedVersion::checked;
  if (recorder) {
    wanted = recorder->wanted_version();
  } else if (!device.instance->checks->state().next_open) {
    wanted = WantedVersion::own;
  }
  guarded([&] { bound = device.checked_versions.bind(pipeline, wanted); });
  if (bound.unchecked && !recorder) device.checked_versions.count_unchecked();
  return bound;
}

void bind_shader(const Device& device, CommandRecorder& state, VkShaderStageFlagBits stage,
                 VkShaderEXT shader) {
  for_each_point(stage, [&](BindPoint point) {
    Binds& binds = state.binds.at(point);
    binds.checked = nullptr;
    binds.unchecked = binds.left_out = false;
    binds.checks_indirect = binds.may_order = true;
    binds.direct = false;
    binds.coverage = nullptr;
    binds.pipeline = binds.own = VK_NULL_HANDLE;
    if (stage == VK_SHADER_STAGE_COMPUTE_BIT) binds.compute_shader = shader;
    for (uint32_t* const stages : {&binds.checked_shaders, &binds.heap_shaders, &binds.readers, &binds.twins})
      *stages &= ~static_cast<uint32_t>(stage);
    if (const auto number = static_cast<size_t>(std::countr_zero(uint32_t{stage}));
        number < binds.shaders.size())
      binds.shaders[number] = shader;
    const auto known = shader ? device.command_buffers.find_shader(shader) : std::nullopt;
    if (known && known->needs_record) binds.checked_shaders |= stage;
    if (known && known->reads_record_place) binds.readers |= stage;
    if (known && known->by_push_data) {
      binds.heap_shaders |= stage;
      binds.heap_shaders_end = std::max(binds.heap_shaders_end, known->push_data_end);
    }
    if (device.engine->needs.command_accesses && stage == VK_SHADER_STAGE_VERTEX_BIT) {
      binds.set_vertex(shader ? device.vertex_stages.find(shader) : nullptr);
    }
  });
}

// Where one of the shader objects reads the bytes of push data in which others would find the address of a
// record, all of them run with the application's code. Linked ones can only be exchanged together.
void exchange_twins(const Device& device, CommandRecorder& state, VkCommandBuffer commands) {
  Binds& binds = state.binds.at(BindPoint::graphics);
  const bool apart = binds.readers && binds.heap_shaders;
  if (!apart && !binds.twins) return;
  if (apart)
    device.note(
        "shader objects push data",
        "shader objects with descriptor heaps print nothing and are not checked while one is bound with "
        "them that reads the last 8 bytes of push data, where they would find the record of an action");
  std::vector<VkShaderStageFlagBits> stages;
  std::vector<VkShaderEXT> shaders;
  for (uint32_t i = 0; i < binds.shaders.size(); ++i) {
    const uint32_t stage = 1u << i;
    const auto twin = binds.shaders[i] ? device.shader_twins.find(binds.shaders[i]) : std::nullopt;
    // Without a twin, as memory ran out, it needs the address all the same.
    const bool exchange = apart && twin && twin->original;
    if (exchange == ((binds.twins & stage) != 0)) continue;
    binds.twins ^= stage;
    stages.push_back(static_cast<VkShaderStageFlagBits>(stage));
    shaders.push_back(exchange ? twin->original : binds.shaders[i]);
  }
  if (!stages.empty())
    device.next.CmdBindShadersEXT(commands, static_cast<uint32_t>(stages.size()), stages.data(),
                                  shaders.data());
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL hooks::CmdBindPipeline(VkCommandBuffer commandBuffer,
                                                  VkPipelineBindPoint pipelineBindPoint,
                                                  VkPipeline pipeline) {
  const BoundPipeline bound = version_to_bind(commandBuffer, pipeline);
  Device& device = with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    bind_pipeline(of, state, pipelineBindPoint, pipeline, bound);
  });
  device.next.CmdBindPipeline(commandBuffer, pipelineBindPoint, bound.pipeline);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBindPipelineShaderGroupNV(VkCommandBuffer commandBuffer,
                                                               VkPipelineBindPoint pipelineBindPoint,
                                                               VkPipeline pipeline, uint32_t groupIndex) {
  const BoundPipeline bound = version_to_bind(commandBuffer, pipeline);
  Device& device = with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    bind_pipeline(of, state, pipelineBindPoint, pipeline, bound);
    state.binds.at(BindPoint::graphics).own = VK_NULL_HANDLE;  // its groups cannot be bound again
    // A group may have another vertex input than the pipeline.
    if (pipelineBindPoint == VK_PIPELINE_BIND_POINT_GRAPHICS)
      state.binds.at(BindPoint::graphics).set_vertex(nullptr);
  });
  device.next.CmdBindPipelineShaderGroupNV(commandBuffer, pipelineBindPoint, bound.pipeline, groupIndex);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBindShadersEXT(VkCommandBuffer commandBuffer, uint32_t stageCount,
                                                    const VkShaderStageFlagBits* pStages,
                                                    const VkShaderEXT* pShaders) {
  Device& device = with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    for (uint32_t i = 0; i < stageCount; ++i) {
      bind_shader(of, state, pStages[i], pShaders ? pShaders[i] : VK_NULL_HANDLE);
    }
  });
  device.next.CmdBindShadersEXT(commandBuffer, stageCount, pStages, pShaders);
  with_recorder(commandBuffer,
                [&](Device& of, CommandRecorder& state) { exchange_twins(of, state, commandBuffer); });
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBindDescriptorSets(
    VkCommandBuffer commandBuffer, VkPipelineBindPoint pipelineBindPoint, VkPipelineLayout layout,
    uint32_t firstSet, uint32_t descriptorSetCount, const VkDescriptorSet* pDescriptorSets,
    uint32_t dynamicOffsetCount, const uint32_t* pDynamicOffsets) {
  Device& device = with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    if (const auto point = point_of(pipelineBindPoint)) {
      state.binds.bind_sets(of, *point, layout, firstSet, {pDescriptorSets, descriptorSetCount},
                            {pDynamicOffsets, dynamicOffsetCount});
    }
  });
  device.next.CmdBindDescriptorSets(commandBuffer, pipelineBindPoint, layout, firstSet, descriptorSetCount,
                                    pDescriptorSets, dynamicOffsetCount, pDynamicOffsets);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBindDescriptorSets2(
    VkCommandBuffer commandBuffer, const VkBindDescriptorSetsInfo* pBindDescriptorSetsInfo) {
  const VkBindDescriptorSetsInfo& info = *pBindDescriptorSetsInfo;
  Device& device = with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    for_each_point(info.stageFlags, [&](BindPoint point) {
      state.binds.bind_sets(of, point, info.layout, info.firstSet,
                            {info.pDescriptorSets, info.descriptorSetCount},
                            {info.pDynamicOffsets, info.dynamicOffsetCount});
    });
  });
  device.next.CmdBindDescriptorSets2(commandBuffer, pBindDescriptorSetsInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdPushConstants(VkCommandBuffer commandBuffer, VkPipelineLayout layout,
                                                   VkShaderStageFlags stageFlags, uint32_t offset,
                                                   uint32_t size, const void* pValues) {
  Device& device = with_recorder(commandBuffer, [&](Device&, CommandRecorder& state) {
    state.binds.push_constants(layout, stageFlags, offset, size, pValues);
  });
  device.next.CmdPushConstants(commandBuffer, layout, stageFlags, offset, size, pValues);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdPushConstants2(VkCommandBuffer commandBuffer,
                                                    const VkPushConstantsInfo* pPushConstantsInfo) {
  const VkPushConstantsInfo& info = *pPushConstantsInfo;
  Device& device = with_recorder(commandBuffer, [&](Device&, CommandRecorder& state) {
    state.binds.push_constants(info.layout, info.stageFlags, info.offset, info.size, info.pValues);
  });
  device.next.CmdPushConstants2(commandBuffer, pPushConstantsInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdPushDescriptorSet(VkCommandBuffer commandBuffer,
                                                       VkPipelineBindPoint pipelineBindPoint,
                                                       VkPipelineLayout layout, uint32_t set,
                                                       uint32_t descriptorWriteCount,
                                                       const VkWriteDescriptorSet* pDescriptorWrites) {
  Device& device = with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    if (const auto point = point_of(pipelineBindPoint))
      push(of, state, *point, layout, set, descriptorWriteCount, pDescriptorWrites);
  });
  device.next.CmdPushDescriptorSet(commandBuffer, pipelineBindPoint, layout, set, descriptorWriteCount,
                                   pDescriptorWrites);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdPushDescriptorSet2(
    VkCommandBuffer commandBuffer, const VkPushDescriptorSetInfo* pPushDescriptorSetInfo) {
  const VkPushDescriptorSetInfo& info = *pPushDescriptorSetInfo;
  Device& device = with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    for_each_point(info.stageFlags, [&](BindPoint point) {
      push(of, state, point, info.layout, info.set, info.descriptorWriteCount, info.pDescriptorWrites);
    });
  });
  device.next.CmdPushDescriptorSet2(commandBuffer, pPushDescriptorSetInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdPushDescriptorSetWithTemplate(
    VkCommandBuffer commandBuffer, VkDescriptorUpdateTemplate descriptorUpdateTemplate,
    VkPipelineLayout layout, uint32_t set, const void* pData) {
  Device& device = with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    push_with_template(of, state, descriptorUpdateTemplate, layout, set, pData);
  });
  device.next.CmdPushDescriptorSetWithTemplate(commandBuffer, descriptorUpdateTemplate, layout, set, pData);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdPushDescriptorSetWithTemplate2(
    VkCommandBuffer commandBuffer, const VkPushDescriptorSetWithTemplateInfo* pInfo) {
  Device& device = with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    push_with_template(of, state, pInfo->descriptorUpdateTemplate, pInfo->layout, pInfo->set, pInfo->pData);
  });
  device.next.CmdPushDescriptorSetWithTemplate2(commandBuffer, pInfo);
}

}  // namespace shaderqa::layer
