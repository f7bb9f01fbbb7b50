// What all pipeline-creating hooks share: edited copies of the create infos, and the retry with the
// originals.
#ifndef SHADERQA_LAYER_PIPELINE_CREATION_H
#define SHADERQA_LAYER_PIPELINE_CREATION_H

#include <vulkan/vulkan_core.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "layer/device.h"
#include "layer/stage_edits.h"

namespace shaderqa::layer {

// What the application keeps of a pipeline beyond this process, or takes from an earlier one, must not be
// ours.
struct StagePolicy {
  bool use_originals = false;
  std::string reason;  // for a note about each printing shader; empty: there is no code in the stages anyway
};

StagePolicy stage_policy(const void* chain, VkPipelineCreateFlags flags);

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
  const Info* infos() const { return edited_; }
  // The shaders replaced in info i, its libraries' included.
  const std::vector<uint64_t>& hashes(uint32_t i) const { return hashes_[i]; }
  std::vector<uint64_t> all_hashes() const;
  bool needs_record(uint32_t i) const { return needs_record_[i]; }

 private:
  StageEdits stages_;
  Info* edited_ = nullptr;  // null: nothing to edit
  std::vector<std::vector<uint64_t>> hashes_;
  std::vector<bool> needs_record_;
};

void note_untouched_stages(Device& device, const VkPipelineShaderStageCreateInfo* stages, uint32_t count,
                           const std::string& reason);
// Adds the shaders replaced in the libraries that a pipeline links. Returns whether one of them needs an
// action record.
bool inherit_libraries(Device& device, const VkPipelineLibraryCreateInfoKHR* libraries,
                       std::vector<uint64_t>& hashes);

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
    : stages_(device), hashes_(count), needs_record_(count) {
  for (uint32_t i = 0; i < count; ++i) {
    const Info& info = infos[i];
    if (const StagePolicy policy = stage_policy(info.pNext, info.flags); policy.use_originals) {
      if (!policy.reason.empty())
        note_untouched_stages(device, stages_of(info), stage_count(info), policy.reason);
    } else {
      const auto stages = stages_.edit(stages_of(info), stage_count(info), layout_of(info), hashes_[i]);
      needs_record_[i] = stages_.needs_record();
      if (stages != stages_of(info)) {
        if (!edited_) edited_ = stages_.arena().copy(infos, count);
        set_stages(edited_[i], stages);
      }
    }
    if (inherit_libraries(device, libraries_of(info), hashes_[i])) needs_record_[i] = true;
  }
}

template <typename Info>
std::vector<uint64_t> PipelineEdits<Info>::all_hashes() const {
  std::vector<uint64_t> all;
  for (const std::vector<uint64_t>& some : hashes_) all.insert(all.end(), some.begin(), some.end());
  return all;
}

template <typename Info>
void remember_pipelines(Device& device, const PipelineEdits<Info>& edits, const Info* infos,
                        const VkPipeline* pipelines, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (!pipelines[i] || edits.hashes(i).empty()) continue;
    device.names.add_pipeline(pipelines[i], edits.hashes(i));
    if (edits.needs_record(i)) device.command_buffers.add_checked_pipeline(pipelines[i], layout_of(infos[i]));
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

// create(infos): the next layer's command with these infos.
template <typename Info, typename Create>
VkResult create_pipelines(Device& device, const Info* infos, uint32_t count, VkPipeline* pipelines,
                          const VkAllocationCallbacks* allocator, const Create& create) {
  const PipelineTimer timer(device, count);
  std::optional<PipelineEdits<Info>> edits;
  guarded([&] { edits.emplace(device, infos, count); });
  if (!edits || !edits->any()) {
    const VkResult result = create(infos);
    // Deferred: the handles are not there yet.
    if (result >= 0 && result != VK_OPERATION_DEFERRED_KHR && edits)
      guarded([&] { remember_pipelines(device, *edits, infos, pipelines, count); });
    return result;
  }
  for (uint32_t i = 0; i < count; ++i) pipelines[i] = VK_NULL_HANDLE;
  VkResult result = create(edits->infos());
  if (result >= 0) {
    guarded([&] { remember_pipelines(device, *edits, infos, pipelines, count); });
    return result;
  }
  // Instrumentation never makes a working program fail.
  for (uint32_t i = 0; i < count; ++i) {
    if (pipelines[i]) device.next.DestroyPipeline(device.handle, pipelines[i], allocator);
  }
  result = create(infos);
  if (result >= 0) guarded([&] { StageEdits::note_refused(device, edits->all_hashes()); });
  return result;
}

}  // namespace shaderqa::layer
#endif
