// SPDX-License-Identifier: Apache-2.0
// What all pipeline-creating hooks share: edited copies of the create infos, and the retry with the
// originals.
#ifndef SHADERQA_LAYER_PIPELINES_PIPELINE_CREATION_H
#define SHADERQA_LAYER_PIPELINES_PIPELINE_CREATION_H

#include <vulkan/vulkan_core.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/log/log.h"
#include "layer/loader/device.h"
#include "layer/pipelines/stage_edits.h"

namespace shaderqa::layer {

// What of a pipeline's create info decides whether its stages may be edited.
struct StagePolicy {
  bool use_originals = false;
  std::string reason;  // for a note about each printing shader; empty: there is no code in the stages anyway
};

// What the application keeps of a pipeline beyond this process, or takes from an earlier one, must not be
// ours.
StagePolicy stage_policy(const Device& device, const void* chain, VkPipelineCreateFlags flags);
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

// The infos of one call. Info: any of the pipeline create infos.
template <typename Info>
class PipelineEdits {
 public:
  PipelineEdits(Device& device, const Info* infos, uint32_t count);
  bool any() const { return edited_; }
  const Info& info(uint32_t i) const { return edited_[i]; }
  bool has_instrumented_stages(uint32_t i) const { return !own_hashes_[i].empty(); }
  // Not to be made, but VK_PIPELINE_COMPILE_REQUIRED: its shaders are known to the driver alone.
  bool withheld(uint32_t i) const { return withheld_[i]; }
  // The driver refuses it.
  void restore(uint32_t i, const Info& original);
  void note_restored(uint32_t i) const { StageEdits::note_refused(device_, restored_hashes_[i]); }
  bool anything_to_remember() const;
  void remember(const Info* infos, const VkPipeline* pipelines) const;

 private:
  void copy(const Info* infos);

