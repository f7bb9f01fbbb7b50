// SPDX-License-Identifier: Apache-2.0
// With the exact engine: what builds and copies of acceleration structures become in a command buffer.
#include <optional>
#include <utility>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_order.h"
#include "layer/vk/newer_commands.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

class BuildCommands : public CommandTest {
 protected:
  BuildCommands()
      : CommandTest({nullptr,
                     nullptr,
                     {"VK_KHR_acceleration_structure", "VK_KHR_deferred_host_operations",
                      "VK_KHR_device_address_commands"}},
                    {}, "exact") {
    constexpr VkBufferUsageFlags address = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    storage_.emplace(device(), 4096, VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR);
    input_.emplace(device(), 1024,
                   VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR | address);
    scratch_.emplace(device(), 1024, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | address);
    first_ = create(0, 1024);
    second_ = create(1024, 2048);
  }
  void TearDown() override {
    vk().vkDestroyAccelerationStructureKHR(device().handle, first_, nullptr);
    vk().vkDestroyAccelerationStructureKHR(device().handle, second_, nullptr);
    storage_.reset();
    input_.reset();
    scratch_.reset();
    CommandTest::TearDown();
  }
  VkAccelerationStructureKHR create(VkDeviceSize offset, VkDeviceSize size) {
    VkAccelerationStructureCreateInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR;
    info.buffer = storage_->handle;
    info.offset = offset;
    info.size = size;
    VkAccelerationStructureKHR made = VK_NULL_HANDLE;
    check(vk().vkCreateAccelerationStructureKHR(device().handle, &info, nullptr, &made),
          "vkCreateAccelerationStructureKHR");
    return made;
  }
  // Four boxes without space between them.
  void build(VkCommandBuffer commands, VkBuildAccelerationStructureModeKHR mode,
             VkAccelerationStructureKHR from, VkAccelerationStructureKHR to, uint64_t input = 0) {
    VkAccelerationStructureGeometryKHR geometry{};
    geometry.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR;
    geometry.geometryType = VK_GEOMETRY_TYPE_AABBS_KHR;
    geometry.geometry.aabbs.data.deviceAddress = input ? input : input_->address;
    geometry.geometry.aabbs.stride = 24;
    const VkAccelerationStructureGeometryKHR* const geometries[] = {&geometry};
    VkAccelerationStructureBuildGeometryInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR;
    info.mode = mode;
    info.srcAccelerationStructure = from;
    info.dstAccelerationStructure = to;
    info.geometryCount = 1;
    info.ppGeometries = geometries;
    info.scratchData.deviceAddress = scratch_->address + 128;
    const VkAccelerationStructureBuildRangeInfoKHR range{4, 8, 0, 0};
    const VkAccelerationStructureBuildRangeInfoKHR* const ranges = &range;
    vk().vkCmdBuildAccelerationStructuresKHR(commands, 1, &info, &ranges);
  }

  // Two geometries of at most 4 and 3 boxes, whose arguments are 32 bytes apart.
  void build_indirect(VkCommandBuffer commands, VkDeviceAddress arguments) {
    VkAccelerationStructureGeometryKHR geometries[2]{};
    for (VkAccelerationStructureGeometryKHR& geometry : geometries) {
      geometry.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR;
      geometry.geometryType = VK_GEOMETRY_TYPE_AABBS_KHR;
    }
    VkAccelerationStructureBuildGeometryInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR;
    info.mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR;
    info.dstAccelerationStructure = first_;
    info.geometryCount = 2;
    info.pGeometries = geometries;
    info.scratchData.deviceAddress = scratch_->address + 128;
    const uint32_t stride = 32, most[] = {4, 3};
    const uint32_t* const counts = most;
    vk().vkCmdBuildAccelerationStructuresIndirectKHR(commands, 1, &info, &arguments, &stride, &counts);
  }

  using Ranges = std::vector<EnteredRange>;
  static EnteredRange reads(uint64_t address, uint32_t bytes) { return {address, bytes}; }
  static EnteredRange writes(uint64_t address, uint32_t bytes) { return {address, bytes, 1, 0, true}; }
  static inline const Stream kEntered{"CmdPipelineBarrier", "CmdBindPipeline", "CmdDispatchBase",
                                      "CmdPipelineBarrier"};

  std::optional<BoundBuffer> storage_, input_, scratch_;
  VkAccelerationStructureKHR first_ = VK_NULL_HANDLE, second_ = VK_NULL_HANDLE;
};

TEST_F(BuildCommands, AStructureMayBeMadeAtAnAddress) {
  VkAccelerationStructureCreateInfo2KHR info{};
  info.addressRange = {storage_->address + 3072, 1024};
  const auto create_at = reinterpret_cast<PFN_vkCreateAccelerationStructure2KHR>(
      vkGetDeviceProcAddr(device().handle, "vkCreateAccelerationStructure2KHR"));
  ASSERT_NE(create_at, nullptr);
  VkAccelerationStructureKHR made = VK_NULL_HANDLE;
  check(create_at(device().handle, &info, nullptr, &made), "vkCreateAccelerationStructure2KHR");
  const VkCommandBuffer commands = begin();
  build(commands, VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR, VK_NULL_HANDLE, made);
  end(commands);
  EXPECT_EQ(entered(commands).at(0).at(1), writes(storage_->address + 3072, 4 * 64));
  vk().vkDestroyAccelerationStructureKHR(device().handle, made, nullptr);
}

