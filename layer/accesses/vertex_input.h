// SPDX-License-Identifier: Apache-2.0
// Which bytes of its bound vertex buffers a draw reads, as far as the host knows that. Pure functions.
#ifndef SHADERQA_LAYER_ACCESSES_VERTEX_INPUT_H
#define SHADERQA_LAYER_ACCESSES_VERTEX_INPUT_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "instrument/accesses/vertex_inputs.h"
#include "layer/accesses/memory_ranges.h"

namespace shaderqa::layer {

constexpr uint32_t kMostVertexBindings = 64;  // of those beyond, nothing is known

struct VertexBinding {
  uint32_t binding = 0;
  uint32_t stride = 0;
  bool per_instance = false;
  uint32_t divisor = 1;
};

struct VertexAttribute {
  uint32_t location = 0;
  uint32_t binding = 0;
  VkFormat format = VK_FORMAT_UNDEFINED;
  uint32_t offset = 0;
};

// The vertex input state of a pipeline, or of vkCmdSetVertexInputEXT.
struct VertexLayout {
  std::vector<VertexBinding> bindings;
  std::vector<VertexAttribute> attributes;
};
VertexLayout vertex_layout(const VkPipelineVertexInputStateCreateInfo& info);

// Bytes that are read of each element of a binding.
struct VertexSpan {
  VertexBinding of;
  uint32_t offset = 0, bytes = 0;
  bool operator==(const VertexSpan& other) const {
    return of.binding == other.of.binding && offset == other.offset && bytes == other.bytes;
  }
};
// Bytes of an attribute that a shader reads which uses so many of its components.
uint32_t attribute_bytes(VkFormat format, uint32_t components);
// 0: the type is not known.
uint32_t index_bytes(VkIndexType type);
// What a shader with these inputs reads, in ranges that do not touch.
std::vector<VertexSpan> read_spans(const VertexLayout& layout, const VertexInputs& inputs);

// A pipeline's, or a shader object's.
struct VertexStage {
  std::shared_ptr<const VertexInputs> inputs;  // null: not known
  std::shared_ptr<const VertexLayout> layout;  // null: dynamic, or not known
  bool dynamic_layout = false;
  bool dynamic_strides = false;
  std::vector<VertexSpan> spans;  // where neither is null
};

// Elements that are read; none where that is not known.
struct Elements {
  uint32_t first = 0, count = 0;
  int32_t vertex_offset = 0;  // of indices: added to each
};
Elements instances_read(const VertexBinding& binding, uint32_t first_instance, uint32_t instances);

// One draw of an indirect command.
struct DrawArguments {
  VkDeviceAddress address = 0;  // of its VkDrawIndirectCommand or VkDrawIndexedIndirectCommand
  bool indexed = false;
  VkDeviceAddress draws = 0;  // as DrawnRows has it
  uint32_t number = 0;
};
DrawnRows drawn_elements(const DrawArguments& arguments);  // vertices, or indices
DrawnRows drawn_instances(const DrawArguments& arguments, const VertexBinding& binding);

// The last element of which all bytes are among the first `size` of the binding.
std::optional<uint32_t> last_element(const VertexSpan& span, uint32_t stride, uint64_t size);

// From the binding's offset on.
MemoryRange elements_range(const VertexSpan& span, uint32_t stride, const Elements& elements);

}  // namespace shaderqa::layer
#endif
