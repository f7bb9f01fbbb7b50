// SPDX-License-Identifier: Apache-2.0
#include "layer/accesses/vertex_input.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "layer/vk/pnext_chain.h"
#include "layer/vk/texel_size.h"

namespace shaderqa::layer {
namespace {

// Bytes of a component, for formats whose components lie behind each other in their order; 0 for others.
uint32_t component_size(VkFormat format) {
  if (format >= VK_FORMAT_R8_UNORM && format <= VK_FORMAT_R8G8B8_SRGB) return 1;
  if (format >= VK_FORMAT_R8G8B8A8_UNORM && format <= VK_FORMAT_R8G8B8A8_SRGB) return 1;
  if (format >= VK_FORMAT_R16_UNORM && format <= VK_FORMAT_R16G16B16A16_SFLOAT) return 2;
  if (format >= VK_FORMAT_R32_UINT && format <= VK_FORMAT_R32G32B32A32_SFLOAT) return 4;
  if (format >= VK_FORMAT_R64_UINT && format <= VK_FORMAT_R64G64B64A64_SFLOAT) return 8;
  return 0;
}

}  // namespace

uint32_t attribute_bytes(VkFormat format, uint32_t components) {
  const uint32_t size = texel_size(format), component = component_size(format);
  return component ? std::min(size, components * component) : size;
}

uint32_t index_bytes(VkIndexType type) {
  switch (type) {
    case VK_INDEX_TYPE_UINT8_KHR:
      return 1;
    case VK_INDEX_TYPE_UINT16:
      return 2;
    case VK_INDEX_TYPE_UINT32:
      return 4;
    default:
      return 0;
  }
}

VertexLayout vertex_layout(const VkPipelineVertexInputStateCreateInfo& info) {
  VertexLayout layout;
  for (const auto& one : std::span(info.pVertexBindingDescriptions, info.vertexBindingDescriptionCount)) {
    layout.bindings.push_back({one.binding, one.stride, one.inputRate == VK_VERTEX_INPUT_RATE_INSTANCE, 1});
  }
  for (const auto& one : std::span(info.pVertexAttributeDescriptions, info.vertexAttributeDescriptionCount)) {
    layout.attributes.push_back({one.location, one.binding, one.format, one.offset});
  }
  const auto divisors = find_in_chain<VkPipelineVertexInputDivisorStateCreateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO);
  for (uint32_t i = 0; divisors && i < divisors->vertexBindingDivisorCount; ++i) {
    const VkVertexInputBindingDivisorDescription& one = divisors->pVertexBindingDivisors[i];
    const auto found = std::ranges::find(layout.bindings, one.binding, &VertexBinding::binding);
    if (found != layout.bindings.end()) found->divisor = one.divisor;
  }
  return layout;
}

std::vector<VertexSpan> read_spans(const VertexLayout& layout, const VertexInputs& inputs) {
  std::vector<VertexSpan> all;
  for (const VertexAttribute& attribute : layout.attributes) {
    if (attribute.location >= inputs.size() || inputs[attribute.location] == 0) continue;
    const auto binding = std::ranges::find(layout.bindings, attribute.binding, &VertexBinding::binding);
    const uint32_t bytes = attribute_bytes(attribute.format, inputs[attribute.location]);
    if (binding == layout.bindings.end() || binding->binding >= kMostVertexBindings || bytes == 0) continue;
    all.push_back({*binding, attribute.offset, bytes});
  }
  std::ranges::sort(all, {}, [](const VertexSpan& span) { return std::pair(span.of.binding, span.offset); });
  std::vector<VertexSpan> merged;
  for (const VertexSpan& span : all) {
    VertexSpan* const last = merged.empty() ? nullptr : &merged.back();
    if (last && last->of.binding == span.of.binding && span.offset - last->offset <= last->bytes) {
      last->bytes = std::max(last->bytes, span.offset - last->offset + span.bytes);
    } else {
      merged.push_back(span);
    }
  }
  return merged;
}

Elements instances_read(const VertexBinding& binding, uint32_t first_instance, uint32_t instances) {
  if (instances == 0) return {};
  return {first_instance, binding.divisor ? (instances - 1) / binding.divisor + 1 : 1};
}

DrawnRows drawn_elements(const DrawArguments& arguments) {
  DrawnRows drawn;
  drawn.arguments = arguments.address;
  if (arguments.indexed) {
    drawn.count = offsetof(VkDrawIndexedIndirectCommand, indexCount) / 4;
    drawn.factor = offsetof(VkDrawIndexedIndirectCommand, instanceCount) / 4;
    drawn.first = offsetof(VkDrawIndexedIndirectCommand, firstIndex) / 4;
    drawn.offset = offsetof(VkDrawIndexedIndirectCommand, vertexOffset) / 4;
  } else {
    drawn.count = offsetof(VkDrawIndirectCommand, vertexCount) / 4;
    drawn.factor = offsetof(VkDrawIndirectCommand, instanceCount) / 4;
    drawn.first = offsetof(VkDrawIndirectCommand, firstVertex) / 4;
  }
  drawn.draws = arguments.draws;
  drawn.draw = arguments.number;
  return drawn;
}

DrawnRows drawn_instances(const DrawArguments& arguments, const VertexBinding& binding) {
  DrawnRows drawn = drawn_elements(arguments);
  std::swap(drawn.count, drawn.factor);
  drawn.first = (arguments.indexed ? offsetof(VkDrawIndexedIndirectCommand, firstInstance)
                                   : offsetof(VkDrawIndirectCommand, firstInstance)) /
                4;
  drawn.offset = 0;
  drawn.divisor = binding.divisor;
  return drawn;
}

std::optional<uint32_t> last_element(const VertexSpan& span, uint32_t stride, uint64_t size) {
  const uint64_t end = uint64_t{span.offset} + span.bytes;
  if (size < end) return std::nullopt;
  const uint64_t last = stride ? (size - end) / stride : UINT64_MAX;
  return static_cast<uint32_t>(std::min<uint64_t>(last, UINT32_MAX - 1));
}

MemoryRange elements_range(const VertexSpan& span, uint32_t stride, const Elements& elements) {
  MemoryRange range;
  range.address = uint64_t{elements.first} * stride + span.offset;
  range.bytes = span.bytes;
  range.rows = elements.count;
  range.pitch = stride;
  // Elements that touch or overlap are one row.
  if (range.rows > 1 && range.pitch <= range.bytes) {
    range.bytes += (range.rows - 1) * range.pitch;
    range.rows = 1;
  }
  return range;
}

}  // namespace shaderqa::layer
