// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/order_trace.h"

#include <algorithm>

#include "layer/engines/exact/access_classes.h"
#include "layer/engines/exact/exact_commands.h"
#include "layer/loader/device.h"
#include "layer/recording/command_buffers.h"
#include "layer/resources/buffer_table.h"
#include "layer/vk/mask_names.h"

namespace shaderqa::layer {
namespace {

using Access = VkAccessFlags2;

constexpr Access kShaderReads = VK_ACCESS_2_SHADER_SAMPLED_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_READ_BIT |
                                VK_ACCESS_2_SHADER_BINDING_TABLE_READ_BIT_KHR;
constexpr Access kReads = kShaderReads | VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_UNIFORM_READ_BIT |
                          VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_2_INDEX_READ_BIT |
                          VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT | VK_ACCESS_2_TRANSFER_READ_BIT;
constexpr Access kWrites =
    VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT;

// Adds the bits that names of groups stand for.
Access expanded(Access access) {
  if (access & VK_ACCESS_2_MEMORY_READ_BIT) access |= kReads;
  if (access & VK_ACCESS_2_MEMORY_WRITE_BIT) access |= kWrites;
  if (access & VK_ACCESS_2_SHADER_READ_BIT) access |= kShaderReads;
  if (access & VK_ACCESS_2_SHADER_WRITE_BIT) access |= VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  return access;
}

PassedDependency passed(const Dependency& dependency) {
  PassedDependency one;
  one.order = order_dependency(dependency);
  one.source_scope = source_scope(dependency.source_stages);
  one.destination_scope = destination_scope(dependency.destination_stages);
  one.source_stages = named_stages(dependency.source_stages);
  one.destination_stages = named_stages(dependency.destination_stages);
  if (!dependency.buffers) return one;
  one.source_access = expanded(dependency.source_access);
  one.destination_access = expanded(dependency.destination_access);
  one.begin = dependency.begin;
  one.end = dependency.end;
  return one;
}

std::string side_text(VkPipelineStageFlags2 stages, Access access) {
  return access ? stages_text(stages) + ", " + accesses_text(access) : stages_text(stages);
}

std::string range_text(const Device& device, const Dependency& dependency) {
  if (dependency.begin == 0 && dependency.end == UINT64_MAX) return {};
  const auto buffer = device.buffers.find_address(dependency.begin);
  std::string text = ", of ";
  text += buffer && !buffer->name.empty() ? "buffer \"" + buffer->name + '"' : "one buffer";
  const uint64_t offset = buffer ? dependency.begin - buffer->address : 0;
  return text + ", bytes " + std::to_string(offset) + " to " +
         std::to_string(offset + (dependency.end - dependency.begin));
}

std::string masks_text(const Device& device, const std::vector<Dependency>& dependencies) {
  const bool memory = std::ranges::any_of(
      dependencies, [](const Dependency& one) { return one.source_access || one.destination_access; });
  std::string text;
  for (const Dependency& one : dependencies) {
    if (memory && !one.source_access && !one.destination_access) continue;
    if (!text.empty()) text += "; ";
    text += side_text(one.source_stages, one.source_access) + " -> " +
            side_text(one.destination_stages, one.destination_access) + range_text(device, one);
  }
  return text;
}

std::string action_text(const RecordedCommands& recording, uint32_t index) {
  const auto found = std::ranges::find(recording.actions, index, &RecordedAction::index);
  std::string text = "action " + std::to_string(index);
  if (found != recording.actions.end()) text += ", " + command_text(*found);
  return text;
}

uint32_t last_action(const RecordedCommands& recording) {
  return recording.actions.empty() ? 0 : recording.actions.back().index;
}

}  // namespace

void OrderTrace::pass(const RecordedBarrier& barrier) {
  auto as_passed = std::make_shared<PassedBarrier>();
  as_passed->from_earlier = barrier.point.kind == SynchronizationPoint::Kind::event_wait;
  for (const Dependency& one : barrier.dependencies) as_passed->dependencies.push_back(passed(one));
  steps.push_back({Step::Kind::barrier, static_cast<uint32_t>(barriers.size())});
  barriers.push_back(std::move(as_passed));
}

// Equal uses that follow each other are one step.
void OrderTrace::use(VkPipelineStageFlags2 stages, uint32_t uses) {
  stages = named_stages(stages);
  if (!steps.empty() && steps.back().kind == Step::Kind::use && steps.back().stages == stages &&
      steps.back().uses == uses)
    return;
  steps.push_back({Step::Kind::use, 0, stages, uses});
}

void OrderTrace::execute(const std::shared_ptr<RecordedCommands>& recorded, uint32_t offset) {
  steps.push_back({Step::Kind::execution, static_cast<uint32_t>(executions.size())});
  executions.push_back({recorded, offset});
}

std::string barrier_text(const Device& device, const RecordedCommands& recorded,
                         const RecordedBarrier& barrier) {
  const SynchronizationPoint& command = barrier.point;
  std::string text = std::string(command.name) + " (" + masks_text(device, barrier.dependencies) + ")";
  const bool first = command.actions == 0, last = command.actions >= last_action(recorded);
  if (first && last) {
    text += " without actions around it";
  } else if (first) {
    text += " before " + action_text(recorded, 1);
  } else if (last) {
    text += " behind " + action_text(recorded, command.actions);
  } else {
    text += " between " + action_text(recorded, command.actions) + " and " +
            action_text(recorded, command.actions + 1);
  }
  std::string labels;
  for (uint32_t label = command.label; label; label = recorded.labels[label - 1].parent) {
    labels = recorded.labels[label - 1].name + (labels.empty() ? "" : " > " + labels);
  }
  if (!labels.empty()) text += ", in " + labels;
  const std::string name = device.command_buffers.name_of(recorded);
  if (!name.empty()) text += ", of command buffer " + name;
  return text;
}

}  // namespace shaderqa::layer
