// SPDX-License-Identifier: Apache-2.0
// What the exact engine does not know of commands is said, once, and the command reaches the driver. Each of
// these is in docs/internals/exact.md, "What it does not see".
#include <algorithm>
#include <string>
#include <vector>

#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

class UnfollowedAccesses : public CommandTest {
 protected:
  explicit UnfollowedAccesses(const char* engine = "exact")
      : CommandTest({nullptr,
                     nullptr,
                     {"VK_KHR_acceleration_structure", "VK_KHR_deferred_host_operations",
                      "VK_KHR_ray_tracing_pipeline", "VK_EXT_transform_feedback",
                      "VK_EXT_device_generated_commands"}},
                    {}, engine) {}

  // All notes about accesses that are not checked, in the order in which they were made.
  std::vector<std::string> notes() const { return notes_about("is not checked for synchronisation"); }
  static bool has(const std::vector<std::string>& notes, const std::string& text) {
    return std::ranges::any_of(notes,
                               [&](const std::string& note) { return note.find(text) != std::string::npos; });
  }
  // Records twice; the command has reached the driver both times, and one note with the text was made.
  template <typename Record>
  void expect_one_note(const char* command, const std::string& text, const Record& record) {
    SCOPED_TRACE(command);
    ASSERT_FALSE(has(notes(), text)) << "said before";
    const VkCommandBuffer commands = begin();
    record(commands);
    record(commands);
    end(commands);
    EXPECT_EQ(std::ranges::count(stream_of(commands), command), 2);
    EXPECT_EQ(std::ranges::count(stream_of(commands), "CmdDispatchBase"), 0) << "it is followed now";
    EXPECT_EQ(notes_about(text).size(), 1u);
  }

  void build(VkCommandBuffer commands, const VkAccelerationStructureGeometryKHR& geometry, bool indirect) {
    VkAccelerationStructureBuildGeometryInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR;
    info.geometryCount = 1;
    info.pGeometries = &geometry;
    const VkAccelerationStructureBuildRangeInfoKHR range{1, 0, 0, 0};
    const VkAccelerationStructureBuildRangeInfoKHR* const ranges = &range;
    const VkDeviceAddress arguments = 0;
    const uint32_t stride = sizeof range, most[] = {1};
    const uint32_t* const counts = most;
    if (indirect)
      vk().vkCmdBuildAccelerationStructuresIndirectKHR(commands, 1, &info, &arguments, &stride, &counts);
    else
      vk().vkCmdBuildAccelerationStructuresKHR(commands, 1, &info, &ranges);
  }
  static VkAccelerationStructureGeometryKHR geometry_of(VkGeometryTypeKHR type) {
    VkAccelerationStructureGeometryKHR geometry{};
    geometry.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR;
    geometry.geometryType = type;
    if (type == VK_GEOMETRY_TYPE_TRIANGLES_KHR) {
      geometry.geometry.triangles.vertexFormat = VK_FORMAT_R32G32B32_SFLOAT;
      geometry.geometry.triangles.indexType = VK_INDEX_TYPE_NONE_KHR;
    }
    return geometry;
  }
};

TEST_F(UnfollowedAccesses, OfTransformFeedback) {
  expect_one_note("CmdBeginTransformFeedbackEXT", "transform feedback writes", [&](VkCommandBuffer commands) {
    vk().vkCmdBeginTransformFeedbackEXT(commands, 0, 0, nullptr, nullptr);
    vk().vkCmdEndTransformFeedbackEXT(commands, 0, 0, nullptr, nullptr);
  });
  expect_one_note("CmdDrawIndirectByteCountEXT", "vkCmdDrawIndirectByteCountEXT reads",
                  [&](VkCommandBuffer commands) {
                    vk().vkCmdDrawIndirectByteCountEXT(commands, 1, 0, buffer_->handle, 0, 0, 4);
                  });
  EXPECT_EQ(notes().size(), 2u);
}

TEST_F(UnfollowedAccesses, OfTraces) {
  const VkStridedDeviceAddressRegionKHR table{};
  expect_one_note("CmdTraceRaysKHR", "shader binding tables", [&](VkCommandBuffer commands) {
    vk().vkCmdTraceRaysKHR(commands, &table, &table, &table, &table, 1, 1, 1);
  });
  EXPECT_EQ(notes_about("what traces read of acceleration structures").size(), 1u);
  EXPECT_EQ(notes().size(), 2u);
}

