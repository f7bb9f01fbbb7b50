// SPDX-License-Identifier: Apache-2.0
// Pipelines and shader objects with descriptor heaps (docs/internals/descriptor-heaps.md): what stands in
// place of their pipeline layout, of which they have none.
#ifndef SHADERQA_LAYER_PIPELINES_HEAP_STAGES_H
#define SHADERQA_LAYER_PIPELINES_HEAP_STAGES_H

#include <vulkan/vulkan_core.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace shaderqa::layer {

class Device;
class PipelineLibrary;
struct CheckedPipeline;
struct PipelineDescription;
struct PipelineLayout;

struct HeapStages {
  // Null: it has no heaps, or no accesses of it are checked, which a note says.
  std::shared_ptr<CheckedPipeline> pipeline;
  // By stage. Each has descriptors of its own, and all the same tables.
  std::vector<std::shared_ptr<const PipelineLayout>> layouts;
  bool any = false;  // it has heaps, and accesses are checked
  // A library that reads the bytes of push data in which others that it is linked with find the address.
  bool reads_record_place = false;
};
// A pipeline that is created with its checks.
HeapStages describe_heaps(const Device& device, const PipelineDescription& pipeline);
// One whose checked version is made later. libraries: that it is linked with.
HeapStages describe_heaps_for_later(const Device& device, const PipelineDescription& pipeline,
                                    std::span<const std::shared_ptr<PipelineLibrary>> libraries);

struct HeapShader {
  std::unique_ptr<PipelineLayout> layout;  // null: accesses of such shader objects are not checked
  std::string reason;                      // why
  // It reads the bytes of push data in which other shader objects find a record's address.
  bool reads_record_place = true;
};
HeapShader describe_heaps(const Device& device, const VkShaderCreateInfoEXT& shader);

}  // namespace shaderqa::layer
#endif
