// SPDX-License-Identifier: Apache-2.0
// The commands that bind vertex buffers and say what is in them.
#include <algorithm>

#include "layer/recording/command_recorder.h"
#include "layer/resources/buffer_table.h"

namespace shaderqa::layer {
namespace {

struct VertexBuffers {
  uint32_t first = 0, count = 0;
  const VkBuffer* buffers = nullptr;
  const VkDeviceSize *offsets = nullptr, *sizes = nullptr, *strides = nullptr;  // sizes, strides: may be null
};

// The state of a binding; null if it is not followed.
Binds::Vertices* vertices_at(Binds& binds, uint32_t binding) {
  if (binding >= kMostVertexBindings) return nullptr;
  if (binding >= binds.vertices.size()) binds.vertices.resize(binding + 1);
  return &binds.vertices[binding];
}

void bind(Binds& binds, const VertexBuffers& bound) {
  for (uint32_t i = 0; i < bound.count; ++i) {
    Binds::Vertices* const vertices = vertices_at(binds, bound.first + i);
    if (!vertices) return;
    vertices->buffer = bound.buffers[i];
    vertices->unwritten = 0;
    vertices->offset = bound.offsets[i];
    vertices->size = bound.sizes ? bound.sizes[i] : VK_WHOLE_SIZE;
    if (bound.strides) vertices->stride = static_cast<uint32_t>(bound.strides[i]);
  }
}

Device& bind(VkCommandBuffer command_buffer, const VertexBuffers& bound) {
  return with_recorder(command_buffer, [&](Device&, CommandRecorder& state) {
    bind(state.binds.at(BindPoint::graphics), bound);
  });
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL hooks::CmdBindVertexBuffers(VkCommandBuffer commandBuffer, uint32_t firstBinding,
                                                       uint32_t bindingCount, const VkBuffer* pBuffers,
                                                       const VkDeviceSize* pOffsets) {
  Device& device = bind(commandBuffer, {firstBinding, bindingCount, pBuffers, pOffsets});
  device.next.CmdBindVertexBuffers(commandBuffer, firstBinding, bindingCount, pBuffers, pOffsets);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBindVertexBuffers2(VkCommandBuffer commandBuffer, uint32_t firstBinding,
                                                        uint32_t bindingCount, const VkBuffer* pBuffers,
                                                        const VkDeviceSize* pOffsets,
                                                        const VkDeviceSize* pSizes,
                                                        const VkDeviceSize* pStrides) {
  Device& device = bind(commandBuffer, {firstBinding, bindingCount, pBuffers, pOffsets, pSizes, pStrides});
  device.next.CmdBindVertexBuffers2(commandBuffer, firstBinding, bindingCount, pBuffers, pOffsets, pSizes,
                                    pStrides);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBindVertexBuffers3KHR(VkCommandBuffer commandBuffer,
                                                           uint32_t firstBinding, uint32_t bindingCount,
                                                           const VkBindVertexBuffer3InfoKHR* pBindingInfos) {
  Device& device = with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    for (uint32_t i = 0; i < bindingCount; ++i) {
      Binds::Vertices* const vertices = vertices_at(state.binds.at(BindPoint::graphics), firstBinding + i);
      if (!vertices) return;
      const VkBindVertexBuffer3InfoKHR& info = pBindingInfos[i];
      const BufferTable::Location at = of.buffers.locate(info.addressRange.address);
      vertices->buffer = at.handle;
      vertices->unwritten = 0;
      vertices->offset = at.offset;
      vertices->size = info.addressRange.size;
      if (info.setStride) vertices->stride = static_cast<uint32_t>(info.addressRange.stride);
    }
  });
  device.next.CmdBindVertexBuffers3KHR(commandBuffer, firstBinding, bindingCount, pBindingInfos);
}

// The latest command that sets a stride counts, also after vkCmdBindVertexBuffers2.
VKAPI_ATTR void VKAPI_CALL
hooks::CmdSetVertexInputEXT(VkCommandBuffer commandBuffer, uint32_t vertexBindingDescriptionCount,
                            const VkVertexInputBindingDescription2EXT* pVertexBindingDescriptions,
                            uint32_t vertexAttributeDescriptionCount,
                            const VkVertexInputAttributeDescription2EXT* pVertexAttributeDescriptions) {
  Device& device = with_recorder(commandBuffer, [&](Device&, CommandRecorder& state) {
    Binds& binds = state.binds.at(BindPoint::graphics);
    auto layout = std::make_shared<VertexLayout>();
    for (const auto& one : std::span(pVertexBindingDescriptions, vertexBindingDescriptionCount)) {
      const bool per_instance = one.inputRate == VK_VERTEX_INPUT_RATE_INSTANCE;
      layout->bindings.push_back({one.binding, one.stride, per_instance, one.divisor});
      if (Binds::Vertices* const vertices = vertices_at(binds, one.binding)) vertices->stride = one.stride;
    }
    for (const auto& one : std::span(pVertexAttributeDescriptions, vertexAttributeDescriptionCount)) {
      layout->attributes.push_back({one.location, one.binding, one.format, one.offset});
    }
    binds.dynamic_layout = std::move(layout);
    binds.dynamic_spans.reset();
  });
  device.next.CmdSetVertexInputEXT(commandBuffer, vertexBindingDescriptionCount, pVertexBindingDescriptions,
                                   vertexAttributeDescriptionCount, pVertexAttributeDescriptions);
}

}  // namespace shaderqa::layer
