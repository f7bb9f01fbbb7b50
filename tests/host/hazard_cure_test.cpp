// SPDX-License-Identifier: Apache-2.0
// The lines that say how to order the two accesses of a hazard: each flag is one that Vulkan has.
#include "host/findings/hazard_cure.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/host/check_builder.h"

namespace shaderqa::test {
namespace {

using Lines = std::vector<std::string>;

// A compute shader's load, after a compute shader of the action before stored there.
CheckDetails between_actions() {
  CheckDetails details;
  details.check = Check::hazard;
  details.action = action_of(12, "vkCmdDispatch");
  Hazard& hazard = details.hazard.emplace();
  hazard.hazard_class = HazardClass::read_after_write;
  hazard.access = Access::load;
  hazard.stage = Stage::compute;
  OtherAccess& other = hazard.other.emplace();
  other.access = Access::store;
  other.stage = Stage::compute;
  other.action = action_of(11, "vkCmdDispatch");
  return details;
}

// The lines of the barrier alone, one for each side.
Lines barrier_of(const CheckDetails& details) {
  Lines lines = hazard_cure(details);
  if (lines.size() != 4) return lines;
  EXPECT_EQ(lines[1], "  VkMemoryBarrier2 b = {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, NULL,");
  return {lines[2], lines[3]};
}

TEST(HazardCure, IsABarrierBetweenActions) {
  EXPECT_EQ(hazard_cure(between_actions()),
            (Lines{"before vkCmdDispatch (action 12), outside of render passes:",
                   "  VkMemoryBarrier2 b = {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, NULL,",
                   "      VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_WRITE_BIT,",
                   "      VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_READ_BIT};"}));
}

TEST(HazardCure, IsInFrontOfTheLaterAction) {
  CheckDetails details = between_actions();
  details.action = action_of(1, "vkCmdDraw");
  details.hazard->stage = Stage::fragment;
  OtherAccess& other = *details.hazard->other;
  other.action = action_of(2, "vkCmdDraw");
  other.stage = Stage::vertex;
  other.is_later = true;
  EXPECT_EQ(hazard_cure(details), (Lines{"before vkCmdDraw (action 2), outside of render passes:",
                                         "  VkMemoryBarrier2 b = {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, NULL,",
                                         "      VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, VK_ACCESS_2_NONE,",
                                         "      VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT, VK_ACCESS_2_NONE};"}));
  details.hazard->access = Access::store;
  other.access = Access::atomic;
  EXPECT_EQ(barrier_of(details),
            (Lines{"      VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, VK_ACCESS_2_SHADER_WRITE_BIT,",
                   "      VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT, VK_ACCESS_2_SHADER_READ_BIT | "
                   "VK_ACCESS_2_SHADER_WRITE_BIT};"}));
  details.action->queue = "queue 0";
  other.action->queue = "queue 1";
  EXPECT_EQ(hazard_cure(details).at(0),
            "the two run on different queues (queue 0; queue 1): let a semaphore order them:");
}

TEST(HazardCure, SaysWhereTheBarrierBelongsAsFarAsThatIsKnown) {
  CheckDetails details = between_actions();
  const auto first = [&] { return hazard_cure(details).at(0); };
  details.action->number = 0;
  EXPECT_EQ(first(), "before vkCmdDispatch, outside of render passes:");
  details.action = action_of(12, "vkCmdCopyBuffer", "(0x55aa, 0x55bb)");
  EXPECT_EQ(first(), "before vkCmdCopyBuffer (action 12), outside of render passes:");
  details.action->command.clear();
  EXPECT_EQ(first(), "before vkCmdCopyBuffer (action 12), outside of render passes:");
  details.action.reset();
  EXPECT_EQ(first(), "before a command, outside of render passes:");
}

TEST(HazardCure, NamesWhatABarrierThatIsThereLacks) {
  CheckDetails details = between_actions();
  std::string& lacking = details.hazard->other->lacking;
  lacking = "the barrier before it is missing";
  EXPECT_TRUE(hazard_cure(details).at(0).starts_with("before vkCmdDispatch"));
  lacking = "the barrier's destination lacks COMPUTE_SHADER";
  EXPECT_EQ(hazard_cure(details).at(0), lacking + "; what it needs:");
  // Though nobody knows any more which action the earlier access belongs to.
  details.hazard->other->action.reset();
  EXPECT_EQ(hazard_cure(details).size(), 4u);
  lacking.clear();
  EXPECT_EQ(hazard_cure(details), Lines{});
}

TEST(HazardCure, NeedsTheAccessesThatConflict) {
  CheckDetails details = between_actions();
  const auto source = [&] { return barrier_of(details).at(0); };
  const auto destination = [&] { return barrier_of(details).at(1); };
  const std::string stage = "      VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, ";
  for (const Access wrote : {Access::store, Access::atomic}) {
    details.hazard->other->access = wrote;
    details.hazard->access = Access::store;
    EXPECT_EQ(source(), stage + "VK_ACCESS_2_SHADER_WRITE_BIT,");
    EXPECT_EQ(destination(), stage + "VK_ACCESS_2_SHADER_WRITE_BIT};");
    details.hazard->access = Access::atomic;
    EXPECT_EQ(destination(), stage + "VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_WRITE_BIT};");
    details.hazard->access = Access::load;
    details.hazard->of_uniform = true;
    EXPECT_EQ(destination(), stage + "VK_ACCESS_2_UNIFORM_READ_BIT};");
    details.hazard->of_uniform = false;
    EXPECT_EQ(destination(), stage + "VK_ACCESS_2_SHADER_READ_BIT};");
  }
  for (const Access read : {Access::load, Access::indirect}) {
    details.hazard->other->access = read;
    details.hazard->access = Access::store;
    EXPECT_EQ(source(), stage + "VK_ACCESS_2_NONE,") << "a write after a read needs no memory dependency";
    EXPECT_EQ(destination(), stage + "VK_ACCESS_2_NONE};");
  }
  details.hazard->other->access = Access::store;
  details.hazard->access = Access::indirect;
  EXPECT_EQ(destination(),
            "      VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT};");
}

// The cell names a load, and it is the store before it that was not made available.
TEST(HazardCure, IsForWhatCameBeforeTheAccessThatIsNamed) {
  CheckDetails details = between_actions();
  details.hazard->other->access = Access::load;
  details.hazard->other->precedes = true;
  details.hazard->earlier = EarlierAccess::store;
  EXPECT_EQ(barrier_of(details).at(0),
            "      VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_WRITE_BIT,");
}

TEST(HazardCure, SpellsTheStagesOfShadersAsVulkanDoes) {
  const std::pair<Stage, const char*> rows[] = {
      {Stage::vertex, "VERTEX_SHADER_BIT"},
      {Stage::tessellation_control, "TESSELLATION_CONTROL_SHADER_BIT"},
      {Stage::tessellation_evaluation, "TESSELLATION_EVALUATION_SHADER_BIT"},
      {Stage::geometry, "GEOMETRY_SHADER_BIT"},
      {Stage::fragment, "FRAGMENT_SHADER_BIT"},
      {Stage::compute, "COMPUTE_SHADER_BIT"},
      {Stage::task, "TASK_SHADER_BIT_EXT"},
      {Stage::mesh, "MESH_SHADER_BIT_EXT"},
      {Stage::ray_generation, "RAY_TRACING_SHADER_BIT_KHR"},
      {Stage::callable, "RAY_TRACING_SHADER_BIT_KHR"}};
  for (const auto& [stage, name] : rows) {
    CheckDetails details = between_actions();
    details.hazard->stage = stage;
    details.hazard->other->stage = stage;
    const std::string flag = std::string("      VK_PIPELINE_STAGE_2_") + name;
    EXPECT_EQ(barrier_of(details),
              (Lines{flag + ", VK_ACCESS_2_SHADER_WRITE_BIT,", flag + ", VK_ACCESS_2_SHADER_READ_BIT};"}));
  }
}

TEST(HazardCure, SpellsWhatCommandsAccessAsVulkanDoes) {
  struct Row {
    const char *command, *stage, *reads, *writes;
  };
  const std::string vertices = "INDEX_READ_BIT | VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT";
  const Row rows[] = {
      {"the host", "HOST_BIT", "HOST_READ_BIT", "HOST_WRITE_BIT"},
      {"vkCmdDraw", "VERTEX_INPUT_BIT", vertices.c_str(), "NONE"},
      {"vkCmdDrawIndexed", "VERTEX_INPUT_BIT", vertices.c_str(), "NONE"},
      {"vkCmdDrawIndexedIndirect", "DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT",
       vertices.c_str(), "NONE"},
      {"vkCmdDispatchIndirect", "DRAW_INDIRECT_BIT", "INDIRECT_COMMAND_READ_BIT", "NONE"},
      {"vkCmdTraceRaysIndirectKHR", "DRAW_INDIRECT_BIT", "INDIRECT_COMMAND_READ_BIT", "NONE"},
      {"vkCmdBuildAccelerationStructuresKHR", "ACCELERATION_STRUCTURE_BUILD_BIT_KHR", "SHADER_READ_BIT",
       "ACCELERATION_STRUCTURE_WRITE_BIT_KHR"},
      {"vkCmdBuildAccelerationStructuresIndirectKHR", "ACCELERATION_STRUCTURE_BUILD_BIT_KHR",
       "SHADER_READ_BIT", "ACCELERATION_STRUCTURE_WRITE_BIT_KHR"},
      {"vkCmdCopyAccelerationStructureKHR", "ACCELERATION_STRUCTURE_COPY_BIT_KHR",
       "ACCELERATION_STRUCTURE_READ_BIT_KHR", "ACCELERATION_STRUCTURE_WRITE_BIT_KHR"},
      {"vkCmdCopyBuffer", "ALL_TRANSFER_BIT", "TRANSFER_READ_BIT", "TRANSFER_WRITE_BIT"},
      {"vkCmdFillBuffer", "ALL_TRANSFER_BIT", "TRANSFER_READ_BIT", "TRANSFER_WRITE_BIT"},
      {"vkCmdUpdateBuffer", "ALL_TRANSFER_BIT", "TRANSFER_READ_BIT", "TRANSFER_WRITE_BIT"},
      {"vkCmdBeginConditionalRenderingEXT", "CONDITIONAL_RENDERING_BIT_EXT",
       "CONDITIONAL_RENDERING_READ_BIT_EXT", "NONE"},
      {"vkCmdWriteBufferMarkerAMD", "ALL_COMMANDS_BIT", "MEMORY_READ_BIT", "MEMORY_WRITE_BIT"}};
  for (const Row& row : rows) {
    CheckDetails details = between_actions();
    details.hazard->by_command = true;
    details.action = action_of(12, row.command);
    EXPECT_EQ(barrier_of(details).at(1),
              std::string("      VK_PIPELINE_STAGE_2_") + row.stage + ", VK_ACCESS_2_" + row.reads + "};");
    details = between_actions();
    details.hazard->other->by_command = true;
    details.hazard->other->action = action_of(11, row.command);
    EXPECT_EQ(barrier_of(details).at(0),
              std::string("      VK_PIPELINE_STAGE_2_") + row.stage + ", VK_ACCESS_2_" + row.writes + ",");
  }
}

TEST(HazardCure, IsASemaphoreBetweenQueues) {
  CheckDetails details = between_actions();
  details.action->queue = "queue B";
  details.hazard->other->action->queue = "queue A";
  EXPECT_EQ(hazard_cure(details),
            (Lines{"the two run on different queues (queue A; queue B): let a semaphore order them:",
                   "signal it behind vkCmdDispatch(1), and wait for it before vkCmdDispatch(1)"}));
  details.hazard->other->action->queue = "queue B";
  EXPECT_EQ(hazard_cure(details).size(), 4u);
  for (const auto& [before, after] : {std::pair{"", "queue B"}, {"queue A", ""}, {"", ""}}) {
    details.hazard->other->action->queue = before;
    details.action->queue = after;
    EXPECT_EQ(hazard_cure(details).size(), 4u) << "not known to be different";
  }
  details.hazard->other->action->queue = "queue A";
  details.action.reset();
  EXPECT_EQ(hazard_cure(details).size(), 4u);
}

TEST(HazardCure, WithinAnActionIsInItsShader) {
  CheckDetails details = between_actions();
  details.action->kind = ActionKind::dispatch;
  details.hazard->other->same_action = true;
  const std::string no_barrier =
      "atomics, or an element of its own for each invocation: no barrier of the API orders accesses of one "
      "dispatch";
  const std::string within =
      "where both are always in one workgroup, this between them is enough: memoryBarrierBuffer(); "
      "barrier();";
  for (const Stage stage : {Stage::compute, Stage::task, Stage::mesh}) {
    details.hazard->stage = stage;
    EXPECT_EQ(hazard_cure(details), (Lines{no_barrier, within}));
  }
  for (const Stage stage : {Stage::fragment, Stage::vertex, Stage::ray_generation}) {
    details.hazard->stage = stage;
    EXPECT_EQ(hazard_cure(details), Lines{no_barrier});
  }
  details.hazard->stage = Stage::compute;
  details.action->workgroups = 1;
  EXPECT_EQ(hazard_cure(details),
            Lines{"between the two, reached by the whole workgroup: memoryBarrierBuffer(); barrier(); or "
                  "atomics, or an element of its own for each invocation"});
  details.action->workgroups = 2;
  EXPECT_EQ(hazard_cure(details), (Lines{no_barrier, within}));
  details.hazard->hazard_class = HazardClass::atomic_against_plain;
  EXPECT_EQ(hazard_cure(details).size(), 1u);
  EXPECT_TRUE(hazard_cure(details).at(0).starts_with("make the plain access atomic too"));
}

TEST(HazardCure, OfWhatOnlyAShaderCanOrderIsInTheShaderWhicheverActionItIs) {
  CheckDetails details = between_actions();
  for (const bool same : {false, true}) {
    details.hazard->other->same_action = same;
    details.hazard->hazard_class = HazardClass::execution_only;
    EXPECT_EQ(hazard_cure(details),
              Lines{"memoryBarrierBuffer(); before the barrier(), which alone orders no buffer memory"});
    details.hazard->hazard_class = HazardClass::workgroup_atomics;
    EXPECT_EQ(hazard_cure(details).size(), 1u);
    EXPECT_TRUE(hazard_cure(details).at(0).starts_with("use device scope for both atomics"));
  }
}

TEST(HazardCure, InWorkgroupMemoryIsABarrierOfTheShader) {
  CheckDetails details = between_actions();
  details.part.emplace();
  EXPECT_EQ(hazard_cure(details),
            Lines{"between the two, reached by the whole workgroup: barrier(); or atomics for both"});
  details.hazard->hazard_class = HazardClass::execution_only;
  EXPECT_EQ(hazard_cure(details),
            Lines{"memoryBarrierShared(); before the barrier, which alone orders no workgroup memory"});
}

TEST(HazardCure, IsNotSaidWhereNothingIsPlain) {
  CheckDetails details = between_actions();
  details.hazard->hazard_class = HazardClass::unknown;
  EXPECT_EQ(hazard_cure(details), Lines{});
  details = between_actions();
  details.hazard->other.reset();
  EXPECT_EQ(hazard_cure(details), Lines{});
  for (const bool earlier : {false, true}) {
    details = between_actions();
    details.hazard->other->same_action = true;
    (earlier ? details.hazard->other->by_command : details.hazard->by_command) = true;
    EXPECT_EQ(hazard_cure(details), Lines{}) << "a command against the shader that it runs";
    details.hazard->other->same_action = false;
    details.hazard->hazard_class = HazardClass::execution_only;
    EXPECT_EQ(hazard_cure(details), Lines{});
  }
}

}  // namespace
}  // namespace shaderqa::test
