// Copies, fills and updates: what they do to buffers is entered first.
#include "layer/command_accesses.h"
#include "layer/command_state.h"

namespace shaderqa::layer {
namespace {

template <typename Handle>
uint64_t number_of(Handle handle) {
  return reinterpret_cast<uint64_t>(handle);
}

// describe(device, accesses): the arguments and the ranges, where those are of use.
template <typename Describe>
Device& before_transfer(VkCommandBuffer command_buffer, const char* command,
                        const Describe& describe) noexcept {
  return with_state(command_buffer, [&](Device& device, CommandState& state) {
    if (!state.enters_accesses()) return;
    CommandAccesses accesses;
    accesses.command = command;
    accesses.main_class = SQA_CLASS_TRANSFER;
    describe(device, accesses);
    state.enter(accesses);
  });
}

MemoryRange range_of(VkDeviceSize offset, VkDeviceSize bytes, bool writes) {
  MemoryRange range;
  range.address = offset;
  range.bytes = bytes;
  range.writes = writes;
  return range;
}

template <typename Region>
void describe_copy(const Device& device, CommandAccesses& accesses, VkBuffer source, VkBuffer destination,
                   uint32_t count, const Region* regions) {
  if (count == 1) {
    accesses.set_arguments(3, number_of(source), number_of(destination), regions->srcOffset,
                           regions->dstOffset, regions->size);
  } else {
    accesses.set_arguments(3, number_of(source), number_of(destination), count);
  }
  for (uint32_t i = 0; i < count; ++i) {
    accesses.add(device, source, range_of(regions[i].srcOffset, regions[i].size, false));
    accesses.add(device, destination, range_of(regions[i].dstOffset, regions[i].size, true));
  }
}

// Whole words, the rest of the buffer is left as it is.
void describe_fill(const Device& device, CommandAccesses& accesses, VkBuffer buffer, VkDeviceSize offset,
                   VkDeviceSize size) {
  const VkDeviceSize whole = device.buffers.place(buffer).size;
  if (size == VK_WHOLE_SIZE) size = offset < whole ? (whole - offset) / 4 * 4 : 0;
  accesses.set_arguments(1, number_of(buffer), offset, size);
  accesses.add(device, buffer, range_of(offset, size, true));
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL hooks::CmdCopyBuffer(VkCommandBuffer commandBuffer, VkBuffer srcBuffer,
                                                VkBuffer dstBuffer, uint32_t regionCount,
                                                const VkBufferCopy* pRegions) {
  Device& device =
      before_transfer(commandBuffer, "vkCmdCopyBuffer", [&](Device& of, CommandAccesses& accesses) {
        describe_copy(of, accesses, srcBuffer, dstBuffer, regionCount, pRegions);
      });
  device.next.CmdCopyBuffer(commandBuffer, srcBuffer, dstBuffer, regionCount, pRegions);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdCopyBuffer2(VkCommandBuffer commandBuffer,
                                                 const VkCopyBufferInfo2* pCopyBufferInfo) {
  const VkCopyBufferInfo2& info = *pCopyBufferInfo;
  Device& device =
      before_transfer(commandBuffer, "vkCmdCopyBuffer2", [&](Device& of, CommandAccesses& accesses) {
        describe_copy(of, accesses, info.srcBuffer, info.dstBuffer, info.regionCount, info.pRegions);
      });
  device.next.CmdCopyBuffer2(commandBuffer, pCopyBufferInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdFillBuffer(VkCommandBuffer commandBuffer, VkBuffer dstBuffer,
                                                VkDeviceSize dstOffset, VkDeviceSize size, uint32_t data) {
  Device& device =
      before_transfer(commandBuffer, "vkCmdFillBuffer", [&](Device& of, CommandAccesses& accesses) {
        describe_fill(of, accesses, dstBuffer, dstOffset, size);
      });
  device.next.CmdFillBuffer(commandBuffer, dstBuffer, dstOffset, size, data);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdUpdateBuffer(VkCommandBuffer commandBuffer, VkBuffer dstBuffer,
                                                  VkDeviceSize dstOffset, VkDeviceSize dataSize,
                                                  const void* pData) {
  Device& device =
      before_transfer(commandBuffer, "vkCmdUpdateBuffer", [&](Device& of, CommandAccesses& accesses) {
        describe_fill(of, accesses, dstBuffer, dstOffset, dataSize);
      });
  device.next.CmdUpdateBuffer(commandBuffer, dstBuffer, dstOffset, dataSize, pData);
}

}  // namespace shaderqa::layer
