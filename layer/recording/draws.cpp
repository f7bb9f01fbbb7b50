// SPDX-License-Identifier: Apache-2.0
// Draws: each gets its record first.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "layer/recording/action_commands.h"
#include "layer/recording/unfollowed_accesses.h"
#include "layer/resources/buffer_table.h"

namespace shaderqa::layer {
namespace {

constexpr uint32_t kMostDraws = 64;  // of an indirect command, whose input is looked at

// What is fetched for the vertices of a draw.
enum class Input : uint8_t { none, vertices, indices };

struct IndirectDraw {
  const char* command;
  VkBuffer buffer;
  VkDeviceSize offset;
  uint32_t count;  // at most
  uint32_t stride;
  uint32_t size;
  Input input = Input::none;
  VkBuffer count_buffer = VK_NULL_HANDLE;  // says how many of the draws are made; none: all
  VkDeviceSize count_offset = 0;
};

CommandArguments command_arguments(const IndirectDraw& draw) {
  const HandleArgument buffer(draw.buffer);
  if (!draw.count_buffer) return CommandArguments(buffer, draw.offset, draw.count, draw.stride);
  return CommandArguments(buffer, draw.offset, HandleArgument(draw.count_buffer), draw.count_offset,
                          draw.count);
}

void fetch_input(CommandRecorder& state, const char* command, const CommandArguments& arguments,
                 const DrawnInput& input) {
  const bool any = std::ranges::any_of(input.elements, &Elements::count);
  if (!any || input.instances == 0 || !state.engine().can_record_input()) return;
  CommandAccesses draw;
  draw.command = command;
  draw.arguments = arguments;
  state.fetch_input(std::move(draw), input);
}

// Before a draw whose arguments the command holds. input(): what it fetches; only called if that matters.
template <typename Input, typename... Arguments>
Device& before_draw(VkCommandBuffer command_buffer, const char* command, bool indexed, const Input& input,
                    Arguments... arguments) noexcept {
  return with_recorder(command_buffer, [&](Device&, CommandRecorder& state) {
    if (state.count_action(BindPoint::graphics))
      state.before_action(Action(command, BindPoint::graphics, arguments...));
    if (state.may_fetch_input(indexed)) fetch_input(state, command, CommandArguments(arguments...), input());
  });
}

// The draws whose arguments lie within the buffer. In a correct program all do.
std::vector<DrawArguments> arguments_of(const Device& device, const IndirectDraw& draw) {
  using Place = BufferTable::BoundRange;
  const auto within = [](const Place& place, VkDeviceSize offset, uint32_t size) -> VkDeviceAddress {
    const bool fits = place.size >= size && offset <= place.size - size && offset % 4 == 0;
    return place.address && fits ? place.address + offset : 0;
  };
  const Place place = device.buffers.place(draw.buffer);
  VkDeviceAddress draws = 0;
  if (draw.count_buffer) {
    draws = within(device.buffers.place(draw.count_buffer), draw.count_offset, sizeof(uint32_t));
    if (!draws) return {};
  }
  std::vector<DrawArguments> all;
  for (uint32_t i = 0; i < std::min(draw.count, kMostDraws); ++i) {
    const VkDeviceAddress address = within(place, draw.offset + uint64_t{i} * draw.stride, draw.size);
    if (!address) break;
    all.push_back({address, draw.input == Input::indices, draws, draws ? i : 0});
  }
  return all;
}

void fetch_indirect_input(const Device& device, CommandRecorder& state, const IndirectDraw& draw) {
  const bool indexed = draw.input == Input::indices;
  if (draw.input == Input::none || draw.count == 0 || !state.may_fetch_input(indexed) ||
      !state.engine().can_record_input())
    return;
  const std::vector<DrawArguments> arguments = arguments_of(device, draw);
  if (arguments.empty()) return;
  CommandAccesses accesses;
  accesses.command = draw.command;
  accesses.arguments = command_arguments(draw);
  DrawnInput input;
  input.indexed = indexed;
  input.indirect = arguments;
  state.fetch_input(std::move(accesses), input);
}

void record_indirect_draw(const Device& device, CommandRecorder& state, const IndirectDraw& draw) {
  state.before_indirect(BindPoint::graphics, [&] {
    Action action(draw.command, BindPoint::graphics, command_arguments(draw));
    action.indirect = arguments_at(device, draw.buffer, draw.offset, draw.count, draw.stride, draw.size);
    if (draw.count_buffer)
      action.indirect.count_address = address_of(device, draw.count_buffer, draw.count_offset);
    return action;
  });
  fetch_indirect_input(device, state, draw);
}

Device& before_indirect_draw(VkCommandBuffer command_buffer, const IndirectDraw& draw) noexcept {
  return with_recorder(command_buffer, [&](Device& device, CommandRecorder& state) {
    record_indirect_draw(device, state, draw);
  });
}

// draw: what of it is no address.
Device& before_addressed_draw(VkCommandBuffer command_buffer, IndirectDraw draw,
                              const VkStridedDeviceAddressRangeKHR& range,
                              VkDeviceAddress count_address = 0) noexcept {
  return with_recorder(command_buffer, [&](Device& device, CommandRecorder& state) {
    const BufferTable::Location at = device.buffers.locate(range.address);
    const BufferTable::Location count =
        count_address ? device.buffers.locate(count_address) : BufferTable::Location();
    draw.buffer = at.handle;
    draw.offset = at.offset;
    draw.stride = static_cast<uint32_t>(range.stride);
    draw.count_buffer = count.handle;
    draw.count_offset = count.offset;
    // How many of the draws are made is not known.
    if (count_address && !count.handle) {
      draw.buffer = VK_NULL_HANDLE;
      draw.input = Input::none;
    }
    record_indirect_draw(device, state, draw);
  });
}
Device& before_addressed_draw(VkCommandBuffer command_buffer, const char* command,
                              const VkDrawIndirect2InfoKHR& info, uint32_t size,
                              Input input = Input::none) noexcept {
  return before_addressed_draw(command_buffer, {command, {}, 0, info.drawCount, 0, size, input},
                               info.addressRange);
}
Device& before_addressed_draw(VkCommandBuffer command_buffer, const char* command,
                              const VkDrawIndirectCount2InfoKHR& info, uint32_t size,
                              Input input = Input::none) noexcept {
  return before_addressed_draw(command_buffer, {command, {}, 0, info.maxDrawCount, 0, size, input},
                               info.addressRange, info.countAddressRange.address);
}

Elements elements_of(const VkMultiDrawInfoEXT& draw) { return {draw.firstVertex, draw.vertexCount}; }
Elements elements_of(const VkMultiDrawIndexedInfoEXT& draw) {
  return {draw.firstIndex, draw.indexCount, draw.vertexOffset};
}

template <typename Info>
std::vector<Elements> elements_of_all(const Info* infos, uint32_t count, uint32_t stride,
                                      const int32_t* vertex_offset = nullptr) {
  std::vector<Elements> all(count);
  for (uint32_t i = 0; i < count; ++i) {
    Info info;
    std::memcpy(&info, reinterpret_cast<const std::byte*>(infos) + size_t{i} * stride, sizeof info);
    all[i] = elements_of(info);
    if (vertex_offset) all[i].vertex_offset = *vertex_offset;
  }
  return all;
}

// A draw of mesh or task shaders, or of clusters.
Device& before_workgroups(VkCommandBuffer command_buffer, uint64_t workgroups, Action action) {
  return before_made_action(command_buffer, BindPoint::graphics, [&](Device&) {
    action.workgroups = workgroups;
    return action;
  });
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL hooks::CmdDraw(VkCommandBuffer commandBuffer, uint32_t vertexCount,
                                          uint32_t instanceCount, uint32_t firstVertex,
                                          uint32_t firstInstance) {
  const Elements vertices{firstVertex, vertexCount};
  Device& device = before_draw(
      commandBuffer, "vkCmdDraw", false,
      [&] {
        return DrawnInput{false, firstInstance, instanceCount, {&vertices, 1}};
      },
      vertexCount, instanceCount, firstVertex, firstInstance);
  device.next.CmdDraw(commandBuffer, vertexCount, instanceCount, firstVertex, firstInstance);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawIndexed(VkCommandBuffer commandBuffer, uint32_t indexCount,
                                                 uint32_t instanceCount, uint32_t firstIndex,
                                                 int32_t vertexOffset, uint32_t firstInstance) {
  const Elements indices{firstIndex, indexCount, vertexOffset};
  Device& device = before_draw(
      commandBuffer, "vkCmdDrawIndexed", true,
      [&] {
        return DrawnInput{true, firstInstance, instanceCount, {&indices, 1}};
      },
      indexCount, instanceCount, firstIndex, vertexOffset, firstInstance);
  device.next.CmdDrawIndexed(commandBuffer, indexCount, instanceCount, firstIndex, vertexOffset,
                             firstInstance);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawMultiEXT(VkCommandBuffer commandBuffer, uint32_t drawCount,
                                                  const VkMultiDrawInfoEXT* pVertexInfo,
                                                  uint32_t instanceCount, uint32_t firstInstance,
                                                  uint32_t stride) {
  std::vector<Elements> all;
  Device& device = before_draw(
      commandBuffer, "vkCmdDrawMultiEXT", false,
      [&] {
        all = elements_of_all(pVertexInfo, drawCount, stride);
        return DrawnInput{false, firstInstance, instanceCount, all};
      },
      drawCount, instanceCount, firstInstance);
  device.next.CmdDrawMultiEXT(commandBuffer, drawCount, pVertexInfo, instanceCount, firstInstance, stride);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawMultiIndexedEXT(VkCommandBuffer commandBuffer, uint32_t drawCount,
                                                         const VkMultiDrawIndexedInfoEXT* pIndexInfo,
                                                         uint32_t instanceCount, uint32_t firstInstance,
                                                         uint32_t stride, const int32_t* pVertexOffset) {
  std::vector<Elements> all;
  Device& device = before_draw(
      commandBuffer, "vkCmdDrawMultiIndexedEXT", true,
      [&] {
        all = elements_of_all(pIndexInfo, drawCount, stride, pVertexOffset);
        return DrawnInput{true, firstInstance, instanceCount, all};
      },
      drawCount, instanceCount, firstInstance);
  device.next.CmdDrawMultiIndexedEXT(commandBuffer, drawCount, pIndexInfo, instanceCount, firstInstance,
                                     stride, pVertexOffset);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawIndirect(VkCommandBuffer commandBuffer, VkBuffer buffer,
                                                  VkDeviceSize offset, uint32_t drawCount, uint32_t stride) {
  Device& device =
      before_indirect_draw(commandBuffer, {"vkCmdDrawIndirect", buffer, offset, drawCount, stride,
                                           sizeof(VkDrawIndirectCommand), Input::vertices});
  device.next.CmdDrawIndirect(commandBuffer, buffer, offset, drawCount, stride);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawIndexedIndirect(VkCommandBuffer commandBuffer, VkBuffer buffer,
                                                         VkDeviceSize offset, uint32_t drawCount,
                                                         uint32_t stride) {
  Device& device =
      before_indirect_draw(commandBuffer, {"vkCmdDrawIndexedIndirect", buffer, offset, drawCount, stride,
                                           sizeof(VkDrawIndexedIndirectCommand), Input::indices});
  device.next.CmdDrawIndexedIndirect(commandBuffer, buffer, offset, drawCount, stride);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawMeshTasksIndirectEXT(VkCommandBuffer commandBuffer, VkBuffer buffer,
                                                              VkDeviceSize offset, uint32_t drawCount,
                                                              uint32_t stride) {
  Device& device =
      before_indirect_draw(commandBuffer, {"vkCmdDrawMeshTasksIndirectEXT", buffer, offset, drawCount, stride,
                                           sizeof(VkDrawMeshTasksIndirectCommandEXT)});
  device.next.CmdDrawMeshTasksIndirectEXT(commandBuffer, buffer, offset, drawCount, stride);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawMeshTasksIndirectNV(VkCommandBuffer commandBuffer, VkBuffer buffer,
                                                             VkDeviceSize offset, uint32_t drawCount,
                                                             uint32_t stride) {
  Device& device =
      before_indirect_draw(commandBuffer, {"vkCmdDrawMeshTasksIndirectNV", buffer, offset, drawCount, stride,
                                           sizeof(VkDrawMeshTasksIndirectCommandNV)});
  device.next.CmdDrawMeshTasksIndirectNV(commandBuffer, buffer, offset, drawCount, stride);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawIndirectCount(VkCommandBuffer commandBuffer, VkBuffer buffer,
                                                       VkDeviceSize offset, VkBuffer countBuffer,
                                                       VkDeviceSize countBufferOffset, uint32_t maxDrawCount,
                                                       uint32_t stride) {
  Device& device = before_indirect_draw(
      commandBuffer, {"vkCmdDrawIndirectCount", buffer, offset, maxDrawCount, stride,
                      sizeof(VkDrawIndirectCommand), Input::vertices, countBuffer, countBufferOffset});
  device.next.CmdDrawIndirectCount(commandBuffer, buffer, offset, countBuffer, countBufferOffset,
                                   maxDrawCount, stride);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawIndexedIndirectCount(VkCommandBuffer commandBuffer, VkBuffer buffer,
                                                              VkDeviceSize offset, VkBuffer countBuffer,
                                                              VkDeviceSize countBufferOffset,
                                                              uint32_t maxDrawCount, uint32_t stride) {
  Device& device = before_indirect_draw(
      commandBuffer, {"vkCmdDrawIndexedIndirectCount", buffer, offset, maxDrawCount, stride,
                      sizeof(VkDrawIndexedIndirectCommand), Input::indices, countBuffer, countBufferOffset});
  device.next.CmdDrawIndexedIndirectCount(commandBuffer, buffer, offset, countBuffer, countBufferOffset,
                                          maxDrawCount, stride);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawMeshTasksIndirectCountEXT(VkCommandBuffer commandBuffer,
                                                                   VkBuffer buffer, VkDeviceSize offset,
                                                                   VkBuffer countBuffer,
                                                                   VkDeviceSize countBufferOffset,
                                                                   uint32_t maxDrawCount, uint32_t stride) {
  Device& device =
      before_indirect_draw(commandBuffer, {"vkCmdDrawMeshTasksIndirectCountEXT", buffer, offset, maxDrawCount,
                                           stride, sizeof(VkDrawMeshTasksIndirectCommandEXT), Input::none,
                                           countBuffer, countBufferOffset});
  device.next.CmdDrawMeshTasksIndirectCountEXT(commandBuffer, buffer, offset, countBuffer, countBufferOffset,
                                               maxDrawCount, stride);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawMeshTasksIndirectCountNV(VkCommandBuffer commandBuffer,
                                                                  VkBuffer buffer, VkDeviceSize offset,
                                                                  VkBuffer countBuffer,
                                                                  VkDeviceSize countBufferOffset,
                                                                  uint32_t maxDrawCount, uint32_t stride) {
  Device& device = before_indirect_draw(
      commandBuffer, {"vkCmdDrawMeshTasksIndirectCountNV", buffer, offset, maxDrawCount, stride,
                      sizeof(VkDrawMeshTasksIndirectCommandNV), Input::none, countBuffer, countBufferOffset});
  device.next.CmdDrawMeshTasksIndirectCountNV(commandBuffer, buffer, offset, countBuffer, countBufferOffset,
                                              maxDrawCount, stride);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawIndirect2KHR(VkCommandBuffer commandBuffer,
                                                      const VkDrawIndirect2InfoKHR* pInfo) {
  Device& device = before_addressed_draw(commandBuffer, "vkCmdDrawIndirect2KHR", *pInfo,
                                         sizeof(VkDrawIndirectCommand), Input::vertices);
  device.next.CmdDrawIndirect2KHR(commandBuffer, pInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawIndexedIndirect2KHR(VkCommandBuffer commandBuffer,
                                                             const VkDrawIndirect2InfoKHR* pInfo) {
  Device& device = before_addressed_draw(commandBuffer, "vkCmdDrawIndexedIndirect2KHR", *pInfo,
                                         sizeof(VkDrawIndexedIndirectCommand), Input::indices);
  device.next.CmdDrawIndexedIndirect2KHR(commandBuffer, pInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawMeshTasksIndirect2EXT(VkCommandBuffer commandBuffer,
                                                               const VkDrawIndirect2InfoKHR* pInfo) {
  Device& device = before_addressed_draw(commandBuffer, "vkCmdDrawMeshTasksIndirect2EXT", *pInfo,
                                         sizeof(VkDrawMeshTasksIndirectCommandEXT));
  device.next.CmdDrawMeshTasksIndirect2EXT(commandBuffer, pInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawIndirectCount2KHR(VkCommandBuffer commandBuffer,
                                                           const VkDrawIndirectCount2InfoKHR* pInfo) {
  Device& device = before_addressed_draw(commandBuffer, "vkCmdDrawIndirectCount2KHR", *pInfo,
                                         sizeof(VkDrawIndirectCommand), Input::vertices);
  device.next.CmdDrawIndirectCount2KHR(commandBuffer, pInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawIndexedIndirectCount2KHR(VkCommandBuffer commandBuffer,
                                                                  const VkDrawIndirectCount2InfoKHR* pInfo) {
  Device& device = before_addressed_draw(commandBuffer, "vkCmdDrawIndexedIndirectCount2KHR", *pInfo,
                                         sizeof(VkDrawIndexedIndirectCommand), Input::indices);
  device.next.CmdDrawIndexedIndirectCount2KHR(commandBuffer, pInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawMeshTasksIndirectCount2EXT(
    VkCommandBuffer commandBuffer, const VkDrawIndirectCount2InfoKHR* pInfo) {
  Device& device = before_addressed_draw(commandBuffer, "vkCmdDrawMeshTasksIndirectCount2EXT", *pInfo,
                                         sizeof(VkDrawMeshTasksIndirectCommandEXT));
  device.next.CmdDrawMeshTasksIndirectCount2EXT(commandBuffer, pInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawMeshTasksEXT(VkCommandBuffer commandBuffer, uint32_t groupCountX,
                                                      uint32_t groupCountY, uint32_t groupCountZ) {
  Device& device = before_workgroups(
      commandBuffer, uint64_t{groupCountX} * groupCountY * groupCountZ,
      {"vkCmdDrawMeshTasksEXT", BindPoint::graphics, groupCountX, groupCountY, groupCountZ});
  device.next.CmdDrawMeshTasksEXT(commandBuffer, groupCountX, groupCountY, groupCountZ);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawMeshTasksNV(VkCommandBuffer commandBuffer, uint32_t taskCount,
                                                     uint32_t firstTask) {
  Device& device = before_workgroups(commandBuffer, taskCount,
                                     {"vkCmdDrawMeshTasksNV", BindPoint::graphics, taskCount, firstTask});
  device.next.CmdDrawMeshTasksNV(commandBuffer, taskCount, firstTask);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawClusterHUAWEI(VkCommandBuffer commandBuffer, uint32_t groupCountX,
                                                       uint32_t groupCountY, uint32_t groupCountZ) {
  Device& device = before_workgroups(
      commandBuffer, uint64_t{groupCountX} * groupCountY * groupCountZ,
      {"vkCmdDrawClusterHUAWEI", BindPoint::graphics, groupCountX, groupCountY, groupCountZ});
  device.next.CmdDrawClusterHUAWEI(commandBuffer, groupCountX, groupCountY, groupCountZ);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawClusterIndirectHUAWEI(VkCommandBuffer commandBuffer, VkBuffer buffer,
                                                               VkDeviceSize offset) {
  constexpr uint32_t size = 3 * sizeof(uint32_t);  // as the arguments of a dispatch
  Device& device =
      before_indirect_draw(commandBuffer, {"vkCmdDrawClusterIndirectHUAWEI", buffer, offset, 1, size, size});
  device.next.CmdDrawClusterIndirectHUAWEI(commandBuffer, buffer, offset);
}

}  // namespace shaderqa::layer
