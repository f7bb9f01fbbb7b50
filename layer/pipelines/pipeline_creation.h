// SPDX-License-Identifier: Apache-2.0
// What all pipeline-creating hooks share: edited copies of the create infos, and the retry with the
// originals.
#ifndef SHADERQA_LAYER_PIPELINES_PIPELINE_CREATION_H
#define SHADERQA_LAYER_PIPELINES_PIPELINE_CREATION_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/log/log.h"
#include "layer/pipelines/creation_retry.h"
#include "layer/pipelines/creation_timer.h"
#include "layer/pipelines/pipeline_copy.h"
#include "layer/pipelines/stage_edits.h"
#include "layer/vk/guarded.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {

VkPipelineCreateFlags2KHR all_flags(const void* chain, VkPipelineCreateFlags flags);

inline uint32_t stage_count(const VkComputePipelineCreateInfo&) { return 1; }
inline const VkPipelineShaderStageCreateInfo* stages_of(const VkComputePipelineCreateInfo& info) {
  return &info.stage;
}
inline void set_stages(VkComputePipelineCreateInfo& info, const VkPipelineShaderStageCreateInfo* stages) {
  info.stage = *stages;
}
template <typename Info>
uint32_t stage_count(const Info& info) {
  return info.stageCount;
}
template <typename Info>
const VkPipelineShaderStageCreateInfo* stages_of(const Info& info) {
  return info.pStages;
}
template <typename Info>
void set_stages(Info& info, const VkPipelineShaderStageCreateInfo* stages) {
  info.pStages = stages;
}

