// SPDX-License-Identifier: Apache-2.0
// Acceleration structures: the engine is told what their builds and copies do to buffers.
#include <algorithm>

#include "instrument/runtime/abi_order.h"
#include "layer/accesses/build_inputs.h"
#include "layer/recording/transfers.h"
#include "layer/recording/unfollowed_accesses.h"
#include "layer/resources/buffer_table.h"
#include "layer/resources/object_facts.h"

namespace shaderqa::layer {
namespace {

// Adds the memory of a structure, or its first `most` bytes.
void add_structure(const Device& device, CommandAccesses& accesses, VkAccelerationStructureKHR handle,
                   bool writes, VkDeviceSize most = VK_WHOLE_SIZE) {
  const StructureFacts* const structure = handle ? device.object_facts.structures.find(handle) : nullptr;
  if (!structure) return;
  MemoryRange range;
  range.address = structure->offset;
  range.bytes = std::min(structure->size, most);
  range.writes = writes;
  accesses.add(device, structure->buffer, range);
}

void keep_structure(Device& device, VkAccelerationStructureKHR handle, const BufferTable::Location& at,
                    VkDeviceSize size) noexcept {
  if (!device.engine->needs.command_accesses) return;
  guarded([&] {
    device.object_facts.structures.emplace(handle, StructureFacts{at.handle, at.offset, size});
  });
}

VkAccelerationStructureBuildSizesInfoKHR sizes_of(const Device& device,
                                                  const VkAccelerationStructureBuildGeometryInfoKHR& info,
                                                  const uint32_t* primitives) {
  VkAccelerationStructureBuildSizesInfoKHR sizes{};
  sizes.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR;
  device.next.GetAccelerationStructureBuildSizesKHR(
      device.handle, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, &info, primitives, &sizes);
  return sizes;
}

// primitives: of each geometry, at most.
void describe_results(const Device& device, CommandAccesses& accesses,
                      const VkAccelerationStructureBuildGeometryInfoKHR& info, const uint32_t* primitives) {
  const bool is_update = info.mode == VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR;
  const VkAccelerationStructureBuildSizesInfoKHR sizes = sizes_of(device, info, primitives);
  if (is_update && info.srcAccelerationStructure != info.dstAccelerationStructure) {
    add_structure(device, accesses, info.srcAccelerationStructure, false, sizes.accelerationStructureSize);
  }
  add_structure(device, accesses, info.dstAccelerationStructure, true, sizes.accelerationStructureSize);
  MemoryRange scratch;
  scratch.address = info.scratchData.deviceAddress;
  scratch.bytes = is_update ? sizes.updateScratchSize : sizes.buildScratchSize;
  scratch.writes = true;
  accesses.add(device, scratch);
}

void describe_build(const Device& device, CommandAccesses& accesses,
                    const VkAccelerationStructureBuildGeometryInfoKHR& info,
                    const VkAccelerationStructureBuildRangeInfoKHR* ranges) {
  const bool is_update = info.mode == VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR;
  std::vector<uint32_t> primitives;
  for (uint32_t i = 0; i < info.geometryCount; ++i) {
    primitives.push_back(ranges[i].primitiveCount);
    for (const MemoryRange& input : build_inputs(geometry_of(info, i), ranges[i], is_update)) {
      accesses.add(device, input);
    }
  }
  describe_results(device, accesses, info, primitives.data());
}

MemoryRange build_arguments(VkDeviceAddress address, uint32_t stride, uint32_t geometries) {
  MemoryRange range;
  range.address = address;
  range.bytes = sizeof(VkAccelerationStructureBuildRangeInfoKHR);
  range.rows = geometries;
  range.pitch = stride;
  return range;
}

// What such a build reads that only the device knows. indirect: its geometries' places, too.
void note_unfollowed_input(VkCommandBuffer commands, const VkAccelerationStructureBuildGeometryInfoKHR& info,
                           bool indirect) {
  if (indirect) note_unfollowed(commands, {UnfollowedAccess::indirect_builds});
  for (uint32_t i = 0; i < info.geometryCount; ++i) {
    const VkAccelerationStructureGeometryKHR& geometry = geometry_of(info, i);
    if (geometry.geometryType == VK_GEOMETRY_TYPE_INSTANCES_KHR)
      note_unfollowed(commands, {UnfollowedAccess::instances});
    if (!indirect && geometry.geometryType == VK_GEOMETRY_TYPE_TRIANGLES_KHR &&
        geometry.geometry.triangles.indexType != VK_INDEX_TYPE_NONE_KHR)
      note_unfollowed(commands, {UnfollowedAccess::indexed_builds});
  }
}

// describe(device, accesses): as for before_transfer().
template <typename Describe>
Device& before_build(VkCommandBuffer command_buffer, const char* command, const Describe& describe) noexcept {
  return before_transfer(command_buffer, command, [&](Device& device, CommandAccesses& accesses) {
    accesses.main_class = SQA_CLASS_BUILD;
    describe(device, accesses);
  });
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateAccelerationStructureKHR(
    VkDevice handle, const VkAccelerationStructureCreateInfoKHR* pCreateInfo,
    const VkAllocationCallbacks* pAllocator, VkAccelerationStructureKHR* pAccelerationStructure) {
  Device& device = device_of(handle);
  const VkResult result =
      device.next.CreateAccelerationStructureKHR(handle, pCreateInfo, pAllocator, pAccelerationStructure);
  if (result == VK_SUCCESS)
    keep_structure(device, *pAccelerationStructure, {pCreateInfo->buffer, pCreateInfo->offset},
                   pCreateInfo->size);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateAccelerationStructure2KHR(
    VkDevice handle, const VkAccelerationStructureCreateInfo2KHR* pCreateInfo,
    const VkAllocationCallbacks* pAllocator, VkAccelerationStructureKHR* pAccelerationStructure) {
  Device& device = device_of(handle);
  const VkResult result =
      device.next.CreateAccelerationStructure2KHR(handle, pCreateInfo, pAllocator, pAccelerationStructure);
  if (result == VK_SUCCESS)
    keep_structure(device, *pAccelerationStructure, device.buffers.locate(pCreateInfo->addressRange.address),
                   pCreateInfo->addressRange.size);
  return result;
}

VKAPI_ATTR void VKAPI_CALL
hooks::DestroyAccelerationStructureKHR(VkDevice handle, VkAccelerationStructureKHR accelerationStructure,
                                       const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  if (accelerationStructure && device.engine->needs.command_accesses)
    guarded([&] { device.object_facts.structures.erase(accelerationStructure); });
  device.next.DestroyAccelerationStructureKHR(handle, accelerationStructure, pAllocator);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBuildAccelerationStructuresKHR(
    VkCommandBuffer commandBuffer, uint32_t infoCount,
    const VkAccelerationStructureBuildGeometryInfoKHR* pInfos,
    const VkAccelerationStructureBuildRangeInfoKHR* const* ppBuildRangeInfos) {
  for (uint32_t i = 0; i < infoCount; ++i) note_unfollowed_input(commandBuffer, pInfos[i], false);
  Device& device = before_build(commandBuffer, "vkCmdBuildAccelerationStructuresKHR",
                                [&](Device& of, CommandAccesses& accesses) {
                                  accesses.arguments = CommandArguments(infoCount);
                                  for (uint32_t i = 0; i < infoCount; ++i)
                                    describe_build(of, accesses, pInfos[i], ppBuildRangeInfos[i]);
                                });
  device.next.CmdBuildAccelerationStructuresKHR(commandBuffer, infoCount, pInfos, ppBuildRangeInfos);
}

// The arguments are read in the class of indirect commands. Only the device knows which input they name. What
// is written is known for the highest possible number of primitives.
VKAPI_ATTR void VKAPI_CALL hooks::CmdBuildAccelerationStructuresIndirectKHR(
    VkCommandBuffer commandBuffer, uint32_t infoCount,
    const VkAccelerationStructureBuildGeometryInfoKHR* pInfos,
    const VkDeviceAddress* pIndirectDeviceAddresses, const uint32_t* pIndirectStrides,
    const uint32_t* const* ppMaxPrimitiveCounts) {
  constexpr const char* command = "vkCmdBuildAccelerationStructuresIndirectKHR";
  bool entered = false;
  for (uint32_t i = 0; i < infoCount; ++i) note_unfollowed_input(commandBuffer, pInfos[i], true);
  with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    state.use_memory(VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT, kUsesUnfollowed);
    if (!state.can_record_accesses()) return;
    CommandAccesses arguments;
    arguments.command = command;
    arguments.main_class = SQA_CLASS_INDIRECT;
    arguments.arguments = CommandArguments(infoCount);
    for (uint32_t i = 0; i < infoCount; ++i)
      arguments.add(
          of, build_arguments(pIndirectDeviceAddresses[i], pIndirectStrides[i], pInfos[i].geometryCount));
    entered = state.record_accesses(arguments) && !arguments.ranges.empty();
  });
  Device& device = before_build(commandBuffer, command, [&](Device& of, CommandAccesses& accesses) {
    accesses.arguments = CommandArguments(infoCount);
    accesses.same_command = entered;
    for (uint32_t i = 0; i < infoCount; ++i)
      describe_results(of, accesses, pInfos[i], ppMaxPrimitiveCounts[i]);
  });
  device.next.CmdBuildAccelerationStructuresIndirectKHR(
      commandBuffer, infoCount, pInfos, pIndirectDeviceAddresses, pIndirectStrides, ppMaxPrimitiveCounts);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdCopyAccelerationStructureKHR(
    VkCommandBuffer commandBuffer, const VkCopyAccelerationStructureInfoKHR* pInfo) {
  Device& device = before_build(
      commandBuffer, "vkCmdCopyAccelerationStructureKHR", [&](Device& of, CommandAccesses& accesses) {
        accesses.arguments = CommandArguments(HandleArgument(pInfo->src), HandleArgument(pInfo->dst));
        add_structure(of, accesses, pInfo->src, false);
        add_structure(of, accesses, pInfo->dst, true);
      });
  device.next.CmdCopyAccelerationStructureKHR(commandBuffer, pInfo);
}

// How much is written to memory, or read from it, is only known on the device.
VKAPI_ATTR void VKAPI_CALL hooks::CmdCopyAccelerationStructureToMemoryKHR(
    VkCommandBuffer commandBuffer, const VkCopyAccelerationStructureToMemoryInfoKHR* pInfo) {
  note_unfollowed(commandBuffer, {UnfollowedAccess::serialised_structures});
  Device& device = before_build(commandBuffer, "vkCmdCopyAccelerationStructureToMemoryKHR",
                                [&](Device& of, CommandAccesses& accesses) {
                                  accesses.arguments = CommandArguments(HandleArgument(pInfo->src));
                                  add_structure(of, accesses, pInfo->src, false);
                                });
  device.next.CmdCopyAccelerationStructureToMemoryKHR(commandBuffer, pInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdCopyMemoryToAccelerationStructureKHR(
    VkCommandBuffer commandBuffer, const VkCopyMemoryToAccelerationStructureInfoKHR* pInfo) {
  note_unfollowed(commandBuffer, {UnfollowedAccess::serialised_structures});
  Device& device = before_build(commandBuffer, "vkCmdCopyMemoryToAccelerationStructureKHR",
                                [&](Device& of, CommandAccesses& accesses) {
                                  accesses.arguments = CommandArguments(HandleArgument(pInfo->dst));
                                  add_structure(of, accesses, pInfo->dst, true);
                                });
  device.next.CmdCopyMemoryToAccelerationStructureKHR(commandBuffer, pInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdWriteAccelerationStructuresPropertiesKHR(
    VkCommandBuffer commandBuffer, uint32_t accelerationStructureCount,
    const VkAccelerationStructureKHR* pAccelerationStructures, VkQueryType queryType, VkQueryPool queryPool,
    uint32_t firstQuery) {
  Device& device = before_build(commandBuffer, "vkCmdWriteAccelerationStructuresPropertiesKHR",
                                [&](Device& of, CommandAccesses& accesses) {
                                  accesses.arguments = CommandArguments(accelerationStructureCount);
                                  for (uint32_t i = 0; i < accelerationStructureCount; ++i)
                                    add_structure(of, accesses, pAccelerationStructures[i], false);
                                });
  device.next.CmdWriteAccelerationStructuresPropertiesKHR(
      commandBuffer, accelerationStructureCount, pAccelerationStructures, queryType, queryPool, firstQuery);
}

}  // namespace shaderqa::layer
