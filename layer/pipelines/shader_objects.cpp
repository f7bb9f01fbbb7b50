// SPDX-License-Identifier: Apache-2.0
#include "layer/pipelines/shader_objects.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "host/log/log.h"
#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/pipelines/creation_retry.h"
#include "layer/pipelines/creation_timer.h"
#include "layer/pipelines/heap_stages.h"
#include "layer/pipelines/instrumenter.h"
#include "layer/pipelines/shader_modules.h"
#include "layer/pipelines/vertex_stages.h"
#include "layer/recording/command_buffers.h"
#include "layer/resources/pipeline_layouts.h"
#include "layer/vk/descriptor_heap.h"
#include "layer/vk/guarded.h"

namespace shaderqa::layer {
namespace {

// Creates the shader objects, and logs how long the driver took.
VkResult create_timed(const DeviceContext& device, std::span<const VkShaderCreateInfoEXT> infos,
                      const VkAllocationCallbacks* allocator, VkShaderEXT* shaders) {
  const LogTimer timer;
  const VkResult result = device.next.CreateShadersEXT(device.handle, static_cast<uint32_t>(infos.size()),
                                                       infos.data(), allocator, shaders);
  SHADERQA_LOG(info, "the driver took " + timer.text() + " for " + std::to_string(infos.size()) +
                         " shader objects (VkResult " + std::to_string(result) + ")");
  return result;
}

void note_binary(Device& device) {
  device.shader_twins.see_binary();
  device.note(
      "shader binaries",
      "the application creates shader objects from binaries, which cannot be instrumented: they print "
      "nothing and are not checked, nor are the accesses of those made from SPIR-V after them; remove the "
      "application's shader cache to have all made from SPIR-V");
}

// What is done to one shader object of a call.
struct ShaderEdit {
  uint64_t hash = 0;                               // of the application's code; 0: its code is not replaced
  uint64_t rejected_hash = 0;                      // likewise, after the driver rejected ours
  bool needs_record = false;                       // it needs an action record
  bool by_push_data = false;                       // it finds that so
  uint32_t push_data_end = 0;                      // of its own
  bool reads_record_place = false;                 // as HeapShader has it
  bool longer_layouts = false;                     // its set layouts have the action record's behind them
  std::shared_ptr<const InstrumentResult> result;  // owns the code
  std::vector<VkDescriptorSetLayout> set_layouts;  // the longer ones
};

// The shader objects of one vkCreateShadersEXT, an attempt as create_with_retries() has it. Shaders that are
// linked must be created together, so each try creates all of them anew.
class ShaderEdits {
 public:
  ShaderEdits(Device& device, std::span<const VkShaderCreateInfoEXT> originals,
              const VkAllocationCallbacks* allocator);
  bool any() const { return edited_; }

  VkResult create(VkShaderEXT* shaders);
  bool restore_rejected(VkShaderEXT* shaders);
  // Once they are created.
  void remember(const VkShaderEXT* shaders) const;
  // The same where they are the application's.
  void remember_readers(const VkShaderEXT* shaders) const;

 private:
  void replace_code(uint32_t i, const PipelineLayout* layout);
  void restore_code(uint32_t i);
  void destroy(VkShaderEXT* shaders) const;
  // Shader objects that are bound together must have the same set layouts, so all get the action record's,
  // whether they are checked or not. Null if that is not possible.
  std::unique_ptr<PipelineLayout> extend_layouts(uint32_t i);
  void make_twins(const VkShaderEXT* shaders) const;

