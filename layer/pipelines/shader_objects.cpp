// SPDX-License-Identifier: Apache-2.0
#include "layer/pipelines/shader_objects.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/pipelines/pipeline_creation.h"
#include "layer/pipelines/stage_edits.h"
#include "layer/resources/pipeline_layouts.h"

namespace shaderqa::layer {
namespace {

// The infos of one vkCreateShadersEXT with instrumented code.
struct ShaderEdits {
  ShaderEdits(Device& device, const VkShaderCreateInfoEXT* originals, uint32_t count);
  bool any() const { return edited; }
  // The driver refuses the code: the application's own again, with the layouts that its companions have.
  void restore_code(uint32_t i, const VkShaderCreateInfoEXT& original);

  bool edited = false;
  std::vector<VkShaderCreateInfoEXT> infos;
  std::vector<uint64_t> hashes;   // 0: its code is not edited
  std::vector<uint64_t> refused;  // the hashes of those whose code was restored
  std::vector<bool> needs_record;
  std::vector<bool> has_longer_layouts;
  std::vector<std::shared_ptr<const InstrumentResult>> results;

 private:
  // Shader objects that are bound together must have been made with the same set layouts: all get the action
  // record's, checked or not. Null where that is not possible.
  std::unique_ptr<PipelineLayout> extend_layouts(Device& device, uint32_t i);
  std::vector<std::vector<VkDescriptorSetLayout>> set_layouts_;
};

void note_binary(Device& device) {
  device.shader_twins.see_binary();
  device.note(
      "shader binaries",
      "the application creates shader objects from binaries, which cannot be instrumented: they print "
      "nothing and are not checked, nor are the accesses of those made from SPIR-V after them; remove the "
      "application's shader cache to have all made from SPIR-V");
}

ShaderEdits::ShaderEdits(Device& device, const VkShaderCreateInfoEXT* originals, uint32_t count)
    : infos(originals, originals + count),
      hashes(count),
      refused(count),
      needs_record(count),
      has_longer_layouts(count) {
  for (uint32_t i = 0; i < count; ++i)
    if (originals[i].codeType != VK_SHADER_CODE_TYPE_SPIRV_EXT) note_binary(device);
  for (uint32_t i = 0; i < count; ++i) {
    if (originals[i].codeType != VK_SHADER_CODE_TYPE_SPIRV_EXT) continue;
    const std::unique_ptr<PipelineLayout> layout = extend_layouts(device, i);
    const auto shader = keep_shader(device, words_of(originals[i].pCode, originals[i].codeSize));
    if (!shader) continue;
    const Instrumented instrumented =
        device.instrumenter.instrument(*shader, originals[i].stage, originals[i].pName, layout.get());
    if (!instrumented) continue;
    infos[i].codeSize = instrumented.result->words.size() * sizeof(uint32_t);
    infos[i].pCode = instrumented.result->words.data();
    hashes[i] = shader->hash;
    needs_record[i] = instrumented.needs_record;
    edited = true;
    results.push_back(instrumented.result);
  }
}

void ShaderEdits::restore_code(uint32_t i, const VkShaderCreateInfoEXT& original) {
  infos[i].codeSize = original.codeSize;
  infos[i].pCode = original.pCode;
  refused[i] = hashes[i];
  hashes[i] = 0;
  needs_record[i] = false;
}

std::unique_ptr<PipelineLayout> ShaderEdits::extend_layouts(Device& device, uint32_t i) {
  if (!device.checks_sync()) return nullptr;
  VkShaderCreateInfoEXT& info = infos[i];
  const std::span<const VkDescriptorSetLayout> given(info.pSetLayouts, info.setLayoutCount);
  auto layout = std::make_unique<PipelineLayout>(device.pipeline_layouts.describe(given));
  std::string reason;
  std::vector<VkDescriptorSetLayout> longer;
  if (info.flags & VK_SHADER_CREATE_INDIRECT_BINDABLE_BIT_EXT) {
    reason = PipelineLayouts::kNotInExecutionSets;
  } else if (device.shader_twins.saw_binary()) {
    return nullptr;  // said with the first binary, whose layouts cannot be extended
  } else if (layout->descriptor_buffers) {
    // Which layout a record would be pushed with is not known where they are bound.
    reason = "their descriptors are in descriptor buffers";
  } else if (!device.command_buffers.can_check_shaders()) {
    reason = "the driver refuses the pipeline layout that the check needs";
  } else {
    longer = device.pipeline_layouts.extend(given, *layout, reason);
  }
  if (longer.empty()) {
    device.note("shader layouts " + reason, "accesses of some shader objects are not checked: " + reason);
    return nullptr;
  }
  layout->has_record = true;
  info.setLayoutCount = static_cast<uint32_t>(longer.size());
  set_layouts_.push_back(std::move(longer));
  info.pSetLayouts = set_layouts_.back().data();
  has_longer_layouts[i] = true;
  edited = true;
  return layout;
}

void make_twins(Device& device, const ShaderEdits& edits, const VkShaderCreateInfoEXT* originals,
                uint32_t count, const VkAllocationCallbacks* allocator, const VkShaderEXT* shaders) {
  std::vector<uint32_t> indices;
  std::vector<VkShaderCreateInfoEXT> infos;
  for (uint32_t i = 0; i < count; ++i) {
    const bool linked = originals[i].flags & VK_SHADER_CREATE_LINK_STAGE_BIT_EXT;
    const bool edited = edits.hashes[i] != 0 || edits.has_longer_layouts[i];
    if (!shaders[i] || (!edited && !linked)) continue;
    indices.push_back(i);
    infos.push_back(originals[i]);
  }
  if (infos.empty()) return;
  std::vector<VkShaderEXT> twins(infos.size(), VK_NULL_HANDLE);
  device.next.CreateShadersEXT(device.handle, static_cast<uint32_t>(infos.size()), infos.data(), allocator,
                               twins.data());
  for (size_t i = 0; i < indices.size(); ++i) {
    device.shader_twins.add(shaders[indices[i]], {twins[i], edits.hashes[indices[i]]});
  }
}

VkResult create_shaders(Device& device, uint32_t count, const VkShaderCreateInfoEXT* originals,
                        const VkAllocationCallbacks* allocator, VkShaderEXT* shaders) {
  const auto create = [&](const VkShaderCreateInfoEXT* infos) {
    const LogTimer timer;
    const VkResult result = device.next.CreateShadersEXT(device.handle, count, infos, allocator, shaders);
    SHADERQA_LOG(info, "the driver took " + timer.text() + " for " + std::to_string(count) +
                           " shader objects (VkResult " + std::to_string(result) + ")");
    return result;
  };
  const auto destroy_all = [&] {
    for (uint32_t i = 0; i < count; ++i) {
      if (shaders[i]) device.next.DestroyShaderEXT(device.handle, shaders[i], allocator);
      shaders[i] = VK_NULL_HANDLE;
    }
  };
  std::optional<ShaderEdits> edits;
  guarded([&] { edits.emplace(device, originals, count); });
  if (!edits || !edits->any()) return create(originals);

  for (uint32_t i = 0; i < count; ++i) shaders[i] = VK_NULL_HANDLE;
  VkResult result = create(edits->infos.data());
  while (result < 0) {
    // The error is that of the first one that is not there.
    const auto failed = static_cast<uint32_t>(std::find(shaders, shaders + count, VkShaderEXT{}) - shaders);
    destroy_all();
    if (failed == count || edits->hashes[failed] == 0) {
      // Then it is not for the code.
      for (uint32_t i = 0; i < count; ++i)
        if (edits->hashes[i]) edits->restore_code(i, originals[i]);
      result = create(originals);
      if (result >= 0) guarded([&] { StageEdits::note_refused(device, edits->refused); });
      return result;
    }
    edits->restore_code(failed, originals[failed]);
    result = create(edits->infos.data());
  }
  guarded([&] {
    StageEdits::note_refused(device, edits->refused);
    for (uint32_t i = 0; i < count; ++i)
      if (shaders[i] && edits->needs_record[i]) device.command_buffers.add_checked_shader(shaders[i]);
    make_twins(device, *edits, originals, count, allocator, shaders);
  });
  return result;
}

}  // namespace

void ShaderTwins::add(VkShaderEXT shader, const Twin& twin) {
  const std::unique_lock lock(mutex_);
  twins_[shader] = twin;
  any_.store(true, std::memory_order_release);
}

std::optional<ShaderTwins::Twin> ShaderTwins::find(VkShaderEXT shader) const {
  if (!any_.load(std::memory_order_acquire)) return std::nullopt;
  const std::shared_lock lock(mutex_);
  const auto found = twins_.find(shader);
  return found == twins_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<ShaderTwins::Twin> ShaderTwins::remove(VkShaderEXT shader) {
  const std::optional<Twin> twin = find(shader);
  if (twin) {
    const std::unique_lock lock(mutex_);
    twins_.erase(shader);
  }
  return twin;
}

std::optional<uint64_t> ShaderTwins::hash_of(VkShaderEXT shader) const {
  const std::optional<Twin> twin = find(shader);
  return twin && twin->hash ? std::optional(twin->hash) : std::nullopt;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateShadersEXT(VkDevice handle, uint32_t createInfoCount,
                                                       const VkShaderCreateInfoEXT* pCreateInfos,
                                                       const VkAllocationCallbacks* pAllocator,
                                                       VkShaderEXT* pShaders) {
  Device& device = device_of(handle);
  const PipelineTimer timer(device, createInfoCount);
  const VkResult result = create_shaders(device, createInfoCount, pCreateInfos, pAllocator, pShaders);
  for (uint32_t i = 0; device.engine->needs.command_accesses && i < createInfoCount; ++i) {
    if (pShaders[i]) guarded([&] { device.vertex_stages.add_shader(pShaders[i], pCreateInfos[i]); });
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroyShaderEXT(VkDevice handle, VkShaderEXT shader,
                                                   const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  if (device.checks_sync()) device.command_buffers.remove_shader(shader);
  if (device.engine->needs.command_accesses) device.vertex_stages.remove_shader(shader);
  const auto twin = device.shader_twins.remove(shader);
  if (twin && twin->original) device.next.DestroyShaderEXT(handle, twin->original, pAllocator);
  device.next.DestroyShaderEXT(handle, shader, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::GetShaderBinaryDataEXT(VkDevice handle, VkShaderEXT shader,
                                                             size_t* pDataSize, void* pData) {
  Device& device = device_of(handle);
  const auto twin = device.shader_twins.find(shader);
  if (!twin) return device.next.GetShaderBinaryDataEXT(handle, shader, pDataSize, pData);
  if (!twin->original) return VK_ERROR_OUT_OF_HOST_MEMORY;
  return device.next.GetShaderBinaryDataEXT(handle, twin->original, pDataSize, pData);
}

}  // namespace shaderqa::layer