template <typename Info>
const VkPipelineLibraryCreateInfoKHR* libraries_of(const Info& info) {
  if constexpr (requires { info.pLibraryInfo; }) {
    return info.pLibraryInfo;
  } else {
    return find_in_chain<VkPipelineLibraryCreateInfoKHR>(info.pNext,
                                                         VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
  }
}

// What matters of a pipeline's create info, whatever its type is.
struct PipelineDescription {
  const void* chain = nullptr;
  VkPipelineCreateFlags flags = 0;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  std::span<const VkPipelineShaderStageCreateInfo> stages;
  const VkPipelineLibraryCreateInfoKHR* libraries = nullptr;
  bool ray_tracing = false;
};

template <typename Info>
PipelineDescription describe(const Info& info) {
  constexpr bool ray_tracing = requires { info.pGroups; };
  return {info.pNext,         info.flags, info.layout, {stages_of(info), stage_count(info)},
          libraries_of(info), ray_tracing};
}

// What is done to one pipeline of a call.
struct PipelineEdit {
  std::vector<uint64_t> own_shaders;        // hashes of its stages' shaders that are replaced
  std::vector<uint64_t> inherited_shaders;  // ... of the libraries that it links
  std::vector<uint64_t> rejected_shaders;   // ... that the driver rejected: these are the application's again
  bool own_record = false;                  // one of own_shaders needs an action record, or `linked`
  bool inherited_record = false;            // one of inherited_shaders does
  // Its layout is one with a push constant for the record's address, as that of all that it is linked with.
  bool linked = false;
  bool footprints_complete = false;  // as EditedStages has it
  // The pipeline is not created, but reported as VK_PIPELINE_COMPILE_REQUIRED: the driver would find its
  // shaders in a cache of its own.
  bool withheld = false;
  std::shared_ptr<CheckedPipeline> heaps;    // null: it has no descriptor heaps, or is not checked
  VkPipelineLayout layout = VK_NULL_HANDLE;  // to be used instead of the given one, unless null
  const VkPipelineShaderStageCreateInfo* stages = nullptr;  // likewise

  bool changes_info() const { return layout || stages || withheld; }
  bool is_instrumented() const { return !own_shaders.empty() || !inherited_shaders.empty() || linked; }
  void restore();
};

// A pipeline that is created without checks.
struct LaterPipeline {
  bool planned = false;  // false: it must be created with its checks, or has nothing to check
  bool library = false;  // a library, for links to come
  bool leased = false;   // as PipelineLibrary has it
  // Its checked version is made from it. Null: it has none.
  std::unique_ptr<PipelineCopy> copy;
};
LaterPipeline plan_for_later(Device& device, const VkComputePipelineCreateInfo& info, bool has_allocator);
LaterPipeline plan_for_later(Device& device, const VkGraphicsPipelineCreateInfo& info, bool has_allocator);
// What tables of shaders refer to is fixed at creation.
template <typename Info>
LaterPipeline plan_for_later(Device&, const Info&, bool) {
  return {};
}
// All that are linked must have the same layout, those with nothing to check as well.
bool is_linked(const PipelineDescription& pipeline);
// The layout whose shaders find the record by a push constant; null: the pipeline's has no such twin.
std::shared_ptr<LayoutLease> layout_with_constant(const Device& device, VkPipelineLayout layout);
// For a library with independent sets: the layout that leaves sets to the others. Null: the given one will
// do.
std::shared_ptr<LayoutLease> library_layout(const Device& device, const PipelineDescription& pipeline);
// A library that is created without its checks.
PipelineEdit edit_library_layout(const Device& device, const PipelineDescription& pipeline);
PipelineEdit edit_pipeline(Device& device, StageEdits& stages, const PipelineDescription& pipeline);
// Tells the device's parts which instrumented shaders a new pipeline has.
void remember_pipeline(Device& device, VkPipeline pipeline, const PipelineEdit& edit,
                       const PipelineDescription& description);
void note_rejected_shaders(const Device& device, const PipelineEdit& edit);
CreationTimer time_creation(const Device& device, uint32_t count);
// The pipeline is the application's own; its checked version is made later.
void make_later(Device& device, VkPipeline pipeline, LaterPipeline later);
// After a failure in between, on the way to the application's own infos.
void destroy_pipelines(Device& device, std::span<VkPipeline> pipelines,
                       const VkAllocationCallbacks* allocator);

// The pipelines of one call. Info: any of the pipeline create infos.
template <typename Info>
class PipelineEdits {
 public:
  PipelineEdits(Device& device, const Info* infos, uint32_t count, bool has_allocator)
      : device_(device), stages_(device), originals_(infos, count) {
    for (const Info& info : originals_) {
      later_.push_back(plan_for_later(device, info, has_allocator));
      edits_.push_back(later_.back().planned ? edit_library_layout(device, describe(info))
                                             : edit_pipeline(device, stages_, describe(info)));
      any_ |= edits_.back().changes_info();
    }
  }
  // Whether any create info differs from the application's.
  bool any() const { return any_; }
  Info info(uint32_t i) const {
    Info info = originals_[i];
    if (edits_[i].layout) info.layout = edits_[i].layout;
    if (edits_[i].stages) set_stages(info, edits_[i].stages);
    return info;
  }
  const Info& original(uint32_t i) const { return originals_[i]; }
  uint32_t count() const { return static_cast<uint32_t>(originals_.size()); }
  bool has_instrumented_stages(uint32_t i) const { return !edits_[i].own_shaders.empty(); }
  bool withheld(uint32_t i) const { return edits_[i].withheld; }
  void restore(uint32_t i) { edits_[i].restore(); }
  void name_shaders(CreationTimer& timer) const {
    for (const PipelineEdit& edit : edits_) timer.shaders(edit.own_shaders);
  }
  bool anything_to_remember() const {
    for (uint32_t i = 0; i < count(); ++i)
      if (edits_[i].is_instrumented() || later_[i].planned) return true;
    return false;
  }
  void remember(const VkPipeline* pipelines) {
    for (uint32_t i = 0; i < count(); ++i) {
      if (!pipelines[i]) continue;
      if (later_[i].planned) {
        make_later(device_, pipelines[i], std::move(later_[i]));
        continue;
      }
      note_rejected_shaders(device_, edits_[i]);
      remember_pipeline(device_, pipelines[i], edits_[i], describe(originals_[i]));
    }
  }

 private:
  Device& device_;
  StageEdits stages_;
  const std::span<const Info> originals_;
  std::vector<PipelineEdit> edits_;
  std::vector<LaterPipeline> later_;
  bool any_ = false;
};

// The pipelines of a call that are still to be created. Create: see create_pipelines().
template <typename Info, typename Create>
class PendingPipelines {
 public:
  PendingPipelines(PipelineEdits<Info>& edits, const Create& create_batch)
      : edits_(edits), create_batch_(create_batch), place_(edits.count(), -1) {
    for (uint32_t i = 0; i < edits.count(); ++i) {
      if (!edits.withheld(i)) {
        pending_.push_back(i);
      } else if (returns_early(i)) {
        break;
      }
    }
  }

  VkResult create(VkPipeline* pipelines) {
    if (pending_.empty()) return VK_SUCCESS;
    std::vector<Info> batch;
    for (uint32_t k = 0; k < pending_.size(); ++k) place_[pending_[k]] = static_cast<int32_t>(k);
    for (const uint32_t i : pending_) batch.push_back(info_in_batch(i, pipelines));
    std::vector<VkPipeline> made(batch.size());
    const VkResult result =
        create_batch_(batch.data(), static_cast<uint32_t>(batch.size()), made.data(), /*as_given=*/false);
    for (uint32_t k = 0; k < pending_.size(); ++k) pipelines[pending_[k]] = made[k];
    return result;
  }

  // If the driver rejects some instrumented pipelines, only those get their originals back; they and all
  // others that were not created are pending again.
  bool restore_rejected(const VkPipeline* pipelines) {
    bool any = false, returned = false;
    std::vector<uint32_t> left;
    for (const uint32_t i : pending_) {
      place_[i] = -1;
      if (pipelines[i]) continue;
      left.push_back(i);
      if (returned) continue;
      if (edits_.has_instrumented_stages(i)) {
        edits_.restore(i);
        any = true;
      }
      returned = returns_early(i);
    }
    pending_ = std::move(left);
    return any;
  }

 private:
  bool returns_early(uint32_t i) const {
    const Info& info = edits_.original(i);
    return all_flags(info.pNext, info.flags) & VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT_KHR;
  }
  // A parent in the same call may have another index in the batch, or exist by now.
  Info info_in_batch(uint32_t i, const VkPipeline* pipelines) const {
    Info info = edits_.info(i);
    const int32_t parent = info.basePipelineIndex;
    if (parent < 0 || static_cast<size_t>(parent) >= place_.size()) return info;
    info.basePipelineIndex = place_[static_cast<size_t>(parent)];
    if (info.basePipelineIndex < 0) info.basePipelineHandle = pipelines[parent];
    return info;
  }

  PipelineEdits<Info>& edits_;
  const Create& create_batch_;
  std::vector<int32_t> place_;  // index in the batch, by index in the call; -1: not in it
  std::vector<uint32_t> pending_;
};

template <typename Info, typename Create>
VkResult create_edited(PipelineEdits<Info>& edits, VkPipeline* pipelines, const Create& create) {
  PendingPipelines<Info, Create> pending(edits, create);
  VkResult result = create_with_retries(pending, pipelines);
  edits.remember(pipelines);
  for (uint32_t i = 0; i < edits.count(); ++i)
    if (result == VK_SUCCESS && edits.withheld(i)) result = VK_PIPELINE_COMPILE_REQUIRED;
  return result;
}

// Calls `create` and logs how long the driver took.
template <typename Info, typename Create>
VkResult create_timed(const Create& create, const Info* infos, uint32_t count, VkPipeline* pipelines,
                      bool as_given) {
  const LogTimer timer;
  const VkResult result = create(infos, count, pipelines, as_given);
  SHADERQA_LOG(info, "the driver took " + timer.text() + " for " + std::to_string(count) +
                         " pipelines (VkResult " + std::to_string(result) + ")");
  return result;
}

// next_create(infos, count, pipelines, as_given): the next layer's command with these infos. as_given: they
// are the application's, and nothing needs to be known of the pipelines afterwards.
template <typename Info, typename Create>
VkResult create_pipelines(Device& device, const Info* infos, uint32_t count, VkPipeline* pipelines,
                          const VkAllocationCallbacks* allocator, const Create& next_create) {
  const auto create = [&](const Info* given, uint32_t given_count, VkPipeline* made, bool as_given) {
    return create_timed(next_create, given, given_count, made, as_given);
  };
  CreationTimer timer = time_creation(device, count);
  std::optional<PipelineEdits<Info>> edits;
  guarded([&] {
    edits.emplace(device, infos, count, allocator != nullptr);
    edits->name_shaders(timer);
  });
  if (!edits || !edits->any()) {
    const bool remember = edits && edits->anything_to_remember();
    const VkResult result = create(infos, count, pipelines, !remember);
    // Even if the command fails, some of the pipelines may have been created.
    if (remember) guarded([&] { edits->remember(pipelines); });
    return result;
  }
  for (uint32_t i = 0; i < count; ++i) pipelines[i] = VK_NULL_HANDLE;
  VkResult result = VK_SUCCESS;
  if (guarded([&] { result = create_edited(*edits, pipelines, create); })) return result;
  destroy_pipelines(device, {pipelines, count}, allocator);
  return create(infos, count, pipelines, false);
}

}  // namespace shaderqa::layer
#endif
