// SPDX-License-Identifier: Apache-2.0
#include "random_barriers.h"

namespace oracle {
namespace {

constexpr VkPipelineStageFlags2 kWithShaders =
    VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT |
    VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT |
    VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT;

VkPipelineStageFlags2 any_stages_of_passes(Chance& chance) {
  constexpr VkPipelineStageFlags2 kFragment = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
                                  kColour = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
  return chance.pick<VkPipelineStageFlags2>({kColour, kColour, kColour, kFragment, kColour | kFragment,
                                             VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT,
                                             VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT});
}

VkPipelineStageFlags2 any_stages_of_draws(Chance& chance) {
  constexpr VkPipelineStageFlags2 kVertex = VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT,
                                  kFragment = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
  return chance.pick<VkPipelineStageFlags2>(
      {kVertex, kVertex, kFragment, kFragment, kVertex | kFragment,
       kVertex | VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, kFragment | VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
       kVertex | VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT, VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT,
       VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT | VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
       VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT, VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT});
}

// Only accesses that the stages support.
VkAccessFlags2 any_access(Chance& chance, VkPipelineStageFlags2 stages, bool passes) {
  const bool all = (stages & VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT) != 0;
  VkAccessFlags2 flags = 0;
  if (all || (stages & kWithShaders) != 0)
    flags |= chance.pick<VkAccessFlags2>({VK_ACCESS_2_SHADER_READ_BIT, VK_ACCESS_2_SHADER_WRITE_BIT,
                                          VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_WRITE_BIT,
                                          VK_ACCESS_2_SHADER_STORAGE_READ_BIT,
                                          VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, 0});
  if (all || (stages & (VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT | VK_PIPELINE_STAGE_2_COPY_BIT |
                        VK_PIPELINE_STAGE_2_CLEAR_BIT)) != 0)
    flags |=
        (stages & ~VkPipelineStageFlags2{VK_PIPELINE_STAGE_2_CLEAR_BIT}) == 0
            ? VkAccessFlags2{VK_ACCESS_2_TRANSFER_WRITE_BIT}
            : chance.pick<VkAccessFlags2>({VK_ACCESS_2_TRANSFER_READ_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                                           VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT});
  if ((all ||
       (stages & (VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT)) != 0) &&
      chance.one_in(2))
    flags |= VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT;
  if ((stages & (VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT | VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT |
                 VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT)) != 0 &&
      !chance.one_in(3))
    flags |= VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT;
  constexpr VkPipelineStageFlags2 kWithColour =
      VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT;
  if (passes && (all || (stages & kWithColour) != 0))
    flags |= chance.pick<VkAccessFlags2>(
        {VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
         VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT,
         VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT});
  if (passes && (all || (stages & kWithShaders) != 0) && chance.one_in(3))
    flags |= VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
  if (chance.one_in(3)) flags = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
  return flags;
}

}  // namespace

VkPipelineStageFlags2 any_stages(Chance& chance, const BarrierSetting& setting) {
  if (setting.passes && chance.one_in(2)) return any_stages_of_passes(chance);
  if (setting.draws && chance.one_in(2)) return any_stages_of_draws(chance);
  return chance.pick<VkPipelineStageFlags2>(
      {VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
       VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
       VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_PIPELINE_STAGE_2_COPY_BIT, VK_PIPELINE_STAGE_2_CLEAR_BIT,
       VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT, VK_PIPELINE_STAGE_2_BLIT_BIT,
       VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
       VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
       VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT});
}

Barrier right_barrier(Chance& chance, const BarrierSetting& setting) {
  Barrier barrier{VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT,
                  VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                  VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT};
  if (chance.one_in(2)) {
    barrier.src_stages = barrier.dst_stages = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT |
                                              VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT |
                                              VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;
    barrier.src_access = VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT;
    barrier.dst_access = VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_WRITE_BIT |
                         VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT |
                         VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT;
    if (setting.draws) {
      barrier.src_stages |= VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT;
      barrier.dst_stages |= VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT;
      barrier.dst_access |= VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT;
    }
    if (setting.passes) {
      barrier.src_access |= VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;
      barrier.dst_access |= VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;
    }
  }
  return barrier;
}

Barrier barrier_in_pass(Chance& chance) {
  constexpr VkPipelineStageFlags2 kVertex = VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT,
                                  kFragment = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
  constexpr VkAccessFlags2 kRead = VK_ACCESS_2_SHADER_READ_BIT, kWrite = VK_ACCESS_2_SHADER_WRITE_BIT;
  return {kVertex, chance.pick<VkAccessFlags2>({kWrite, kWrite, kRead | kWrite, 0}),
          chance.pick<VkPipelineStageFlags2>({kVertex, kFragment, kVertex | kFragment, kVertex | kFragment}),
          chance.pick<VkAccessFlags2>({kRead, kRead | kWrite, kRead | kWrite, kWrite, 0})};
}

Barrier edge_of_pass(Chance& chance, const BarrierSetting& setting, Command::Edge edge, bool careful) {
  constexpr VkAccessFlags2 kAll = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
  Barrier barrier{VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, kAll, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, kAll};
  const bool enters = edge == Command::Edge::enters;
  // Stages of its own side must be those of draws.
  VkPipelineStageFlags2 &own_stages = enters ? barrier.dst_stages : barrier.src_stages,
                        &other_stages = enters ? barrier.src_stages : barrier.dst_stages;
  VkAccessFlags2 &own_access = enters ? barrier.dst_access : barrier.src_access,
                 &other_access = enters ? barrier.src_access : barrier.dst_access;
  own_stages = VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT;
  if (!careful && chance.one_in(2)) {
    own_stages = any_stages_of_passes(chance);
    own_access = any_access(chance, own_stages, true);
  }
  if (!careful && chance.one_in(2)) {
    other_stages = any_stages(chance, setting);
    other_access = any_access(chance, other_stages, true);
  }
  return barrier;
}

Barrier any_barrier(Chance& chance, const Program& program, const BarrierSetting& setting) {
  Barrier barrier = right_barrier(chance, setting);
  if (chance.one_in(2)) {
    barrier.src_stages = any_stages(chance, setting);
    barrier.src_access = any_access(chance, barrier.src_stages, setting.passes);
  }
  if (chance.one_in(2)) {
    barrier.dst_stages = any_stages(chance, setting);
    barrier.dst_access = any_access(chance, barrier.dst_stages, setting.passes);
  }
  if (chance.one_in(4)) barrier.src_access = barrier.dst_access = 0;
  if (chance.one_in(3)) {
    barrier.ranged = true;
    barrier.buffer = chance.below(setting.data_buffers);
    barrier.offset = chance.pick({0u, 0u, 256u});
    barrier.bytes =
        chance.pick({16u, 256u, kViewBytes, program.buffers[barrier.buffer].size - barrier.offset});
    if (program.images) {
      barrier.offset = 0;
      barrier.bytes = kMemoryBytes;
    }
  }
  return barrier;
}

}  // namespace oracle
