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

void CommandState::add_indices(const DrawnInput& input, CommandAccesses& draw) {
  const Binds::Indices& bound = binds.at(BindPoint::graphics).indices;
  if (!bound.buffer || !bound.index_bytes) return;
  for (const Elements& indices : input.elements) {
    const uint64_t begin = uint64_t{indices.first} * bound.index_bytes;
    MemoryRange range;
    range.address = bound.offset + begin;
    range.bytes = uint64_t{indices.count} * bound.index_bytes;
    if (bound.size != VK_WHOLE_SIZE && (begin > bound.size || range.bytes > bound.size - begin)) continue;
    draw.add(shared_.device, bound.buffer, range);
  }
}

// Which vertices indices name is only known on the device.
void CommandState::add_vertices(const DrawnInput& input, CommandAccesses& draw) {
  Binds& bound = binds.at(BindPoint::graphics);
  const VertexStage* const stage = bound.vertex.get();
  if (!stage || !stage->inputs) return;
  if (stage->dynamic_layout && !bound.dynamic_spans) {
    if (!bound.dynamic_layout) return;
    bound.dynamic_spans = read_spans(*bound.dynamic_layout, *stage->inputs);
  }
  for (const VertexSpan& span : stage->dynamic_layout ? *bound.dynamic_spans : stage->spans) {
    if (span.of.binding >= bound.vertices.size() || (input.indexed && !span.of.per_instance)) continue;
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
    } else {
      std::ranges::for_each(input.elements, add);
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
    return !fetched_.emplace(floors, range.address, range.bytes, range.rows, range.pitch).second;
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
