// SPDX-License-Identifier: Apache-2.0
// What draws read of their index and vertex buffers, and indirect commands of their arguments.
#include <algorithm>

#include "instrument/runtime/abi_order.h"
#include "layer/recording/command_recorder.h"
#include "layer/resources/buffer_table.h"

namespace shaderqa::layer {
namespace {

// range.address: offset in the buffer.
bool may_be_written(const Device& device, VkBuffer buffer, const MemoryRange& range) {
  const BufferTable::BoundRange place = device.buffers.place(buffer);
  const uint64_t end = end_of(range);
  return place.address && end != 0 &&
         device.engine->may_be_written(place.address + range.address, end - range.address);
}

}  // namespace

bool CommandRecorder::is_written(VkBuffer buffer, uint64_t& unwritten, uint64_t generation) {
  if (!buffer || unwritten == generation) return false;
  const bool written =
      device.buffers.is_written(buffer, generation, [&](VkDeviceAddress address, VkDeviceSize size) {
        return device.engine->may_be_written(address, size);
      });
  if (!written) unwritten = generation;
  return written;
}

// Most index and vertex buffers are written once, long before: nothing has to be worked out for them.
bool CommandRecorder::may_fetch_written(bool indexed) {
  Binds& bound = binds.at(BindPoint::graphics);
  const VertexStage* const stage = bound.vertex.get();
  const bool dynamic = stage && stage->dynamic_layout;
  const uint64_t generation = device.engine->written_generation();
  if (generation == 0) return true;
  if (indexed && is_written(bound.indices.buffer, bound.indices.unwritten, generation)) return true;
  if (!stage) return false;
  if (dynamic && !bound.dynamic_spans) return true;
  for (const VertexSpan& span : dynamic ? *bound.dynamic_spans : stage->spans) {
    if (span.of.binding >= bound.vertices.size()) continue;
    Binds::Vertices& vertices = bound.vertices[span.of.binding];
    if (is_written(vertices.buffer, vertices.unwritten, generation)) return true;
  }
  return false;
}

// Nothing if their type or their buffer is not known.
std::optional<CommandRecorder::BoundIndices> CommandRecorder::bound_indices() {
  const Binds::Indices& bound = binds.at(BindPoint::graphics).indices;
  if (!bound.buffer || !bound.index_bytes) return std::nullopt;
  const BufferTable::BoundRange place = device.buffers.place(bound.buffer);
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
    draw.add(device, bound.buffer, range);
  }
  MemoryRange range;
  range.address = bound.offset;
  range.bytes = range.pitch = bound.bytes;
  range.rows = bound.count;
  if (input.indirect.empty() || !may_be_written(device, bound.buffer, range)) return;
  for (const DrawArguments& arguments : input.indirect) {
    range.drawn = drawn_elements(arguments);
    draw.add(device, bound.buffer, range);
  }
}

// For draws whose elements the host knows. Elements that are not all within what is bound are left out.
void CommandRecorder::add_elements(const DrawnInput& input, const VertexSpan& span, uint32_t stride,
                                   CommandAccesses& draw) {
  const Binds::Vertices& vertices = binds.at(BindPoint::graphics).vertices[span.of.binding];
  const auto add = [&](const Elements& elements) {
    MemoryRange range = elements_range(span, stride, elements);
    if (vertices.size != VK_WHOLE_SIZE && end_of(range) > vertices.size) return;
    range.address += vertices.offset;
    draw.add(device, vertices.buffer, range);
  };
  if (span.of.per_instance) return add(instances_read(span.of, input.first_instance, input.instances));
  for (const Elements& elements : input.elements) {
    if (!input.indexed)
      add(elements);
    else if (elements.count != 0)
      add({0, 1});
  }
}

