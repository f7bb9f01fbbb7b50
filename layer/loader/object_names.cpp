// SPDX-License-Identifier: Apache-2.0
#include "layer/loader/object_names.h"

#include <mutex>

#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"

namespace shaderqa::layer {

void ObjectNames::name_shader(uint64_t shader_hash, const std::string& name) {
  const std::unique_lock lock(mutex_);
  shader_names_[shader_hash] = name;
}

void ObjectNames::name_pipeline(VkPipeline pipeline, const std::string& name) {
  if (!any_pipeline_.load(std::memory_order_acquire)) return;
  const std::unique_lock lock(mutex_);
  if (const auto found = pipelines_.find(pipeline); found != pipelines_.end()) found->second.name = name;
}

void ObjectNames::add_pipeline(VkPipeline pipeline, const std::vector<uint64_t>& shader_hashes) {
  const std::unique_lock lock(mutex_);
  pipelines_[pipeline].shader_hashes = shader_hashes;
  for (const uint64_t hash : shader_hashes) users_[hash].insert(pipeline);
  any_pipeline_.store(true, std::memory_order_release);
}

void ObjectNames::remove_pipeline(VkPipeline pipeline) {
  if (!any_pipeline_.load(std::memory_order_acquire)) return;
  const std::unique_lock lock(mutex_);
  const auto found = pipelines_.find(pipeline);
  if (found == pipelines_.end()) return;
  for (const uint64_t hash : found->second.shader_hashes) users_[hash].erase(pipeline);
  pipelines_.erase(found);
}

std::vector<uint64_t> ObjectNames::shaders_of_pipeline(VkPipeline pipeline) const {
  if (!any_pipeline_.load(std::memory_order_acquire)) return {};
  const std::shared_lock lock(mutex_);
  const auto found = pipelines_.find(pipeline);
  return found == pipelines_.end() ? std::vector<uint64_t>() : found->second.shader_hashes;
}

std::string ObjectNames::shader_name(uint64_t shader_hash) const {
  const std::shared_lock lock(mutex_);
  const auto found = shader_names_.find(shader_hash);
  return found == shader_names_.end() ? std::string() : found->second;
}

std::string ObjectNames::pipeline_of_shader(uint64_t shader_hash) const {
  const std::shared_lock lock(mutex_);
  const auto found = users_.find(shader_hash);
  if (found == users_.end() || found->second.empty()) return {};
  if (found->second.size() == 1) return pipelines_.at(*found->second.begin()).name;
  return "one of " + std::to_string(found->second.size()) + " pipelines";
}

VKAPI_ATTR VkResult VKAPI_CALL
hooks::SetDebugUtilsObjectNameEXT(VkDevice handle, const VkDebugUtilsObjectNameInfoEXT* pNameInfo) {
  Device& device = device_of(handle);
  guarded([&] {
    const std::string name = pNameInfo->pObjectName ? pNameInfo->pObjectName : "";
    const uint64_t object = pNameInfo->objectHandle;
    switch (pNameInfo->objectType) {
      case VK_OBJECT_TYPE_SHADER_MODULE:
        if (const auto shader = device.shader_modules.find(reinterpret_cast<VkShaderModule>(object))) {
          device.names.name_shader(shader->hash, name);
        }
        break;
      case VK_OBJECT_TYPE_PIPELINE:
        device.names.name_pipeline(reinterpret_cast<VkPipeline>(object), name);
        break;
      case VK_OBJECT_TYPE_SHADER_EXT:
        if (const auto hash = device.shader_twins.hash_of(reinterpret_cast<VkShaderEXT>(object))) {
          device.names.name_shader(*hash, name);
        }
        break;
      case VK_OBJECT_TYPE_BUFFER:
        device.buffers.set_name(reinterpret_cast<VkBuffer>(object), name);
        break;
      case VK_OBJECT_TYPE_COMMAND_BUFFER:
        if (device.checks_sync())
          device.command_buffers.name(reinterpret_cast<VkCommandBuffer>(object), name);
        break;
      case VK_OBJECT_TYPE_QUEUE:
        if (device.checks_sync()) device.submissions.name(reinterpret_cast<VkQueue>(object), name);
        break;
      default:
        break;
    }
  });
  // The loader hands it out even where the instance does not have the extension, and programs then call it.
  const auto next = device.next.SetDebugUtilsObjectNameEXT;
  return next ? next(handle, pNameInfo) : VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroyPipeline(VkDevice handle, VkPipeline pipeline,
                                                  const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  device.names.remove_pipeline(pipeline);
  device.command_buffers.remove_pipeline(pipeline);
  device.ray_tracing_stacks.remove(pipeline);
  if (device.engine->needs.command_accesses) device.vertex_stages.remove_pipeline(pipeline);
  device.next.DestroyPipeline(handle, pipeline, pAllocator);
}

}  // namespace shaderqa::layer
