// SPDX-License-Identifier: Apache-2.0
// The steps that cases are made of.
#ifndef SHADERQA_TESTS_E2E_SYNC_STEPS_H
#define SHADERQA_TESTS_E2E_SYNC_STEPS_H

#include "sync_context.h"

namespace sync_cases {

constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
constexpr VkPipelineStageFlags kGraphics = VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT;
constexpr VkPipelineStageFlags kFragment = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;
constexpr VkAccessFlags kReads = VK_ACCESS_SHADER_READ_BIT;
constexpr VkAccessFlags kWrites = VK_ACCESS_SHADER_WRITE_BIT;
constexpr VkAccessFlags kBoth = kReads | kWrites;

struct BarrierSpec {
  VkPipelineStageFlags from = kCompute;
  VkAccessFlags made = kWrites;
  VkPipelineStageFlags to = kCompute;
  VkAccessFlags seen = kBoth;
};
// Four groups of 64 unless said otherwise.
Step dispatch(uint32_t shader, uint32_t groups = 4);
Step dispatch_indirect(uint32_t shader, uint32_t buffer, VkDeviceSize offset = 0);
// Conditional rendering by the first word of a buffer.
Step begin_condition(uint32_t buffer);
Step end_condition();
Step barrier(BarrierSpec spec = {});
// By region, for fragment shaders, within a render pass.
Step barrier_in_pass(VkAccessFlags made, VkAccessFlags seen);
Step buffer_barrier(uint32_t buffer, BarrierSpec spec = {}, VkDeviceSize offset = 0,
                    VkDeviceSize size = VK_WHOLE_SIZE);
// For the buffer that has all of the image's memory.
Step memory_buffer_barrier(uint32_t image = 0, BarrierSpec spec = {});
Step barrier2(VkPipelineStageFlags2 from, VkAccessFlags2 made, VkPipelineStageFlags2 to, VkAccessFlags2 seen);
Step fill_buffer(uint32_t buffer, uint32_t value);
Step fill_part(uint32_t buffer, VkDeviceSize offset, VkDeviceSize size, uint32_t value);
Step update_buffer(uint32_t buffer, VkDeviceSize offset, std::vector<uint32_t> words);
Step copy_buffer(uint32_t from, uint32_t to, std::vector<VkBufferCopy> regions = {{0, 0, 1024}});
Step copy_buffer2(uint32_t from, uint32_t to);
// Copy an image of 8 by 8 texels of one word; a row in the buffer is 16 words long.
Step copy_from_image(uint32_t buffer, bool by_2 = false);
Step copy_to_image(uint32_t buffer, bool by_2 = false);
Step copy_query_results(uint32_t buffer, uint32_t queries);  // u64 each, every 16 bytes
Step event_set_and_wait(BarrierSpec spec = {});
Step event2_set_and_wait();
Step submit_now();           // submission order alone
Step next_command_buffer();  // in the same submission
Step resubmit();             // the last submission's command buffers again
Step binary_semaphore(VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
Step timeline_semaphore();
Step submit_by_2();               // from here on, by vkQueueSubmit2
Step use_queue(uint32_t number);  // from here on; what was recorded before goes to the queue before
Step use_other_family();
Step transfer_ownership(uint32_t buffer, bool release, VkPipelineStageFlags stages, VkAccessFlags accesses);
Step fence_wait();
Step fence_poll();
Step queue_idle();
Step device_idle();
Step timeline_host_wait();
Step event_host_wait();
Step map_again(uint32_t buffer);
Step invalidate(uint32_t buffer);
Step secondary(std::vector<Step> steps, bool inside_rendering = false);
Step execute_again();  // the last secondary command buffer
Step dynamic_offsets(std::vector<uint32_t> offsets);

Step begin_pass(std::vector<VkSubpassDependency> dependencies = {}, uint32_t subpasses = 1,
                bool secondary = false);
Step next_subpass();
Step end_pass();
Step begin_rendering();
Step end_rendering();
Step draw(std::vector<uint32_t> shaders, uint32_t vertices = 3, uint32_t instances = 1);
Step bind_vertices(uint32_t binding, uint32_t buffer, VkDeviceSize offset = 0);
Step draw_indirect(std::vector<uint32_t> shaders, uint32_t buffer);
Step draws_indirect(std::vector<uint32_t> shaders, uint32_t buffer, uint32_t count);
Step draw_indexed(std::vector<uint32_t> shaders, uint32_t indices, uint32_t first, uint32_t count);
Step draw_indexed_indirect(std::vector<uint32_t> shaders, uint32_t buffer, uint32_t indices);
// At most two draws.
Step draw_indirect_count(std::vector<uint32_t> shaders, uint32_t buffer, uint32_t count_buffer,
                         uint32_t stride = 16);
Step draw_mesh(std::vector<uint32_t> shaders, uint32_t groups);

// Shaders that many cases share. data: binding 0, result: binding 1, uint each.
extern const char* const kDeclare;    // data, result, local size 64, i
extern const std::string kWriteData;  // data[i] = i * 3 + 1
extern const std::string kReadData;   // result[i] = data[i] + 1
extern const char* const kTriangle;   // a vertex shader that covers the target

}  // namespace sync_cases
#endif
