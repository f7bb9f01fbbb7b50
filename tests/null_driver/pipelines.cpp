// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <span>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/null_driver/commands.h"
#include "tests/null_driver/pipeline_recorder.h"
#include "tests/null_driver/state.h"

namespace shaderqa::null_driver {

bool words_accepted(const std::vector<uint32_t>& words) {
  const auto& accepted = state().settings.accepted_words;
  return accepted.empty() || std::find(accepted.begin(), accepted.end(), words) != accepted.end();
}

namespace {

StageRecord read_stage(const VkPipelineShaderStageCreateInfo& info) {
  StageRecord record;
  record.stage = info.stage;
  record.entry_point = info.pName;
  record.chain = chain_of(info.pNext);
  if (info.module) {
    if (auto module = state().get<ShaderModule>(info.module)) record.words = module->words;
  } else if (auto code = find_in_chain<VkShaderModuleCreateInfo>(
                 info.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO)) {
    record.inline_module = true;
    record.words.assign(code->pCode, code->pCode + code->codeSize / 4);
  }
  if (const VkSpecializationInfo* constants = info.pSpecializationInfo) {
    for (const VkSpecializationMapEntry& entry : std::span(constants->pMapEntries, constants->mapEntryCount))
      if (entry.size == sizeof(uint32_t))
        std::memcpy(&record.constants[entry.constantID],
                    static_cast<const std::byte*>(constants->pData) + entry.offset, sizeof(uint32_t));
  }
  return record;
}

std::span<const VkPipelineShaderStageCreateInfo> stages_of(const VkComputePipelineCreateInfo& info) {
  return {&info.stage, 1};
}
template <typename CreateInfo>
std::span<const VkPipelineShaderStageCreateInfo> stages_of(const CreateInfo& info) {
  return {info.pStages, info.stageCount};
}

// What a ray-tracing shader needs of the stack is here the number of its words. By group: general, closest
// hit, any hit, intersection.
std::vector<std::array<uint32_t, 4>> stack_sizes(const VkRayTracingPipelineCreateInfoKHR& info,
                                                 const std::vector<StageRecord>& stages) {
  std::vector<std::array<uint32_t, 4>> sizes;
  const auto size_of = [&](uint32_t stage) {
    return stage < stages.size() ? static_cast<uint32_t>(stages[stage].words.size()) : 0;
  };
  for (const auto& group : std::span(info.pGroups, info.groupCount))
    sizes.push_back({size_of(group.generalShader), size_of(group.closestHitShader),
                     size_of(group.anyHitShader), size_of(group.intersectionShader)});
  for (uint32_t i = 0; info.pLibraryInfo && i < info.pLibraryInfo->libraryCount; ++i)
    if (const auto library = state().get<Pipeline>(info.pLibraryInfo->pLibraries[i]))
      sizes.insert(sizes.end(), library->stack_sizes.begin(), library->stack_sizes.end());
  return sizes;
}

// All of them must live.
std::vector<uint64_t> libraries_of(const VkGraphicsPipelineCreateInfo& info) {
  const auto* const link = find_in_chain<VkPipelineLibraryCreateInfoKHR>(
      info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
  std::vector<uint64_t> libraries;
  for (uint32_t i = 0; link && i < link->libraryCount; ++i)
    if (state().get<Pipeline>(link->pLibraries[i]))
      libraries.push_back(reinterpret_cast<uint64_t>(link->pLibraries[i]));
  return libraries;
}

// What a call has besides its infos.
struct Extras {
  bool deferred = false, allocator = false, cache = false;
};

template <typename CreateInfo>
VkResult create(const char* command, Device* device, std::span<const CreateInfo> infos, VkPipeline* pipelines,
                const Extras& extras) {
  VkResult result = VK_SUCCESS;
  for (size_t i = 0; i < infos.size(); ++i) {
    PipelineRecord record;
    record.command = command;
    record.batch = static_cast<uint32_t>(infos.size());
    record.flags = infos[i].flags;
    record.base_handle = reinterpret_cast<uint64_t>(infos[i].basePipelineHandle);
    record.base_index = infos[i].basePipelineIndex;
    record.deferred = extras.deferred;
    record.allocator = extras.allocator;
    record.cache = extras.cache;
    if (infos[i].layout) state().get<PipelineLayout>(infos[i].layout);
    if constexpr (std::is_same_v<CreateInfo, VkGraphicsPipelineCreateInfo>) {
      if (infos[i].renderPass) state().get<RenderPass>(infos[i].renderPass);
      record.libraries = libraries_of(infos[i]);
    }
    record.layout = infos[i].layout;
    record.chain = chain_of(infos[i].pNext);
    bool taken = true;
    for (const VkPipelineShaderStageCreateInfo& stage : stages_of(infos[i])) {
      record.stages.push_back(read_stage(stage));
      taken = taken && words_accepted(record.stages.back().words);
    }
    Pipeline pipeline;
    if constexpr (std::is_same_v<CreateInfo, VkRayTracingPipelineCreateInfoKHR>)
      pipeline.stack_sizes = stack_sizes(infos[i], record.stages);
    pipelines[i] = taken ? state().add<VkPipeline>(device, std::move(pipeline)) : VK_NULL_HANDLE;
    if (!taken) result = VK_ERROR_UNKNOWN;
    record.result = taken ? VK_SUCCESS : VK_ERROR_UNKNOWN;
    record.handle = reinterpret_cast<uint64_t>(pipelines[i]);
    state().records.pipelines.push_back(std::move(record));
    if (!taken && (infos[i].flags & VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT)) {
      std::fill(pipelines + i + 1, pipelines + infos.size(), VkPipeline{});
      break;
    }
  }
  return result;
}

// A compiler that takes its time, beside which other commands go on.
template <typename CreateInfo>
void compile(Device* device, std::span<const CreateInfo> infos) {
  uint32_t pipelines = 0, milliseconds = 0;
  {
    const std::lock_guard lock(state().mutex);
    milliseconds = state().settings.pipeline_ms;
    if (milliseconds == 0) return;
    const auto& quick = state().settings.quick_words;
    for (const CreateInfo& info : infos) {
      const auto stages = stages_of(info);
      pipelines += std::any_of(stages.begin(), stages.end(), [&](const auto& stage) {
        return std::find(quick.begin(), quick.end(), read_stage(stage).words) == quick.end();
      });
    }
    ++state().compiling[device];
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds) * pipelines);
  const std::lock_guard lock(state().mutex);
  --state().compiling[device];
}

template <typename CreateInfo>
VkResult enter_and_create(const char* command, VkDevice device, uint32_t count, const CreateInfo* infos,
                          VkPipeline* pipelines, const Extras& extras) {
  compile(reinterpret_cast<Device*>(device), std::span(infos, count));
  Call call(command);
  std::fill_n(pipelines, count, VkPipeline{});
  if (call.fault) return call.fault;
  return create(command, reinterpret_cast<Device*>(device), std::span(infos, count), pipelines, extras);
}

Extras extras_of(const VkAllocationCallbacks* allocator, VkPipelineCache cache) {
  return {false, allocator != nullptr, cache != VK_NULL_HANDLE};
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateComputePipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                      const VkComputePipelineCreateInfo* infos,
                                                      const VkAllocationCallbacks* allocator,
                                                      VkPipeline* pipelines) {
  return enter_and_create("vkCreateComputePipelines", device, count, infos, pipelines,
                          extras_of(allocator, cache));
}

VKAPI_ATTR VkResult VKAPI_CALL CreateGraphicsPipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                       const VkGraphicsPipelineCreateInfo* infos,
                                                       const VkAllocationCallbacks* allocator,
                                                       VkPipeline* pipelines) {
  return enter_and_create("vkCreateGraphicsPipelines", device, count, infos, pipelines,
                          extras_of(allocator, cache));
}

VKAPI_ATTR VkResult VKAPI_CALL CreateRayTracingPipelinesNV(VkDevice device, VkPipelineCache, uint32_t count,
                                                           const VkRayTracingPipelineCreateInfoNV* infos,
                                                           const VkAllocationCallbacks*,
                                                           VkPipeline* pipelines) {
  return enter_and_create("vkCreateRayTracingPipelinesNV", device, count, infos, pipelines, {});
}

// With an operation everything is put off until it is joined, so that whoever frees its structures too early
// is found out.
VKAPI_ATTR VkResult VKAPI_CALL CreateRayTracingPipelinesKHR(VkDevice device, VkDeferredOperationKHR operation,
                                                            VkPipelineCache, uint32_t count,
                                                            const VkRayTracingPipelineCreateInfoKHR* infos,
                                                            const VkAllocationCallbacks* allocator,
                                                            VkPipeline* pipelines) {
  const char* command = "vkCreateRayTracingPipelinesKHR";
  if (!operation)
    return enter_and_create(command, device, count, infos, pipelines, extras_of(allocator, VK_NULL_HANDLE));
  Call call(command);
  if (call.fault) return call.fault;
  auto deferred = state().get<DeferredOperation>(operation);
  if (!deferred) return VK_ERROR_UNKNOWN;
  deferred->result = VK_NOT_READY;
  deferred->count = count;
  deferred->create_infos = infos;
  deferred->pipelines = pipelines;
  return VK_OPERATION_DEFERRED_KHR;
}

VKAPI_ATTR VkDeviceSize VKAPI_CALL GetRayTracingShaderGroupStackSizeKHR(VkDevice, VkPipeline handle,
                                                                        uint32_t group,
                                                                        VkShaderGroupShaderKHR shader) {
  Call call("vkGetRayTracingShaderGroupStackSizeKHR");
  const auto pipeline = state().get<Pipeline>(handle);
  if (!pipeline || group >= pipeline->stack_sizes.size() || pipeline->stack_sizes[group].at(shader) == 0) {
    state().violation("vkGetRayTracingShaderGroupStackSizeKHR of a shader that there is not");
    return 0;
  }
  return pipeline->stack_sizes[group][shader];
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDeferredOperationKHR(VkDevice device, const VkAllocationCallbacks*,
                                                          VkDeferredOperationKHR* operation) {
  Call call("vkCreateDeferredOperationKHR");
  if (call.fault) return call.fault;
  *operation = state().add<VkDeferredOperationKHR>(reinterpret_cast<Device*>(device), DeferredOperation());
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyDeferredOperationKHR(VkDevice, VkDeferredOperationKHR operation,
                                                       const VkAllocationCallbacks*) {
  Call call("vkDestroyDeferredOperationKHR");
  state().remove<DeferredOperation>(operation);
}

VKAPI_ATTR VkResult VKAPI_CALL DeferredOperationJoinKHR(VkDevice device, VkDeferredOperationKHR operation) {
  Call call("vkDeferredOperationJoinKHR");
  if (call.fault) return call.fault;
  auto deferred = state().get<DeferredOperation>(operation);
  if (!deferred) return VK_ERROR_UNKNOWN;
  if (deferred->result == VK_NOT_READY) {
    deferred->result =
        create("vkCreateRayTracingPipelinesKHR", reinterpret_cast<Device*>(device),
               std::span(deferred->create_infos, deferred->count), deferred->pipelines, {true, false, false});
  }
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetDeferredOperationResultKHR(VkDevice, VkDeferredOperationKHR operation) {
  Call call("vkGetDeferredOperationResultKHR");
  if (call.fault) return call.fault;
  auto deferred = state().get<DeferredOperation>(operation);
  return deferred ? deferred->result : VK_ERROR_UNKNOWN;
}

VKAPI_ATTR uint32_t VKAPI_CALL GetDeferredOperationMaxConcurrencyKHR(VkDevice, VkDeferredOperationKHR) {
  return 1;
}

VKAPI_ATTR void VKAPI_CALL DestroyPipeline(VkDevice, VkPipeline pipeline, const VkAllocationCallbacks*) {
  Call call("vkDestroyPipeline");
  state().remove<Pipeline>(pipeline);
}

}  // namespace shaderqa::null_driver
