// SPDX-License-Identifier: Apache-2.0
// Makes a checked pipeline from the copy of its create info (docs/internals/start.md).
#ifndef SHADERQA_LAYER_PIPELINES_CHECKED_CREATION_H
#define SHADERQA_LAYER_PIPELINES_CHECKED_CREATION_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "layer/pipelines/instrumenter.h"
#include "layer/pipelines/pipeline_copy.h"

namespace shaderqa::layer {

class Device;

struct MadePipeline {
  VkPipeline pipeline = VK_NULL_HANDLE;  // null: nothing is checked in it, or the driver refuses it
  std::vector<uint64_t> shaders;         // hashes of those that are checked, with those of its libraries
  std::vector<std::shared_ptr<const InstrumentResult>> results;  // the same shaders
  bool needs_record = false;                                     // its actions need a record
  bool footprints_complete = false;                              // as CheckedPipeline has it
  bool direct = false;                                           // ShaderRecord::direct of one of its shaders
};

// The caller owns the pipeline. `copy` is changed, and can be used again afterwards. May be called by any
// thread, but only by one at a time for one copy.
MadePipeline make_checked(Device& device, PipelineCopy& copy, VersionKind kind);

}  // namespace shaderqa::layer
#endif