TEST_F(BuildCommands, ABuildReadsItsInputAndWritesResultAndScratch) {
  const VkCommandBuffer commands = begin();
  build(commands, VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR, VK_NULL_HANDLE, first_);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({{"CmdBuildAccelerationStructuresKHR"}, kEntered}));
  EXPECT_EQ(entered(commands),
            (std::vector<Ranges>{Ranges{reads(input_->address + 8, 96), writes(storage_->address, 4 * 64),
                                        writes(scratch_->address + 128, 4 * 16)}}));
  submit({commands});
  const auto& engine = *reinterpret_cast<const abi::ExactState*>(address_at(records()[0], SQA_ACTION_ENGINE));
  EXPECT_EQ(reinterpret_cast<const uint32_t*>(engine.sequences_address)[1], uint32_t{SQA_CLASS_BUILD});
}

TEST_F(BuildCommands, AnUpdateReadsWhatItUpdates) {
  const VkCommandBuffer commands = begin();
  build(commands, VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR, first_, second_);
  build(commands, VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR, second_, second_);
  end(commands);
  const EnteredRange input = reads(input_->address + 8, 96),
                     result = writes(storage_->address + 1024, 4 * 64),
                     scratch = writes(scratch_->address + 128, 4 * 8);
  EXPECT_EQ(entered(commands),
            (std::vector<Ranges>{Ranges{input, reads(storage_->address, 4 * 64), result, scratch},
                                 Ranges{input, result, scratch}}));
}

// The arguments are a read of their own, of another class; the results are as large as they may become.
TEST_F(BuildCommands, AnIndirectBuildReadsItsArgumentsAndWritesResultAndScratch) {
  const VkCommandBuffer commands = begin();
  build_indirect(commands, input_->address + 64);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({{"CmdBuildAccelerationStructuresIndirectKHR"},
                                         {"CmdPipelineBarrier", "CmdBindPipeline", "CmdDispatchBase",
                                          "CmdDispatchBase", "CmdPipelineBarrier"}}));
  EXPECT_EQ(entered(commands), (std::vector<Ranges>{Ranges{{input_->address + 64, 16, 2, 32}},
                                                    Ranges{writes(storage_->address, (4 + 3) * 64),
                                                           writes(scratch_->address + 128, (4 + 3) * 16)}}));
  submit({commands});
  const auto& engine = *reinterpret_cast<const abi::ExactState*>(address_at(records()[0], SQA_ACTION_ENGINE));
  const auto sequences = reinterpret_cast<const uint32_t*>(engine.sequences_address);
  EXPECT_EQ(sequences[1], uint32_t{SQA_CLASS_INDIRECT});
  EXPECT_EQ(sequences[2], uint32_t{SQA_CLASS_BUILD});
}

// Either stage orders them, where the access is that of arguments.
TEST_F(BuildCommands, ArgumentsOfBuildsAreOrderedByBothStages) {
  struct Barrier {
    VkPipelineStageFlags stage;
    VkAccessFlags access;
    bool orders;
  };
  for (const Barrier& one :
       {Barrier{VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, VK_ACCESS_INDIRECT_COMMAND_READ_BIT, true},
        Barrier{VK_PIPELINE_STAGE_ACCELERATION_STRUCTURE_BUILD_BIT_KHR, VK_ACCESS_INDIRECT_COMMAND_READ_BIT,
                true},
        Barrier{VK_PIPELINE_STAGE_ACCELERATION_STRUCTURE_BUILD_BIT_KHR, VK_ACCESS_SHADER_READ_BIT, false}}) {
    const VkCommandBuffer commands = begin();
    bind(commands);
    dispatch(commands);
    barrier(commands, kComputeStage, VK_ACCESS_SHADER_WRITE_BIT, one.stage, one.access);
    build_indirect(commands, input_->address + 64);
    barrier(commands, one.stage, 0, kComputeStage, 0);
    dispatch(commands);
    end(commands);
    const std::vector<const uint32_t*> made = records();
    const auto floor_of = [&](const uint32_t* record, uint32_t kind, uint32_t producer) {
      const auto block = reinterpret_cast<const uint32_t*>(address_at(record, SQA_ACTION_FLOORS));
      return block[SQA_FLOOR_HEADER_DWORDS + 4 + kind * SQA_CLASSES + producer];
    };
    const size_t last =
        made.size() - 1;  // the second dispatch's, in front of it the build's and its arguments'
    EXPECT_EQ(floor_of(made[last - 2], SQA_FLOOR_VISIBLE, SQA_CLASS_COMPUTE) == 1, one.orders) << one.access;
    EXPECT_EQ(floor_of(made[last], SQA_FLOOR_EXECUTED, SQA_CLASS_INDIRECT), 3u) << one.access;
  }
}

TEST_F(BuildCommands, ACopyAccessesTheWholeStructures) {
  const VkCommandBuffer commands = begin();
  VkCopyAccelerationStructureInfoKHR copy{};
  copy.sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR;
  copy.src = first_;
  copy.dst = second_;
  vk().vkCmdCopyAccelerationStructureKHR(commands, &copy);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({{"CmdCopyAccelerationStructureKHR"}, kEntered}));
  EXPECT_EQ(
      entered(commands),
      (std::vector<Ranges>{Ranges{reads(storage_->address, 1024), writes(storage_->address + 1024, 2048)}}));
}

TEST_F(BuildCommands, NothingOfStructuresAndBuffersThatAreGone) {
  const VkAccelerationStructureKHR gone = std::exchange(first_, VkAccelerationStructureKHR{});
  vk().vkDestroyAccelerationStructureKHR(device().handle, gone, nullptr);
  const uint64_t address = input_->address;
  input_.reset();
  const VkCommandBuffer commands = begin();
  build(commands, VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR, VK_NULL_HANDLE, gone, address);
  end(commands);
  EXPECT_EQ(entered(commands), (std::vector<Ranges>{Ranges{writes(scratch_->address + 128, 4 * 16)}}));
}

}  // namespace
}  // namespace shaderqa::layer_tests
