// SPDX-License-Identifier: Apache-2.0
// Shader modules and shader objects.
#include <algorithm>
#include <cstring>

#include "tests/null_driver/commands.h"
#include "tests/null_driver/pipeline_recorder.h"
#include "tests/null_driver/state.h"

namespace shaderqa::null_driver {

VKAPI_ATTR VkResult VKAPI_CALL CreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo* info,
                                                  const VkAllocationCallbacks*, VkShaderModule* handle) {
  Call call("vkCreateShaderModule");
  if (call.fault) return call.fault;
  ShaderModule module;
  module.words.assign(info->pCode, info->pCode + info->codeSize / 4);
  ModuleRecord record;
  record.words = module.words;
  record.chain = chain_of(info->pNext);
  *handle = record.module = state().add<VkShaderModule>(reinterpret_cast<Device*>(device), std::move(module));
  state().records.modules.push_back(std::move(record));
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyShaderModule(VkDevice, VkShaderModule module,
                                               const VkAllocationCallbacks*) {
  Call call("vkDestroyShaderModule");
  state().remove<ShaderModule>(module);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateShadersEXT(VkDevice device, uint32_t count,
                                                const VkShaderCreateInfoEXT* infos,
                                                const VkAllocationCallbacks*, VkShaderEXT* handles) {
  Call call("vkCreateShadersEXT");
  std::fill_n(handles, count, VkShaderEXT{});
  if (call.fault) return call.fault;
  VkResult result = VK_SUCCESS;
  for (uint32_t i = 0; i < count; ++i) {
    PipelineRecord record;
    record.command = "vkCreateShadersEXT";
    record.batch = count;
    record.chain = chain_of(infos[i].pNext);
    StageRecord stage;
    stage.stage = infos[i].stage;
    stage.entry_point = infos[i].pName ? infos[i].pName : "";
    Shader shader;
    shader.words.resize(infos[i].codeSize / 4);
    std::memcpy(shader.words.data(), infos[i].pCode, shader.words.size() * 4);
    stage.words = shader.words;
    const bool source = infos[i].codeType == VK_SHADER_CODE_TYPE_SPIRV_EXT;
    const bool taken = !source || words_accepted(stage.words);
    record.stages.push_back(std::move(stage));
    if (taken) {
      handles[i] = state().add<VkShaderEXT>(reinterpret_cast<Device*>(device), std::move(shader));
    } else {
      result = VK_ERROR_UNKNOWN;
    }
    record.result = taken ? VK_SUCCESS : VK_ERROR_UNKNOWN;
    record.handle = reinterpret_cast<uint64_t>(handles[i]);
    state().records.pipelines.push_back(std::move(record));
    if (!taken) break;  // what follows the first failure is not created
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL DestroyShaderEXT(VkDevice, VkShaderEXT shader, const VkAllocationCallbacks*) {
  Call call("vkDestroyShaderEXT");
  state().remove<Shader>(shader);
}

// The binary is the words.
VKAPI_ATTR VkResult VKAPI_CALL GetShaderBinaryDataEXT(VkDevice, VkShaderEXT handle, size_t* size,
                                                      void* data) {
  Call call("vkGetShaderBinaryDataEXT");
  if (call.fault) return call.fault;
  auto shader = state().get<Shader>(handle);
  if (!shader) return VK_ERROR_UNKNOWN;
  const size_t needed = shader->words.size() * 4;
  if (!data) {
    *size = needed;
    return VK_SUCCESS;
  }
  if (*size < needed) return VK_INCOMPLETE;
  *size = needed;
  std::memcpy(data, shader->words.data(), needed);
  return VK_SUCCESS;
}

}  // namespace shaderqa::null_driver
