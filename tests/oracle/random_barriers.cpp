// SPDX-License-Identifier: Apache-2.0
#include "random_barriers.h"

namespace oracle {
namespace {

// Only accesses that the stages support.
VkAccessFlags2 any_access(Chance& chance, VkPipelineStageFlags2 stages) {
  const bool all = (stages & VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT) != 0;
  VkAccessFlags2 flags = 0;
  if (all || (stages & VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT) != 0)
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
  if ((all || (stages & VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT) != 0) && chance.one_in(2))
    flags |= VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT;
  if (chance.one_in(3)) flags = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
  return flags;
}

}  // namespace

VkPipelineStageFlags2 any_stages(Chance& chance) {
  return chance.pick<VkPipelineStageFlags2>(
      {VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
       VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
       VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_PIPELINE_STAGE_2_COPY_BIT, VK_PIPELINE_STAGE_2_CLEAR_BIT,
       VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT, VK_PIPELINE_STAGE_2_BLIT_BIT,
       VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
       VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
       VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT});
}

Barrier right_barrier(Chance& chance) {
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
  }
  return barrier;
}

Barrier any_barrier(Chance& chance, const Program& program, uint32_t data_buffers) {
  Barrier barrier = right_barrier(chance);
  if (chance.one_in(2)) {
    barrier.src_stages = any_stages(chance);
    barrier.src_access = any_access(chance, barrier.src_stages);
  }
  if (chance.one_in(2)) {
    barrier.dst_stages = any_stages(chance);
    barrier.dst_access = any_access(chance, barrier.dst_stages);
  }
  if (chance.one_in(4)) barrier.src_access = barrier.dst_access = 0;
  if (chance.one_in(3)) {
    barrier.ranged = true;
    barrier.buffer = chance.below(data_buffers);
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
