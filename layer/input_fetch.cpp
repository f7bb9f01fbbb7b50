// What draws read of their index and vertex buffers is entered behind their render pass.
#include <algorithm>

#include "layer/command_state.h"
#include "layer/exact_state.h"

namespace shaderqa::layer {
namespace {

constexpr size_t kMostFetches = 1024;  // of a render pass

}  // namespace

bool CommandState::fetches_input() const {
  return exact_ && can_dispatch_ && in_pass_ && pass_is_ours_ && !conditional_ && active_queries_ == 0 &&
         fetches_.size() < kMostFetches;
}

// Of these elements, from the begin of the buffer on; nothing where they are not all in what is bound.
std::optional<MemoryRange> CommandState::index_range(const Elements& indices) {
  const Binds::Indices& bound = binds.at(BindPoint::graphics).indices;
  if (!bound.buffer || !bound.index_bytes) return std::nullopt;
  const uint64_t begin = uint64_t{indices.first} * bound.index_bytes;
  MemoryRange range;
  range.address = bound.offset + begin;
  range.bytes = uint64_t{indices.count} * bound.index_bytes;
  if (bound.size != VK_WHOLE_SIZE && (begin > bound.size || range.bytes > bound.size - begin))
    return std::nullopt;
  return range;
}

void CommandState::add_indices(const DrawnInput& input, CommandAccesses& draw) {
  for (const Elements& indices : input.elements) {
    if (const std::optional<MemoryRange> range = index_range(indices))
      draw.add(shared_.device, binds.at(BindPoint::graphics).indices.buffer, *range);
  }
}

// The vertices that indices name: only the device knows which they are.
void CommandState::add_named(const Elements& indices, const VertexSpan& span, uint32_t stride,
                             CommandAccesses& draw) {
  const Binds& bound = binds.at(BindPoint::graphics);
  const Binds::Vertices& vertices = bound.vertices[span.of.binding];
  const BufferTable& buffers = shared_.device.buffers;
  const BufferTable::Place place = buffers.place(vertices.buffer);
  const std::optional<MemoryRange> named = index_range(indices);
  const BufferTable::Place index_place = named ? buffers.place(bound.indices.buffer) : BufferTable::Place{};
  if (!index_place.address || indices.count == 0 || end_of(*named) > index_place.size ||
      vertices.offset > place.size)
    return;
  uint64_t bytes = place.size - vertices.offset;
  if (vertices.size != VK_WHOLE_SIZE) bytes = std::min(bytes, vertices.size);
  if (bytes < uint64_t{span.offset} + span.bytes) return;
  const uint64_t last = (bytes - span.offset - span.bytes) / stride;
  MemoryRange range;
  range.address = vertices.offset + span.offset;
  range.bytes = span.bytes;
  range.rows = indices.count;
  range.pitch = stride;
  range.named = {index_place.address + named->address, bound.indices.index_bytes, indices.vertex_offset,
                 static_cast<uint32_t>(std::min<uint64_t>(last, UINT32_MAX - 1))};
  draw.add(shared_.device, vertices.buffer, range);
}

void CommandState::add_vertices(const DrawnInput& input, CommandAccesses& draw) {
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
    const auto add = [&](const Elements& elements) {
      MemoryRange range = elements_range(span, *stride, elements);
      if (buffer.size != VK_WHOLE_SIZE && end_of(range) > buffer.size) return;
      range.address += buffer.offset;
      draw.add(shared_.device, buffer.buffer, range);
    };
    if (span.of.per_instance) {
      add(instances_read(span.of, input.first_instance, input.instances));
      continue;
    }
    for (const Elements& elements : input.elements) {
      if (!input.indexed)
        add(elements);
      else if (*stride != 0)
        add_named(elements, span, *stride, draw);
      else if (elements.count != 0)
        add({0, 1});
    }
  }
}

// What nothing writes by now is left out: most of these buffers are written once, long before.
void CommandState::fetch_input(CommandAccesses draw, const DrawnInput& input) {
  draw.main_class = SQA_CLASS_VERTEX_INPUT;
  if (input.indexed) add_indices(input, draw);
  add_vertices(input, draw);
  ExactEngine& engine = *shared_.device.exact;
  std::erase_if(draw.ranges, [&](const MemoryRange& range) {
    return !engine.is_written(range.address, end_of(range) - range.address);
  });
  if (draw.ranges.empty() || !prepare_records() || !engine.range_pipeline()) return;
  const VkDeviceAddress floors = exact_->floors(SQA_CLASS_VERTEX_INPUT, arena);
  std::erase_if(draw.ranges, [&](const MemoryRange& range) {
    return !fetched_.emplace(floors, range.address, range.bytes, range.rows, range.pitch, range.named).second;
  });
  RangeEntry entry;
  if (!draw.ranges.empty() && take_entry(draw, entry)) fetches_.push_back(std::move(entry));
}

void CommandState::enter_fetches() {
  if (fetches_.empty() || in_pass_) return;
  enter_now(fetches_);
  fetches_.clear();
  fetched_.clear();
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBindIndexBuffer(VkCommandBuffer commandBuffer, VkBuffer buffer,
                                                     VkDeviceSize offset, VkIndexType indexType) {
  Device& device = with_state(commandBuffer, [&](Device&, CommandState& state) {
    state.binds.at(BindPoint::graphics).indices = {buffer, offset, VK_WHOLE_SIZE, index_bytes(indexType)};
  });
  device.next.CmdBindIndexBuffer(commandBuffer, buffer, offset, indexType);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBindIndexBuffer2(VkCommandBuffer commandBuffer, VkBuffer buffer,
                                                      VkDeviceSize offset, VkDeviceSize size,
                                                      VkIndexType indexType) {
  Device& device = with_state(commandBuffer, [&](Device&, CommandState& state) {
    state.binds.at(BindPoint::graphics).indices = {buffer, offset, size, index_bytes(indexType)};
  });
  device.next.CmdBindIndexBuffer2(commandBuffer, buffer, offset, size, indexType);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBeginConditionalRenderingEXT(
    VkCommandBuffer commandBuffer, const VkConditionalRenderingBeginInfoEXT* pConditionalRenderingBegin) {
  Device& device = with_state(commandBuffer, [](Device&, CommandState& state) { state.condition(true); });
  device.next.CmdBeginConditionalRenderingEXT(commandBuffer, pConditionalRenderingBegin);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdEndConditionalRenderingEXT(VkCommandBuffer commandBuffer) {
  Device& device = with_state(commandBuffer, [](Device&, CommandState& state) { state.condition(false); });
  device.next.CmdEndConditionalRenderingEXT(commandBuffer);
}

}  // namespace shaderqa::layer
