// SPDX-License-Identifier: Apache-2.0
// The stages of one pipeline-creating call, with instrumented shaders in place of those to check.
#ifndef SHADERQA_LAYER_PIPELINES_STAGE_EDITS_H
#define SHADERQA_LAYER_PIPELINES_STAGE_EDITS_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "layer/pipelines/temporary_modules.h"
#include "layer/vk/arena.h"

namespace shaderqa {
struct InstrumentResult;
}

namespace shaderqa::layer {

class Device;
struct Instrumented;
struct PipelineLayout;

// One pipeline's stages, and what is known of those that were replaced.
struct EditedStages {
  const VkPipelineShaderStageCreateInfo* stages = nullptr;  // the application's if none was replaced
  std::vector<uint64_t> shaders;                            // hashes of the replaced ones
  bool needs_record = false;                                // one of them needs an action record
  bool footprints_complete = false;  // all that they access is noted, as SyncOptions::footprints has it
};

// Owns what the edited structures point to, temporary shader modules included, so it must live until the call
// is done.
class StageEdits {
 public:
  explicit StageEdits(Device& device);
  StageEdits(const StageEdits&) = delete;
  StageEdits& operator=(const StageEdits&) = delete;

  // layout: the pipeline's; null if it has none. of_stages: instead, one for each stage, unless empty.
  EditedStages edit(const VkPipelineShaderStageCreateInfo* stages, uint32_t count, VkPipelineLayout layout,
                    std::span<const std::shared_ptr<const PipelineLayout>> of_stages = {});
  Arena& arena() { return arena_; }

 private:
  bool edit_stage(VkPipelineShaderStageCreateInfo& stage, const PipelineLayout* layout, EditedStages& edited);
  bool replace_module(VkPipelineShaderStageCreateInfo& stage, const Instrumented& instrumented,
                      uint64_t hash);
  bool replace_inline_code(VkPipelineShaderStageCreateInfo& stage, const Instrumented& instrumented,
                           uint64_t hash);

  Device& device_;
  Arena arena_;
  TemporaryModules modules_;
  std::vector<std::shared_ptr<const InstrumentResult>> results_;
};

}  // namespace shaderqa::layer
#endif
