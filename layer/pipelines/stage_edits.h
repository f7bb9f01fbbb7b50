// SPDX-License-Identifier: Apache-2.0
// The stages of one pipeline-creating call, with instrumented shaders in place of those to check.
#ifndef SHADERQA_LAYER_PIPELINES_STAGE_EDITS_H
#define SHADERQA_LAYER_PIPELINES_STAGE_EDITS_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "instrument/instrument.h"
#include "layer/pipelines/instrumenter.h"
#include "layer/pipelines/shader_modules.h"
#include "layer/vk/arena.h"

namespace shaderqa::layer {

class Device;

// Owns what the edited structures point to, temporary shader modules included, so it must live until the call
// is done.
class StageEdits {
 public:
  explicit StageEdits(Device& device) : device_(device) {}
  ~StageEdits();
  StageEdits(const StageEdits&) = delete;
  StageEdits& operator=(const StageEdits&) = delete;

  // `stages` itself where none of them is replaced. layout: of the pipeline, null where it has none. Adds to
  // `hashes` those of the shaders that are.
  const VkPipelineShaderStageCreateInfo* edit(const VkPipelineShaderStageCreateInfo* stages, uint32_t count,
                                              VkPipelineLayout layout, std::vector<uint64_t>& hashes);
  // Whether a replaced stage of the last edit() needs an action record.
  bool needs_record() const { return needs_record_; }
  // Whether all that its last replaced stage accesses is noted, as SyncOptions::footprints has it.
  bool footprints_complete() const { return footprints_complete_; }
  Arena& arena() { return arena_; }

  // The driver took the application's shaders, but not ours. 0 among the hashes: no shader.
  static void note_refused(const Device& device, const std::vector<uint64_t>& hashes);

 private:
  bool edit_stage(VkPipelineShaderStageCreateInfo& stage, const PipelineLayout* layout,
                  std::vector<uint64_t>& hashes);
  bool replace_module(VkPipelineShaderStageCreateInfo& stage, const Instrumented& instrumented,
                      uint64_t hash);
  bool replace_inline_code(VkPipelineShaderStageCreateInfo& stage, const Instrumented& instrumented,
                           uint64_t hash);

  Device& device_;
  Arena arena_;
  bool needs_record_ = false;
  bool footprints_complete_ = false;
  std::vector<VkShaderModule> modules_;
  std::vector<std::shared_ptr<const InstrumentResult>> results_;
};

}  // namespace shaderqa::layer
#endif
