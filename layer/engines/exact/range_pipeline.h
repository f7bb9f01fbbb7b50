// SPDX-License-Identifier: Apache-2.0
// A compute pipeline of the layer's own: one enters what commands access into the exact engine's cells
// (instrument/runtime/range_access.glsl), one resolves descriptors (resolve.glsl).
#ifndef SHADERQA_LAYER_ENGINES_EXACT_RANGE_PIPELINE_H
#define SHADERQA_LAYER_ENGINES_EXACT_RANGE_PIPELINE_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "layer/memory/record_arena.h"

namespace shaderqa::layer {

class Device;

// Where the application's descriptors for compute are. Vulkan wants pipelines of another kind beside each,
// even of those without any.
enum class BoundDescriptors : uint8_t { in_sets, in_buffers, in_heaps };

class RangePipeline {
 public:
  // words: of the shader. engine: address of the device's abi::ExactState. kind: SQA_RANGES_*, for the shader
  // that knows them. Null, with a sentence in `problem`, where the device refuses.
  static std::unique_ptr<RangePipeline> create(Device& device, std::span<const uint32_t> words,
                                               VkDeviceAddress engine, uint32_t kind, std::string& problem);
  ~RangePipeline();
  RangePipeline(const RangePipeline&) = delete;
  RangePipeline& operator=(const RangePipeline&) = delete;

  // Binds it, which replaces what is bound for compute.
  void bind(VkCommandBuffer command_buffer, BoundDescriptors bound) const;
  // Records the dispatch for a record, behind bind().
  void dispatch(VkCommandBuffer command_buffer, const RecordAllocation& record, uint32_t groups) const;

 private:
  explicit RangePipeline(Device& device) : device_(device) {}
  VkResult make(std::span<const uint32_t> words, uint32_t kind);

  Device& device_;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkPipeline buffered_pipeline_ = VK_NULL_HANDLE, heap_pipeline_ = VK_NULL_HANDLE;  // null: not needed
};

}  // namespace shaderqa::layer
#endif