// For draws whose elements only the device knows, because indices name the vertices or the arguments are in
// memory: all elements within what is bound.
void CommandRecorder::add_late(const DrawnInput& input, const VertexSpan& span, uint32_t stride,
                               const std::optional<BoundIndices>& indices, CommandAccesses& draw) {
  const Binds::Vertices& vertices = binds.at(BindPoint::graphics).vertices[span.of.binding];
  const BufferTable::BoundRange place = device.buffers.place(vertices.buffer);
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
  if (!may_be_written(device, vertices.buffer, range)) return;
  for (const DrawArguments& arguments : input.indirect) {
    range.drawn = span.of.per_instance ? drawn_instances(arguments, span.of) : drawn_elements(arguments);
    draw.add(device, vertices.buffer, range);
  }
  for (const Elements& elements : input.elements) {
    if (elements.count == 0 || !indices->holds(elements)) continue;
    range.rows = elements.count;
    range.named.indices = indices->address + uint64_t{elements.first} * indices->bytes;
    range.named.offset = elements.vertex_offset;
    draw.add(device, vertices.buffer, range);
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

void CommandRecorder::fetch_input(CommandAccesses draw, const DrawnInput& input) {
  draw.main_class = SQA_CLASS_VERTEX_INPUT;
  const std::optional<BoundIndices> indices = input.indexed ? bound_indices() : std::nullopt;
  if (indices) add_indices(input, *indices, draw);
  add_vertices(input, indices, draw);
  engine_->record_input(std::move(draw));
}

// The shaders of an action with a record check its arguments, as one range, if they have the code for that.
// All other arguments are accesses of the command itself.
void CommandRecorder::record_arguments(Action& action, bool needs_record) {
  const IndirectArguments arguments = action.indirect;
  if (!arguments.address) return;
  action.workgroups = UINT64_MAX;  // not known
  if (recorded->left_out || !selected_) return;
  const bool by_shader = needs_record && binds.at(action.point).checks_indirect && arguments.is_one_range();
  if (!fetches_input_ || by_shader) return;
  action.indirect = {};
  const bool can = in_pass ? engine_->can_record_input() : engine_->can_record_accesses() && !conditional;
  if (!can) {
    const std::string what = std::string("what ") + action.command + " reads of its arguments";
    if (!in_pass)
      device.note(what,
                  what +
                      " is not checked for synchronisation under conditional rendering, and while some "
                      "queries are active",
                  Concern::sync);
    return;
  }
  CommandAccesses accesses;
  accesses.command = action.command;
  accesses.arguments = action.arguments;
  accesses.main_class = SQA_CLASS_INDIRECT;
  accesses.same_command = true;
  MemoryRange range;
  range.address = arguments.address;
  range.bytes = arguments.bytes;
  range.rows = arguments.commands;
  range.pitch = arguments.stride;
  range.arguments = true;
  range.drawn.draws = arguments.count_address;
  accesses.add(device, range);
  if (arguments.count_address)
    accesses.add(device, {.address = arguments.count_address, .bytes = sizeof(uint32_t), .arguments = true});
  if (accesses.ranges.empty()) return;
  if (in_pass)
    engine_->record_input(std::move(accesses));
  else
    engine_->record_accesses(accesses);
}

// Within a render pass it is entered behind the pass, as what draws read.
void CommandRecorder::read_predicate(const char* command, VkBuffer buffer, VkDeviceSize offset) {
  if (recorded->left_out || !(in_pass ? engine_->can_record_input() : can_record_accesses())) return;
  CommandAccesses accesses;
  accesses.command = command;
  accesses.main_class = SQA_CLASS_CONDITION;
  accesses.arguments = CommandArguments(HandleArgument(buffer), offset);
  accesses.add(device, buffer, {.address = offset, .bytes = sizeof(uint32_t)});
  if (accesses.ranges.empty()) return;
  if (!in_pass) {
    record_accesses(accesses);
  } else if (checks_next()) {
    engine_->record_input(std::move(accesses));
  }
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

VKAPI_ATTR void VKAPI_CALL hooks::CmdBindIndexBuffer3KHR(VkCommandBuffer commandBuffer,
                                                         const VkBindIndexBuffer3InfoKHR* pInfo) {
  Device& device = with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    const BufferTable::Location at = of.buffers.locate(pInfo->addressRange.address);
    state.binds.at(BindPoint::graphics).indices = {at.handle, at.offset, pInfo->addressRange.size,
                                                   index_bytes(pInfo->indexType)};
  });
  device.next.CmdBindIndexBuffer3KHR(commandBuffer, pInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBeginConditionalRendering2EXT(
    VkCommandBuffer commandBuffer, const VkConditionalRenderingBeginInfo2EXT* pConditionalRenderingBegin) {
  Device& device = with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    const auto [buffer, offset] = of.buffers.locate(pConditionalRenderingBegin->addressRange.address);
    state.read_predicate("vkCmdBeginConditionalRendering2EXT", buffer, offset);
    state.condition(true);
  });
  device.next.CmdBeginConditionalRendering2EXT(commandBuffer, pConditionalRenderingBegin);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBeginConditionalRenderingEXT(
    VkCommandBuffer commandBuffer, const VkConditionalRenderingBeginInfoEXT* pConditionalRenderingBegin) {
  Device& device = with_recorder(commandBuffer, [&](Device&, CommandRecorder& state) {
    state.read_predicate("vkCmdBeginConditionalRenderingEXT", pConditionalRenderingBegin->buffer,
                         pConditionalRenderingBegin->offset);
    state.condition(true);
  });
  device.next.CmdBeginConditionalRenderingEXT(commandBuffer, pConditionalRenderingBegin);
}

// Copies and fills ignore the condition, but the dispatch that enters their accesses would not.
VKAPI_ATTR void VKAPI_CALL hooks::CmdEndConditionalRenderingEXT(VkCommandBuffer commandBuffer) {
  device_of(commandBuffer).next.CmdEndConditionalRenderingEXT(commandBuffer);
  with_recorder(commandBuffer, [](Device&, CommandRecorder& state) { state.condition(false); });
}

}  // namespace shaderqa::layer
