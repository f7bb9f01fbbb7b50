// SPDX-License-Identifier: Apache-2.0
#include "layer/pipelines/shader_modules.h"

#include "host/log/log.h"
#include "host/settings/check_selection.h"
#include "host/settings/hash_filter.h"
#include "host/summary/run_summary.h"
#include "host/text/shader_hash_text.h"
#include "instrument/instrument.h"
#include "instrument/ir/storage_images.h"
#include "layer/context/instance.h"
#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/pipelines/vertex_stages.h"
#include "layer/vk/guarded.h"

namespace shaderqa::layer {
namespace {

void log_nothing_to_check(uint64_t hash) {
  SHADERQA_LOG(debug, [hash] {
    std::string text = "shader ";
    append_hash(text, hash);
    return text + " has nothing to print or check";
  }());
}

}  // namespace

std::shared_ptr<const KeptShader> keep_shader(const DeviceContext& device, std::span<const uint32_t> words) {
  const Instance& instance = *device.instance;
  const bool prints = instance.possible.printf && has_debug_printf(words);
  if (!prints && !instance.possible.values && !instance.possible.sync && !instance.possible.trace &&
      !instance.possible.pictures) {
    const uint64_t hash = shader_hash(words);
    log_nothing_to_check(hash);
    instance.summary->shader(hash, ShaderFate::nothing);
    return nullptr;
  }
  const uint64_t hash = shader_hash(words);
  // The stage is not known yet. Compute shaders get all checks that any other stage gets.
  const uint32_t modes = instance.hash_filter->match(hash);
  const CheckSelection checks = select_checks(instance.settings, modes, Stage::compute);
  if (!prints && !checks.trace && !instance.possible.pictures && checks.nan == NanCheck::none &&
      !((checks.assume || checks.expect) && has_assumptions(words)) &&
      !(checks.sync && has_watched_accesses(words, instance.settings.sync_images)) &&
      !(checks.workgroup() && has_workgroup_memory(words))) {
    log_nothing_to_check(hash);
    if (checks.sync && accesses_storage_images(words)) instance.summary->add(Tally::image_shaders);
    instance.summary->shader(hash, excluded_by_hash(modes) ? ShaderFate::excluded : ShaderFate::nothing);
    return nullptr;
  }
  return std::make_shared<const KeptShader>(
      KeptShader{hash, prints, std::vector<uint32_t>(words.begin(), words.end())});
}

std::shared_ptr<const KeptShader> keep_other_shader(std::span<const uint32_t> words) {
  return std::make_shared<const KeptShader>(
      KeptShader{0, false, std::vector<uint32_t>(words.begin(), words.end())});
}

std::span<const uint32_t> words_of(const void* code, size_t bytes) {
  return {static_cast<const uint32_t*>(code), bytes / sizeof(uint32_t)};
}

void ShaderModules::add(VkShaderModule handle, std::shared_ptr<const KeptShader> shader) {
  const std::unique_lock lock(mutex_);
  shaders_[handle] = std::move(shader);
  size_.store(shaders_.size(), std::memory_order_release);
}

void ShaderModules::remove(VkShaderModule handle) {
  others_.erase(handle);
  if (size_.load(std::memory_order_acquire) == 0) return;
  const std::unique_lock lock(mutex_);
  shaders_.erase(handle);
  size_.store(shaders_.size(), std::memory_order_release);
}

std::shared_ptr<const KeptShader> ShaderModules::find(VkShaderModule handle) const {
  if (!handle || size_.load(std::memory_order_acquire) == 0) return nullptr;
  const std::shared_lock lock(mutex_);
  const auto found = shaders_.find(handle);
  return found == shaders_.end() ? nullptr : found->second;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateShaderModule(VkDevice handle,
                                                         const VkShaderModuleCreateInfo* pCreateInfo,
                                                         const VkAllocationCallbacks* pAllocator,
                                                         VkShaderModule* pShaderModule) {
  Device& device = device_of(handle);
  const VkResult result = device.next.CreateShaderModule(handle, pCreateInfo, pAllocator, pShaderModule);
  if (result == VK_SUCCESS) {
    guarded([&] {
      const std::span<const uint32_t> words = words_of(pCreateInfo->pCode, pCreateInfo->codeSize);
      if (auto shader = keep_shader(device, words)) {
        device.shader_modules.add(*pShaderModule, std::move(shader));
      } else if (device.two_versions() || device.facts.descriptor_heaps) {
        device.shader_modules.add_other(*pShaderModule, keep_other_shader(words));
      }
      if (device.engine->needs.command_accesses) device.vertex_stages.add_module(*pShaderModule, words);
    });
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroyShaderModule(VkDevice handle, VkShaderModule shaderModule,
                                                      const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  // Forgotten first: once it is destroyed the driver may reuse the handle.
  if (shaderModule) device.shader_modules.remove(shaderModule);
  if (device.engine->needs.command_accesses) device.vertex_stages.remove_module(shaderModule);
  device.next.DestroyShaderModule(handle, shaderModule, pAllocator);
}

}  // namespace shaderqa::layer
