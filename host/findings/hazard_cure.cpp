// SPDX-License-Identifier: Apache-2.0
#include "host/findings/hazard_cure.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "host/findings/hazard_text.h"

namespace shaderqa {
namespace {

// One side of a barrier, as Vulkan's synchronization2 spells it without the prefixes.
struct Side {
  std::string stage, reads, writes;
};

Side shader_side(Stage stage) { return {pipeline_stage(stage), "SHADER_READ", "SHADER_WRITE"}; }

Side command_side(std::string_view command) {
  // Its arguments, or what it draws with.
  if (command.starts_with("vkCmdDraw") && command.find("Indirect") != std::string_view::npos)
    return {"DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_2_VERTEX_INPUT",
            "INDEX_READ_BIT | VK_ACCESS_2_VERTEX_ATTRIBUTE_READ", "NONE"};
  struct Row {
    std::string_view prefix;
    const char *stage, *reads, *writes;
  };
  static constexpr std::array<Row, 15> kRows = {{
      {"the host", "HOST", "HOST_READ", "HOST_WRITE"},
      {"vkCmdDraw", "VERTEX_INPUT", "INDEX_READ_BIT | VK_ACCESS_2_VERTEX_ATTRIBUTE_READ", "NONE"},
      {"vkCmdDispatchIndirect", "DRAW_INDIRECT", "INDIRECT_COMMAND_READ", "NONE"},
      {"vkCmdTraceRaysIndirect", "DRAW_INDIRECT", "INDIRECT_COMMAND_READ", "NONE"},
      {"vkCmdBuildAcc", "ACCELERATION_STRUCTURE_BUILD", "SHADER_READ", "ACCELERATION_STRUCTURE_WRITE"},
      {"vkCmdCopyAcc", "ACCELERATION_STRUCTURE_COPY", "ACCELERATION_STRUCTURE_READ",
       "ACCELERATION_STRUCTURE_WRITE"},
      {"vkCmdCopy", "ALL_TRANSFER", "TRANSFER_READ", "TRANSFER_WRITE"},
      {"vkCmdBlit", "ALL_TRANSFER", "TRANSFER_READ", "TRANSFER_WRITE"},
      {"vkCmdResolve", "ALL_TRANSFER", "TRANSFER_READ", "TRANSFER_WRITE"},
      {"vkCmdClear", "ALL_TRANSFER", "TRANSFER_READ", "TRANSFER_WRITE"},
      {"vkCmdBeginRender", "ALL_GRAPHICS", "MEMORY_READ", "MEMORY_WRITE"},
      {"vkCmdFill", "ALL_TRANSFER", "TRANSFER_READ", "TRANSFER_WRITE"},
      {"vkCmdUpdate", "ALL_TRANSFER", "TRANSFER_READ", "TRANSFER_WRITE"},
      {"vkCmdBeginConditional", "CONDITIONAL_RENDERING", "CONDITIONAL_RENDERING_READ", "NONE"},
      {"", "ALL_COMMANDS", "MEMORY_READ", "MEMORY_WRITE"},
  }};
  for (const Row& row : kRows)
    if (command.starts_with(row.prefix)) return {row.stage, row.reads, row.writes};
  return {};
}

std::string stage_flag(const Side& side) {
  const std::string_view stage = side.stage;
  const bool extended = stage.starts_with("ACCELERATION") || stage.starts_with("RAY_TRACING");
  const char* const end =
      stage.starts_with("CONDITIONAL") || stage.starts_with("TASK") || stage.starts_with("MESH") ? "_BIT_EXT"
      : extended                                                                                 ? "_BIT_KHR"
                                                                                                 : "_BIT";
  return "VK_PIPELINE_STAGE_2_" + side.stage + end;
}

std::string access_flag(const std::string& access) {
  if (access == "NONE") return "VK_ACCESS_2_NONE";
  const std::string_view name = access;
  const char* const end = name.starts_with("ACCELERATION")  ? "_BIT_KHR"
                          : name.starts_with("CONDITIONAL") ? "_BIT_EXT"
                                                            : "_BIT";
  return "VK_ACCESS_2_" + access + end;
}

bool has_workgroups(Stage stage) {
  return stage == Stage::compute || stage == Stage::task || stage == Stage::mesh;
}

std::vector<std::string> in_workgroup(const Hazard& hazard) {
  if (hazard.hazard_class == HazardClass::execution_only)
    return {"memoryBarrierShared(); before the barrier, which alone orders no workgroup memory"};
  return {"between the two, reached by the whole workgroup: barrier(); or atomics for both"};
}

std::vector<std::string> within_action(const CheckDetails& details) {
  const Hazard& hazard = *details.hazard;
  if (hazard.hazard_class == HazardClass::workgroup_atomics)
    return {"use device scope for both atomics: gl_ScopeDevice, or the atomic functions without a scope"};
  const bool image_memory = is_image_memory(details);
  const std::string barrier = image_memory ? "memoryBarrierImage();" : "memoryBarrierBuffer();";
  if (hazard.hazard_class == HazardClass::execution_only)
    return {barrier + " before the barrier(), which alone orders no " + (image_memory ? "image" : "buffer") +
            " memory"};
  if (hazard.hazard_class == HazardClass::atomic_against_plain)
    return {
        "make the plain access atomic too (atomicLoad, atomicStore, or atomicOr(x, 0)), or separate the two"};
  const bool grouped = has_workgroups(hazard.stage);
  const std::string own =
      (hazard.image ? std::string("a texel") : "an element") + " of its own for each invocation";
  // Nobody else can be the other side.
  if (grouped && details.action && details.action->workgroups == 1)
    return {"between the two, reached by the whole workgroup: " + barrier + " barrier(); or atomics, or " +
            own};
  std::vector<std::string> lines = {"atomics, or " + own + ": no barrier of the API orders accesses of one " +
                                    action_noun(details.action)};
  if (grouped)
    lines.push_back("where both are always in one workgroup, this between them is enough: " + barrier +
                    " barrier();");
  return lines;
}

// With its arguments, unless these are handles.
std::string command_text(const ActionOrigin& action) {
  return action.command.find("0x") == std::string::npos && !action.command.empty() ? action.command
                                                                                   : action.name;
}

std::vector<std::string> between_queues(const ActionOrigin& before, const ActionOrigin& after) {
  return {"the two run on different queues (" + before.queue + "; " + after.queue +
              "): let a semaphore order them:",
          "signal it behind " + command_text(before) + ", and wait for it before " + command_text(after)};
}

// One access of the two, and its action.
struct Participant {
  Side side;
  bool writes = false, is_atomic = false;
  const std::optional<ActionOrigin>* action = nullptr;
};

Participant this_side(const CheckDetails& details) {
  const Hazard& hazard = *details.hazard;
  Side side = hazard.by_command ? command_side(command_name(details.action)) : shader_side(hazard.stage);
  if (hazard.access == Access::indirect) side = {"DRAW_INDIRECT", "INDIRECT_COMMAND_READ", "NONE"};
  if (hazard.of_uniform) side.reads = hazard.image ? "INPUT_ATTACHMENT_READ" : "UNIFORM_READ";
  const bool is_atomic = hazard.access == Access::atomic;
  return {side, hazard.access == Access::store || is_atomic, is_atomic, &details.action};
}

Participant other_side(const Hazard& hazard) {
  const OtherAccess& other = *hazard.other;
  const bool is_atomic = other.access == Access::atomic;
  const bool writes =
      other.precedes ? hazard.earlier != EarlierAccess::load : other.access == Access::store || is_atomic;
  return {other.by_command ? command_side(command_name(other.action)) : shader_side(other.stage), writes,
          is_atomic && writes, &other.action};
}

std::vector<std::string> between_actions(const CheckDetails& details) {
  const Hazard& hazard = *details.hazard;
  const OtherAccess& other = *hazard.other;
  // The hint says which bits their own barrier lacks.
  if (is_transition(other.action) || is_transition(details.action)) return {};
  Participant from = other_side(hazard), to = this_side(details);
  if (other.is_later) std::swap(from, to);
  // A write after a read needs no memory dependency.
  const std::string source = from.writes ? access_flag(from.side.writes) : "VK_ACCESS_2_NONE";
  std::string destination = access_flag(to.writes ? to.side.writes : to.side.reads);
  if (to.is_atomic) destination = access_flag(to.side.reads) + " | " + destination;
  if (!from.writes) destination = "VK_ACCESS_2_NONE";
  std::vector<std::string> lines;
  const std::optional<ActionOrigin>& second = *to.action;
  std::string where = "before " + command_name(second);
  if (second && second->number != 0) where += " (action " + std::to_string(second->number) + ")";
  if (other.lacking.empty() || other.lacking.ends_with("is missing"))
    lines.push_back(where + ", outside of render passes" +
                    (hazard.image ? " (in a VkImageMemoryBarrier2 where the layout changes)" : "") + ":");
  else
    lines.push_back(other.lacking + "; what it needs:");
  lines.emplace_back("  VkMemoryBarrier2 b = {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, NULL,");
  lines.push_back("      " + stage_flag(from.side) + ", " + source + ",");
  lines.push_back("      " + stage_flag(to.side) + ", " + destination + "};");
  return lines;
}

}  // namespace

std::vector<std::string> hazard_cure(const CheckDetails& details) {
  const Hazard& hazard = *details.hazard;
  if (details.part) return in_workgroup(hazard);
  if (hazard.hazard_class == HazardClass::unknown || !hazard.other) return {};
  const OtherAccess& other = *hazard.other;
  if (hazard.hazard_class == HazardClass::execution_only || other.same_action) {
    if (hazard.by_command || other.by_command) return {};
    return within_action(details);
  }
  if (hazard.hazard_class == HazardClass::workgroup_atomics) return within_action(details);
  // Which command the earlier access belongs to is not known any more: nor is what would order the two.
  if (!other.action && other.lacking.empty()) return {};
  if (other.action && details.action && !other.action->queue.empty() && !details.action->queue.empty() &&
      other.action->queue != details.action->queue)
    return other.is_later ? between_queues(*details.action, *other.action)
                          : between_queues(*other.action, *details.action);
  return between_actions(details);
}

}  // namespace shaderqa
