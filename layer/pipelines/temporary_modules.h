// SPDX-License-Identifier: Apache-2.0
// Shader modules that live until the call is done which makes pipelines of them.
#ifndef SHADERQA_LAYER_PIPELINES_TEMPORARY_MODULES_H
#define SHADERQA_LAYER_PIPELINES_TEMPORARY_MODULES_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <vector>

#include "layer/context/device_context.h"

namespace shaderqa::layer {

class TemporaryModules {
 public:
  explicit TemporaryModules(const DeviceContext& device) : device_(device) {}
  ~TemporaryModules() {
    for (const VkShaderModule module : made_)
      device_.next.DestroyShaderModule(device_.handle, module, nullptr);
  }
  TemporaryModules(const TemporaryModules&) = delete;
  TemporaryModules& operator=(const TemporaryModules&) = delete;

  // Null if the driver refuses it.
  VkShaderModule make(const std::vector<uint32_t>& words) {
    VkShaderModuleCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    info.codeSize = words.size() * sizeof(uint32_t);
    info.pCode = words.data();
    made_.reserve(made_.size() + 1);
    VkShaderModule module = VK_NULL_HANDLE;
    if (device_.next.CreateShaderModule(device_.handle, &info, nullptr, &module) != VK_SUCCESS)
      return VK_NULL_HANDLE;
    made_.push_back(module);
    return module;
  }

 private:
  const DeviceContext& device_;
  std::vector<VkShaderModule> made_;
};

}  // namespace shaderqa::layer
#endif