TEST_F(UnfollowedAccesses, OfIndirectTraces) {
  const VkStridedDeviceAddressRegionKHR table{};
  const VkCommandBuffer commands = begin();
  vk().vkCmdTraceRaysIndirectKHR(commands, &table, &table, &table, &table, buffer_->address);
  end(commands);
  EXPECT_EQ(notes().size(), 2u);
}

TEST_F(UnfollowedAccesses, OfGeneratedCommands) {
  VkGeneratedCommandsInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT;
  info.shaderStages = VK_SHADER_STAGE_COMPUTE_BIT;
  expect_one_note("CmdExecuteGeneratedCommandsEXT", "generated commands read", [&](VkCommandBuffer commands) {
    vk().vkCmdExecuteGeneratedCommandsEXT(commands, VK_FALSE, &info);
  });
}

TEST_F(UnfollowedAccesses, OfBuilds) {
  const auto boxes = geometry_of(VK_GEOMETRY_TYPE_AABBS_KHR),
             instances = geometry_of(VK_GEOMETRY_TYPE_INSTANCES_KHR);
  const auto triangles = geometry_of(VK_GEOMETRY_TYPE_TRIANGLES_KHR);
  auto indexed = triangles;
  indexed.geometry.triangles.indexType = VK_INDEX_TYPE_UINT32;
  const VkCommandBuffer commands = begin();
  build(commands, boxes, false);
  build(commands, triangles, false);
  EXPECT_EQ(notes(), std::vector<std::string>()) << "all of it is known";
  const struct {
    const char* text;
    const VkAccelerationStructureGeometryKHR& geometry;
    bool indirect;
  } rows[] = {{"vertices that indices name", indexed, false},
              {"those that their instances name", instances, false},
              {"indirect builds", boxes, true}};
  for (const auto& [text, geometry, indirect] : rows) {
    EXPECT_FALSE(has(notes(), text));
    build(commands, geometry, indirect);
    build(commands, geometry, indirect);
    EXPECT_EQ(notes_about(text).size(), 1u) << text;
  }
  end(commands);
  EXPECT_EQ(notes().size(), 3u);
}

TEST_F(UnfollowedAccesses, OfSerialisedStructures) {
  VkCopyAccelerationStructureToMemoryInfoKHR to{};
  to.sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_TO_MEMORY_INFO_KHR;
  expect_one_note(
      "CmdCopyAccelerationStructureToMemoryKHR", "to and from memory",
      [&](VkCommandBuffer commands) { vk().vkCmdCopyAccelerationStructureToMemoryKHR(commands, &to); });
  VkCopyMemoryToAccelerationStructureInfoKHR from{};
  from.sType = VK_STRUCTURE_TYPE_COPY_MEMORY_TO_ACCELERATION_STRUCTURE_INFO_KHR;
  const VkCommandBuffer commands = begin();
  vk().vkCmdCopyMemoryToAccelerationStructureKHR(commands, &from);
  end(commands);
  EXPECT_EQ(std::ranges::count(stream_of(commands), "CmdCopyMemoryToAccelerationStructureKHR"), 1);
  EXPECT_EQ(notes().size(), 1u);
}

TEST_F(UnfollowedAccesses, OrdinaryCommandsHaveNone) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  vk().vkCmdFillBuffer(commands, buffer_->handle, 0, 4, 1);
  end(commands);
  EXPECT_EQ(notes(), std::vector<std::string>());
}

// The filter follows no commands at all, which docs say.
class UnfollowedByTheFilter : public UnfollowedAccesses {
 protected:
  UnfollowedByTheFilter() : UnfollowedAccesses("bloom") {}
};

TEST_F(UnfollowedByTheFilter, IsNotSaid) {
  const VkCommandBuffer commands = begin();
  vk().vkCmdDrawIndirectByteCountEXT(commands, 1, 0, buffer_->handle, 0, 0, 4);
  end(commands);
  EXPECT_EQ(std::ranges::count(stream_of(commands), "CmdDrawIndirectByteCountEXT"), 1);
  EXPECT_EQ(notes(), std::vector<std::string>());
}

}  // namespace
}  // namespace shaderqa::layer_tests
