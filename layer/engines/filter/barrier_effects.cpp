// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/filter/barrier_effects.h"

#include <algorithm>

namespace shaderqa::layer {
namespace {

using Stages = VkPipelineStageFlags2;

constexpr Stages kShaders =
    VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT |
    VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT | VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT |
    VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT | VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT |
    VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT |
    VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR | VK_PIPELINE_STAGE_2_SUBPASS_SHADER_BIT_HUAWEI |
    VK_PIPELINE_STAGE_2_CLUSTER_CULLING_SHADER_BIT_HUAWEI;
constexpr Stages kChecked = kShaders | VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;

constexpr VkAccessFlags2 kWrites =
    VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
constexpr VkAccessFlags2 kReads = VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_READ_BIT |
                                  VK_ACCESS_2_SHADER_SAMPLED_READ_BIT | VK_ACCESS_2_UNIFORM_READ_BIT |
                                  VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_2_MEMORY_READ_BIT;

}  // namespace

bool covers_checked(VkPipelineStageFlags2 stages) { return named_stages(stages) & kChecked; }

BarrierEffect barrier_effect(const Dependency& dependency, BarrierChain& chain) {
  const Stages source = source_scope(dependency.source_stages);
  const Stages destination = destination_scope(dependency.destination_stages);
  const bool after_checked = source & kChecked;
  const bool after_chain = chain.at_start ? source != 0 : (source & chain.ordered) != 0;
  if (!after_checked && !after_chain) return BarrierEffect::nothing;

  // Accesses only count at the stages that are named: those before and behind them are ordered, no more.
  const bool makes_available = dependency.buffers && (dependency.source_access & kWrites) &&
                               (named_stages(dependency.source_stages) & kShaders);
  const bool available = makes_available || chain.at_start || chain.available;
  const bool visible = dependency.buffers && (dependency.destination_access & (kReads | kWrites)) &&
                       (named_stages(dependency.destination_stages) & kChecked);
  if (destination & kChecked) {
    if (available && visible) {
      chain = {0, false, false};
      return BarrierEffect::clear;
    }
    chain.ordered |= destination;
    chain.available = chain.available || available;
    return available ? BarrierEffect::writes_available : BarrierEffect::reads_ordered;
  }
  chain.ordered |= destination;
  chain.available = chain.available || makes_available;
  return BarrierEffect::nothing;
}

void CommandDependencies::add(const Dependency& dependency) {
  BarrierChain chain = before_;
  effect_ = std::max(effect_, barrier_effect(dependency, chain));
  after_.ordered |= chain.ordered;
  after_.available = after_.available || chain.available;
}

BarrierEffect CommandDependencies::apply(BarrierChain& chain) const {
  if (effect_ == BarrierEffect::clear) {
    chain = {0, false, false};
  } else {
    chain.ordered |= after_.ordered;
    chain.available = chain.available || after_.available;
  }
  return effect_;
}

}  // namespace shaderqa::layer