  Device& device_;
  const std::span<const VkShaderCreateInfoEXT> originals_;
  const VkAllocationCallbacks* const allocator_;
  std::vector<VkShaderCreateInfoEXT> infos_;
  std::vector<ShaderEdit> edits_;
  bool edited_ = false;
  bool all_restored_ = false;
};

ShaderEdits::ShaderEdits(Device& device, std::span<const VkShaderCreateInfoEXT> originals,
                         const VkAllocationCallbacks* allocator)
    : device_(device),
      originals_(originals),
      allocator_(allocator),
      infos_(originals.begin(), originals.end()),
      edits_(originals.size()) {
  for (const VkShaderCreateInfoEXT& original : originals)
    if (original.codeType != VK_SHADER_CODE_TYPE_SPIRV_EXT) note_binary(device);
  for (uint32_t i = 0; i < originals.size(); ++i) {
    // A shader may read that place unless its code shows that it does not; a binary shows nothing.
    edits_[i].reads_record_place =
        device.checks_sync() && (originals[i].flags & VK_SHADER_CREATE_DESCRIPTOR_HEAP_BIT_EXT);
    if (originals[i].codeType != VK_SHADER_CODE_TYPE_SPIRV_EXT) continue;
    const std::unique_ptr<PipelineLayout> layout = extend_layouts(i);
    replace_code(i, layout.get());
  }
}

void ShaderEdits::replace_code(uint32_t i, const PipelineLayout* layout) {
  const VkShaderCreateInfoEXT& original = originals_[i];
  const auto shader = keep_shader(device_, words_of(original.pCode, original.codeSize));
  if (!shader) return;
  const Instrumented instrumented = device_.instrumenter.instrument(
      *shader, original.stage, original.pName, layout, original.pSpecializationInfo, VersionKind::alone);
  if (!instrumented) return;
  infos_[i].codeSize = instrumented.result->words.size() * sizeof(uint32_t);
  infos_[i].pCode = instrumented.result->words.data();
  edits_[i].hash = shader->hash;
  edits_[i].needs_record = instrumented.needs_record;
  edits_[i].result = instrumented.result;
  edited_ = true;
}

// The set layouts stay extended, as those of the shaders that it is bound with.
void ShaderEdits::restore_code(uint32_t i) {
  infos_[i].codeSize = originals_[i].codeSize;
  infos_[i].pCode = originals_[i].pCode;
  edits_[i].rejected_hash = edits_[i].hash;
  edits_[i].hash = 0;
  edits_[i].needs_record = false;
}

std::unique_ptr<PipelineLayout> ShaderEdits::extend_layouts(uint32_t i) {
  if (!device_.checks_sync()) return nullptr;
  VkShaderCreateInfoEXT& info = infos_[i];
  const std::span<const VkDescriptorSetLayout> given(info.pSetLayouts, info.setLayoutCount);
  auto layout = std::make_unique<PipelineLayout>(device_.pipeline_layouts.describe(given));
  std::string reason;
  std::vector<VkDescriptorSetLayout> longer;
  if (info.flags & VK_SHADER_CREATE_INDIRECT_BINDABLE_BIT_EXT) {
    reason = PipelineLayouts::kNotInExecutionSets;
  } else if (info.flags & VK_SHADER_CREATE_DESCRIPTOR_HEAP_BIT_EXT) {
    // They must have no set layouts.
    HeapShader heaps = describe_heaps(device_, originals_[i]);
    edits_[i].reads_record_place = heaps.reads_record_place;
    edits_[i].by_push_data = heaps.layout != nullptr;
    edits_[i].push_data_end = heaps.layout ? heaps.layout->push_data_end : 0;
    if (heaps.layout) return std::move(heaps.layout);
    reason = heaps.reason;
  } else if (device_.shader_twins.saw_binary()) {
    return nullptr;  // the note about the first binary has said so
  } else if (layout->descriptor_buffers) {
    // When they are bound, the layout to push a record with is not known.
    reason = "their descriptors are in descriptor buffers";
  } else if (!device_.command_buffers.can_check_shaders()) {
    reason = "the driver refuses the pipeline layout that the check needs";
  } else {
    longer = device_.pipeline_layouts.extend(given, *layout, reason);
  }
  if (longer.empty()) {
    device_.note("shader layouts " + reason, "accesses of some shader objects are not checked: " + reason);
    return nullptr;
  }
  layout->has_record = true;
  // When they are bound, their layout is not known, so records say nothing about direct slots.
  layout->has_direct = false;
  for (DescriptorSlots& slots : layout->descriptors) slots.direct = 0;
  info.setLayoutCount = static_cast<uint32_t>(longer.size());
  edits_[i].set_layouts = std::move(longer);
  edits_[i].longer_layouts = true;
  info.pSetLayouts = edits_[i].set_layouts.data();
  edited_ = true;
  return layout;
}

VkResult ShaderEdits::create(VkShaderEXT* shaders) {
  return create_timed(device_, infos_, allocator_, shaders);
}

void ShaderEdits::destroy(VkShaderEXT* shaders) const {
  for (uint32_t i = 0; i < infos_.size(); ++i) {
    if (shaders[i]) device_.next.DestroyShaderEXT(device_.handle, shaders[i], allocator_);
    shaders[i] = VK_NULL_HANDLE;
  }
}

bool ShaderEdits::restore_rejected(VkShaderEXT* shaders) {
  if (all_restored_) return false;
  // The error is that of the first shader that was not created.
  const auto failed =
      static_cast<uint32_t>(std::find(shaders, shaders + infos_.size(), VkShaderEXT{}) - shaders);
  destroy(shaders);
  if (failed < infos_.size() && edits_[failed].hash) {
    restore_code(failed);
    return true;
  }
  // Our code is not the reason, so the last attempt is made with the application's infos.
  for (uint32_t i = 0; i < infos_.size(); ++i) {
    if (edits_[i].hash) restore_code(i);
    infos_[i] = originals_[i];
  }
  all_restored_ = true;
  return true;
}

void ShaderEdits::remember(const VkShaderEXT* shaders) const {
  for (const ShaderEdit& edit : edits_)
    if (edit.rejected_hash) device_.instrumenter.note_rejected({edit.rejected_hash});
  remember_readers(shaders);
  if (all_restored_) return;
  for (uint32_t i = 0; i < edits_.size(); ++i)
    if (shaders[i] && edits_[i].needs_record)
      device_.command_buffers.add_shader(shaders[i],
                                         {true, edits_[i].by_push_data, false, edits_[i].push_data_end});
  make_twins(shaders);
}

void ShaderEdits::remember_readers(const VkShaderEXT* shaders) const {
  for (uint32_t i = 0; i < edits_.size(); ++i)
    if (shaders[i] && edits_[i].reads_record_place)
      device_.command_buffers.add_shader(shaders[i], {false, false, true});
}

void ShaderEdits::make_twins(const VkShaderEXT* shaders) const {
  std::vector<uint32_t> indices;
  std::vector<VkShaderCreateInfoEXT> infos;
  for (uint32_t i = 0; i < originals_.size(); ++i) {
    const bool linked = originals_[i].flags & VK_SHADER_CREATE_LINK_STAGE_BIT_EXT;
    const bool edited = edits_[i].hash != 0 || edits_[i].longer_layouts;
    if (!shaders[i] || (!edited && !linked)) continue;
    indices.push_back(i);
    infos.push_back(originals_[i]);
  }
  if (infos.empty()) return;
  std::vector<VkShaderEXT> twins(infos.size(), VK_NULL_HANDLE);
  device_.next.CreateShadersEXT(device_.handle, static_cast<uint32_t>(infos.size()), infos.data(), allocator_,
                                twins.data());
  for (size_t i = 0; i < indices.size(); ++i) {
    device_.shader_twins.add(shaders[indices[i]], {twins[i], edits_[indices[i]].hash});
  }
}

VkResult create_shaders(Device& device, std::span<const VkShaderCreateInfoEXT> originals,
                        const VkAllocationCallbacks* allocator, VkShaderEXT* shaders) {
  std::optional<ShaderEdits> edits;
  guarded([&] { edits.emplace(device, originals, allocator); });
  if (!edits || !edits->any()) {
    const VkResult result = create_timed(device, originals, allocator, shaders);
    if (edits && result >= 0) guarded([&] { edits->remember_readers(shaders); });
    return result;
  }
  std::fill_n(shaders, originals.size(), VkShaderEXT{});
  const VkResult result = create_with_retries(*edits, shaders);
  if (result >= 0) guarded([&] { edits->remember(shaders); });
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
  const CreationTimer timer(device, createInfoCount);
  const VkResult result = create_shaders(device, {pCreateInfos, createInfoCount}, pAllocator, pShaders);
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
