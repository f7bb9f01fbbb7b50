// SPDX-License-Identifier: Apache-2.0
// What draws read of their index and vertex buffers is entered behind their render pass.
#include <algorithm>

#include "layer/engines/exact/exact_engine.h"
#include "layer/recording/command_recorder.h"
#include "layer/resources/buffer_table.h"

namespace shaderqa::layer {
namespace {

constexpr size_t kMostFetches = 1024;  // of a render pass
constexpr size_t kMostFetchedRanges = 8192;

// By now. range.address: offset in the buffer.
bool is_written(const Device& device, VkBuffer buffer, const MemoryRange& range) {
  const BufferTable::BoundRange place = device.buffers.place(buffer);
  const uint64_t end = end_of(range);
  return place.address && end != 0 &&
         device.exact->is_written(place.address + range.address, end - range.address);
}

}  // namespace

bool CommandRecorder::fetches_input() const {
  return exact_ && can_dispatch_ && in_pass_ && pass_is_ours_ && !conditional_ && active_queries_ == 0 &&
         fetches_.size() < kMostFetches && fetched_.size() < kMostFetchedRanges;
}

// Nothing where they are of a type, or in a buffer, that is not known.
std::optional<CommandRecorder::BoundIndices> CommandRecorder::bound_indices() {
  const Binds::Indices& bound = binds.at(BindPoint::graphics).indices;
  if (!bound.buffer || !bound.index_bytes) return std::nullopt;
  const BufferTable::BoundRange place = shared_.device.buffers.place(bound.buffer);
  if (!place.address || bound.offset > place.size) return std::nullopt;
  const uint64_t bytes = std::min(bound.size, place.size - bound.offset);
  return BoundIndices{bound.buffer, bound.offset, place.address + bound.offset, bound.index_bytes,
                      std::min<uint64_t>(bytes / bound.index_bytes, UINT32_MAX)};
}

void CommandRecorder::add_indices(const DrawnInput& input, const BoundIndices& bound, CommandAccesses& draw) {
  for (const Elements& indices : input.elements) {
    if (!bound.holds(indices)) continue;
    MemoryRange range;
    range.address = bound.offset + uint64_t{indices.first} * bound.bytes;
    range.bytes = uint64_t{indices.count} * bound.bytes;
    draw.add(shared_.device, bound.buffer, range);
  }
  MemoryRange range;
  range.address = bound.offset;
  range.bytes = range.pitch = bound.bytes;
  range.rows = bound.count;
  if (input.indirect.empty() || !is_written(shared_.device, bound.buffer, range)) return;
  for (const DrawArguments& arguments : input.indirect) {
    range.drawn = drawn_elements(arguments);
    draw.add(shared_.device, bound.buffer, range);
  }
}

// What the host knows: elements that are not all in what is bound are none.
void CommandRecorder::add_elements(const DrawnInput& input, const VertexSpan& span, uint32_t stride,
                                   CommandAccesses& draw) {
  const Binds::Vertices& vertices = binds.at(BindPoint::graphics).vertices[span.of.binding];
  const auto add = [&](const Elements& elements) {
    MemoryRange range = elements_range(span, stride, elements);
    if (vertices.size != VK_WHOLE_SIZE && end_of(range) > vertices.size) return;
    range.address += vertices.offset;
    draw.add(shared_.device, vertices.buffer, range);
  };
  if (span.of.per_instance) return add(instances_read(span.of, input.first_instance, input.instances));
  for (const Elements& elements : input.elements) {
    if (!input.indexed)
      add(elements);
    else if (elements.count != 0)
      add({0, 1});
  }
}

// What only the device knows, because indices name the vertices or the arguments are in memory: those that
// are in what is bound.
void CommandRecorder::add_late(const DrawnInput& input, const VertexSpan& span, uint32_t stride,
                               const std::optional<BoundIndices>& indices, CommandAccesses& draw) {
  const Binds::Vertices& vertices = binds.at(BindPoint::graphics).vertices[span.of.binding];
  const BufferTable::BoundRange place = shared_.device.buffers.place(vertices.buffer);
  if (vertices.offset > place.size) return;
  const std::optional<uint32_t> last =
      last_element(span, stride, std::min(vertices.size, place.size - vertices.offset));
  const bool named = input.indexed && stride != 0 && !span.of.per_instance;
  if (!last || (named && !indices)) return;
  MemoryRange range;
  range.address = vertices.offset + span.offset;
  range.bytes = span.bytes;
  range.pitch = stride;
  range.rows = uint64_t{*last} + 1;
  if (named) {
    range.rows = indices->count;
    range.named = {indices->address, indices->bytes, 0, *last};
  }
  if (!is_written(shared_.device, vertices.buffer, range)) return;
  for (const DrawArguments& arguments : input.indirect) {
    range.drawn = span.of.per_instance ? drawn_instances(arguments, span.of) : drawn_elements(arguments);
    draw.add(shared_.device, vertices.buffer, range);
  }
  for (const Elements& elements : input.elements) {
    if (elements.count == 0 || !indices->holds(elements)) continue;
    range.rows = elements.count;
    range.named.indices = indices->address + uint64_t{elements.first} * indices->bytes;
    range.named.offset = elements.vertex_offset;
    draw.add(shared_.device, vertices.buffer, range);
  }
}

void CommandRecorder::add_vertices(const DrawnInput& input, const std::optional<BoundIndices>& indices,
                                   CommandAccesses& draw) {
  Binds& bound = binds.at(BindPoint::graphics);
  const VertexStage* const stage = bound.vertex.get();
  if (!stage || !stage->inputs) return;
  if (stage->dynamic_layout && !bound.dynamic_spans) {
    if (!bound.dynamic_layout) return;
    bound.dynamic_spans = read_spans(*bound.dynamic_layout, *stage->inputs);
  }
  for (const VertexSpan& span : stage->dynamic_layout ? *bound.dynamic_spans : stage->spans) {
    if (span.of.binding >= bound.vertices.size()) continue;
    const Binds::Vertices& buffer = bound.vertices[span.of.binding];
    const std::optional<uint32_t> stride =
        stage->dynamic_strides ? buffer.stride : std::optional(span.of.stride);
    if (!buffer.buffer || !stride) continue;
    if (!input.indirect.empty() || (input.indexed && !span.of.per_instance && *stride != 0))
      add_late(input, span, *stride, indices, draw);
    else
      add_elements(input, span, *stride, draw);
  }
}

// What nothing writes by now is left out: most of these buffers are written once, long before.
void CommandRecorder::fetch_input(CommandAccesses draw, const DrawnInput& input) {
  draw.main_class = SQA_CLASS_VERTEX_INPUT;
  const std::optional<BoundIndices> indices = input.indexed ? bound_indices() : std::nullopt;
  if (indices) add_indices(input, *indices, draw);
  add_vertices(input, indices, draw);
  ExactEngine& engine = *shared_.device.exact;
  std::erase_if(draw.ranges, [&](const MemoryRange& range) {
    return !engine.is_written(range.address, end_of(range) - range.address);
  });
  if (draw.ranges.empty() || !prepare_records() || !engine.range_pipeline()) return;
  const VkDeviceAddress floors = exact_->floors(SQA_CLASS_VERTEX_INPUT, arena);
  std::erase_if(draw.ranges, [&](const MemoryRange& range) {
    return !fetched_
                .emplace(floors, range.address, range.bytes, range.rows, range.pitch, range.named,
                         range.drawn)
                .second;
  });
  RangeEntry entry;
  if (!draw.ranges.empty() && take_entry(draw, entry)) fetches_.push_back(std::move(entry));
}

// From here on the render pass may overwrite, in order, what it has drawn by: indices and arguments are read
// behind it.
void CommandRecorder::forget_late_fetches() {
  for (RangeEntry& entry : fetches_) std::erase_if(entry.ranges, is_read_late);
}

void CommandRecorder::record_fetches() {
  if (fetches_.empty() || in_pass_) return;
  dispatch_accesses(fetches_);
  fetches_.clear();
  fetched_.clear();
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBindIndexBuffer(VkCommandBuffer commandBuffer, VkBuffer buffer,
                                                     VkDeviceSize offset, VkIndexType indexType) {
  Device& device = with_recorder(commandBuffer, [&](Device&, CommandRecorder& state) {
    state.binds.at(BindPoint::graphics).indices = {buffer, offset, VK_WHOLE_SIZE, index_bytes(indexType)};
  });
  device.next.CmdBindIndexBuffer(commandBuffer, buffer, offset, indexType);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBindIndexBuffer2(VkCommandBuffer commandBuffer, VkBuffer buffer,
                                                      VkDeviceSize offset, VkDeviceSize size,
                                                      VkIndexType indexType) {
  Device& device = with_recorder(commandBuffer, [&](Device&, CommandRecorder& state) {
    state.binds.at(BindPoint::graphics).indices = {buffer, offset, size, index_bytes(indexType)};
  });
  device.next.CmdBindIndexBuffer2(commandBuffer, buffer, offset, size, indexType);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBeginConditionalRenderingEXT(
    VkCommandBuffer commandBuffer, const VkConditionalRenderingBeginInfoEXT* pConditionalRenderingBegin) {
  Device& device =
      with_recorder(commandBuffer, [](Device&, CommandRecorder& state) { state.condition(true); });
  device.next.CmdBeginConditionalRenderingEXT(commandBuffer, pConditionalRenderingBegin);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdEndConditionalRenderingEXT(VkCommandBuffer commandBuffer) {
  Device& device =
      with_recorder(commandBuffer, [](Device&, CommandRecorder& state) { state.condition(false); });
  device.next.CmdEndConditionalRenderingEXT(commandBuffer);
}

}  // namespace shaderqa::layer
