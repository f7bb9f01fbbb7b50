// Index buffers: what indexed draws read of them is entered behind their render pass.
#include <algorithm>

#include "layer/command_state.h"
#include "layer/exact_state.h"

namespace shaderqa::layer {
namespace {

constexpr size_t kMostFetches = 1024;  // of a render pass

uint32_t bytes_of(VkIndexType type) {
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

}  // namespace

// What nothing writes by now is left out: most index buffers are written once, long before.
void CommandState::fetch_indices(const CommandAccesses& draw, uint32_t first, uint32_t count) {
  if (!exact_ || !can_dispatch_ || !in_pass_ || !pass_is_ours_ || conditional_ || active_queries_ > 0) return;
  const Binds::Indices& bound = binds.at(BindPoint::graphics).indices;
  if (!bound.buffer || !bound.index_bytes || fetches_.size() >= kMostFetches) return;
  MemoryRange range;
  range.address = bound.offset + uint64_t{first} * bound.index_bytes;
  range.bytes = uint64_t{count} * bound.index_bytes;
  const uint64_t begin = uint64_t{first} * bound.index_bytes;
  if (bound.size != VK_WHOLE_SIZE && (begin > bound.size || range.bytes > bound.size - begin)) return;
  CommandAccesses accesses = draw;
  accesses.main_class = SQA_CLASS_VERTEX_INPUT;
  accesses.add(shared_.device, bound.buffer, range);
  if (accesses.ranges.empty() || !prepare_records() || !shared_.device.exact->range_pipeline()) return;
  ExactEngine& engine = *shared_.device.exact;
  if (!engine.is_written(accesses.ranges.front().address, range.bytes)) return;
  const VkDeviceAddress floors = exact_->floors(SQA_CLASS_VERTEX_INPUT, arena);
  const bool known = std::ranges::any_of(fetches_, [&](const RangeEntry& entry) {
    return entry.floors == floors && entry.ranges == accesses.ranges;
  });
  RangeEntry entry;
  if (!known && take_entry(accesses, entry)) fetches_.push_back(std::move(entry));
}

void CommandState::enter_fetches() {
  if (fetches_.empty() || in_pass_) return;
  enter_now(fetches_);
  fetches_.clear();
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBindIndexBuffer(VkCommandBuffer commandBuffer, VkBuffer buffer,
                                                     VkDeviceSize offset, VkIndexType indexType) {
  Device& device = with_state(commandBuffer, [&](Device&, CommandState& state) {
    state.binds.at(BindPoint::graphics).indices = {buffer, offset, VK_WHOLE_SIZE, bytes_of(indexType)};
  });
  device.next.CmdBindIndexBuffer(commandBuffer, buffer, offset, indexType);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBindIndexBuffer2(VkCommandBuffer commandBuffer, VkBuffer buffer,
                                                      VkDeviceSize offset, VkDeviceSize size,
                                                      VkIndexType indexType) {
  Device& device = with_state(commandBuffer, [&](Device&, CommandState& state) {
    state.binds.at(BindPoint::graphics).indices = {buffer, offset, size, bytes_of(indexType)};
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