  Device& device_;
  StageEdits stages_;
  const uint32_t count_;
  Info* edited_ = nullptr;  // null: nothing to edit
  std::vector<std::vector<uint64_t>> own_hashes_, library_hashes_, restored_hashes_;
  std::vector<bool> own_record_, library_record_, withheld_, footprints_complete_;
};

void note_untouched_stages(Device& device, const VkPipelineShaderStageCreateInfo* stages, uint32_t count,
                           const std::string& reason);
// Adds the shaders replaced in the libraries that a pipeline links, and in the pipelines whose shader groups
// it takes over (`chain`). Returns whether one of them needs an action record.
bool inherit_shaders(Device& device, const VkPipelineLibraryCreateInfoKHR* libraries, const void* chain,
                     std::vector<uint64_t>& hashes);
// The layout without the record's place for a pipeline of an indirect execution set; null: the given one
// does.
VkPipelineLayout execution_set_layout(const Device& device, VkPipelineCreateFlags2KHR flags,
                                      VkPipelineLayout layout);
// One of the stages is named by an identifier, for the driver to find in its caches.
bool is_named_by_identifier(const VkPipelineShaderStageCreateInfo* stages, uint32_t count);

template <typename Info>
VkPipelineLayout layout_of(const Info& info) {
  return info.layout;
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

template <typename Info>
PipelineEdits<Info>::PipelineEdits(Device& device, const Info* infos, uint32_t count)
    : device_(device),
      stages_(device),
      count_(count),
      own_hashes_(count),
      library_hashes_(count),
      restored_hashes_(count),
      own_record_(count),
      library_record_(count),
      withheld_(count),
      footprints_complete_(count) {
  for (uint32_t i = 0; i < count; ++i) {
    const Info& info = infos[i];
    const VkPipelineCreateFlags2KHR flags = all_flags(info.pNext, info.flags);
    const VkPipelineLayout short_layout = execution_set_layout(device, flags, layout_of(info));
    if (short_layout) {
      copy(infos);
      edited_[i].layout = short_layout;
    }
    if (const StagePolicy policy = stage_policy(device, info.pNext, info.flags); policy.use_originals) {
      if (!policy.reason.empty())
        note_untouched_stages(device, stages_of(info), stage_count(info), policy.reason);
    } else {
      const auto stages = stages_.edit(stages_of(info), stage_count(info),
                                       short_layout ? VK_NULL_HANDLE : layout_of(info), own_hashes_[i]);
      own_record_[i] = stages_.needs_record();
      footprints_complete_[i] = stages_.footprints_complete();
      if (stages != stages_of(info)) {
        copy(infos);
        set_stages(edited_[i], stages);
      }
      if ((flags & VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT_KHR) && device.instruments() &&
          is_named_by_identifier(stages_of(info), stage_count(info))) {
        copy(infos);
        withheld_[i] = true;
      }
    }
    library_record_[i] = inherit_shaders(device, libraries_of(info), info.pNext, library_hashes_[i]);
  }
}

template <typename Info>
void PipelineEdits<Info>::copy(const Info* infos) {
  if (!edited_) edited_ = stages_.arena().copy(infos, count_);
}

template <typename Info>
void PipelineEdits<Info>::restore(uint32_t i, const Info& original) {
  edited_[i] = original;
  restored_hashes_[i].swap(own_hashes_[i]);
  own_record_[i] = footprints_complete_[i] = false;
}

template <typename Info>
bool PipelineEdits<Info>::anything_to_remember() const {
  for (uint32_t i = 0; i < count_; ++i)
    if (!own_hashes_[i].empty() || !library_hashes_[i].empty()) return true;
  return false;
}

template <typename Info>
void PipelineEdits<Info>::remember(const Info* infos, const VkPipeline* pipelines) const {
  for (uint32_t i = 0; i < count_; ++i) {
    std::vector<uint64_t> hashes = own_hashes_[i];
    hashes.insert(hashes.end(), library_hashes_[i].begin(), library_hashes_[i].end());
    if (!pipelines[i] || hashes.empty()) continue;
    device_.names.add_pipeline(pipelines[i], hashes);
    if (!own_record_[i] && !library_record_[i]) continue;
    if (layout_of(infos[i])) {
      device_.command_buffers.add_checked_pipeline(pipelines[i], layout_of(infos[i]),
                                                   footprints_complete_[i] && !library_record_[i]);
    } else if (const auto libraries = libraries_of(infos[i])) {
      device_.command_buffers.add_checked_pipeline(pipelines[i],
                                                   {libraries->pLibraries, libraries->libraryCount});
    }
  }
}

// Says in dump_dir how long a call took.
class PipelineTimer {
 public:
  PipelineTimer(const Device& device, uint32_t count) : dump_(device.instance->dump), count_(count) {}
  ~PipelineTimer() {
    guarded([&] { dump_.pipelines(count_, std::chrono::steady_clock::now() - begin_); });
  }
  PipelineTimer(const PipelineTimer&) = delete;
  PipelineTimer& operator=(const PipelineTimer&) = delete;

 private:
  ShaderDump& dump_;
  const uint32_t count_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Of one call, the pipelines that are still to be made.
template <typename Info>
class PendingPipelines {
 public:
  PendingPipelines(PipelineEdits<Info>& edits, const Info* originals, uint32_t count)
      : edits_(edits), originals_(originals), place_(count, -1) {
    for (uint32_t i = 0; i < count; ++i) {
      if (!edits.withheld(i)) {
        pending_.push_back(i);
      } else if (returns_early(i)) {
        break;
      }
    }
  }

  template <typename Create>
  VkResult create(VkPipeline* pipelines, const Create& create_batch) {
    if (pending_.empty()) return VK_SUCCESS;
    std::vector<Info> batch;
    for (uint32_t k = 0; k < pending_.size(); ++k) place_[pending_[k]] = static_cast<int32_t>(k);
    for (const uint32_t i : pending_) batch.push_back(info_in_batch(i, pipelines));
    std::vector<VkPipeline> made(batch.size());
    const VkResult result =
        create_batch(batch.data(), static_cast<uint32_t>(batch.size()), made.data(), /*as_given=*/false);
    for (uint32_t k = 0; k < pending_.size(); ++k) pipelines[pending_[k]] = made[k];
    return result;
  }

  // After a failure: what was refused for our sake is as the application has it, and pending with all else
  // that was not made. False: the failure is the application's own.
  bool restore_refused(const VkPipeline* pipelines) {
    bool any = false, returned = false;
    std::vector<uint32_t> left;
    for (const uint32_t i : pending_) {
      place_[i] = -1;
      if (pipelines[i]) continue;
      left.push_back(i);
      if (returned) continue;
      if (edits_.has_instrumented_stages(i)) {
        edits_.restore(i, originals_[i]);
        restored_.push_back(i);
        any = true;
      }
      returned = returns_early(i);
    }
    pending_ = std::move(left);
    return any;
  }
  const std::vector<uint32_t>& restored() const { return restored_; }

 private:
  bool returns_early(uint32_t i) const {
    return all_flags(originals_[i].pNext, originals_[i].flags) &
           VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT_KHR;
  }
  // A parent in the same call may have another place in the batch, or exist by now.
  Info info_in_batch(uint32_t i, const VkPipeline* pipelines) const {
    Info info = edits_.info(i);
    const int32_t parent = info.basePipelineIndex;
    if (parent < 0 || static_cast<size_t>(parent) >= place_.size()) return info;
    info.basePipelineIndex = place_[parent];
    if (info.basePipelineIndex < 0) info.basePipelineHandle = pipelines[parent];
    return info;
  }

  PipelineEdits<Info>& edits_;
  const Info* originals_;
  std::vector<int32_t> place_;  // in the batch, by number in the call; -1: not in it
  std::vector<uint32_t> pending_, restored_;
};

template <typename Info, typename Create>
VkResult create_edited(PipelineEdits<Info>& edits, const Info* infos, uint32_t count, VkPipeline* pipelines,
                       const Create& create) {
  PendingPipelines<Info> pending(edits, infos, count);
  VkResult result = pending.create(pipelines, create);
  while (result < 0 && pending.restore_refused(pipelines)) result = pending.create(pipelines, create);
  for (const uint32_t i : pending.restored())
    if (pipelines[i]) edits.note_restored(i);
  edits.remember(infos, pipelines);
  for (uint32_t i = 0; i < count; ++i)
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
  const PipelineTimer timer(device, count);
  std::optional<PipelineEdits<Info>> edits;
  guarded([&] { edits.emplace(device, infos, count); });
  if (!edits || !edits->any()) {
    const bool remember = edits && edits->anything_to_remember();
    const VkResult result = create(infos, count, pipelines, !remember);
    // Where some are not made the others are.
    if (remember) guarded([&] { edits->remember(infos, pipelines); });
    return result;
  }
  for (uint32_t i = 0; i < count; ++i) pipelines[i] = VK_NULL_HANDLE;
  VkResult result = VK_SUCCESS;
  if (guarded([&] { result = create_edited(*edits, infos, count, pipelines, create); })) return result;
  for (uint32_t i = 0; i < count; ++i) {
    if (!pipelines[i]) continue;
    device.names.remove_pipeline(pipelines[i]);
    device.command_buffers.remove_pipeline(pipelines[i]);
    device.next.DestroyPipeline(device.handle, pipelines[i], allocator);
  }
  return create(infos, count, pipelines, false);
}

}  // namespace shaderqa::layer
#endif
