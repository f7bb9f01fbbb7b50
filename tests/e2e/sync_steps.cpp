// SPDX-License-Identifier: Apache-2.0
#include "sync_steps.h"

#include <stdexcept>

namespace sync_cases {

using kit::check;

const char* const kDeclare = R"(layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer Data { uint data[]; };
layout(set = 0, binding = 1, std430) buffer Result { uint result[]; };
uint i = gl_GlobalInvocationID.x;
)";
const std::string kWriteData = std::string(kDeclare) + "void main() { data[i] = i * 3u + 1u; }\n";
const std::string kReadData = std::string(kDeclare) + "void main() { result[i] = data[i] + 1u; }  //!\n";
const char* const kTriangle = R"(void main() {
  gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0);
}
)";

Step dispatch(uint32_t shader, uint32_t groups) {
  return {[=](Context& context) {
    context.bind_compute(shader);
    vkCmdDispatch(context.commands(), groups, 1, 1);
  }};
}

Step dispatch_indirect(uint32_t shader, uint32_t buffer, VkDeviceSize offset) {
  return {[=](Context& context) {
    context.bind_compute(shader);
    vkCmdDispatchIndirect(context.commands(), context.buffers[buffer].handle, offset);
  }};
}

Step begin_condition(uint32_t buffer) {
  return {[=](Context& context) {
    VkConditionalRenderingBeginInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT;
    info.buffer = context.buffers[buffer].handle;
    vkCmdBeginConditionalRenderingEXT(context.commands(), &info);
  }};
}

Step end_condition() {
  return {[](Context& context) { vkCmdEndConditionalRenderingEXT(context.commands()); }};
}

Step barrier(BarrierSpec spec) {
  return {[=](Context& context) {
    VkMemoryBarrier memory{};
    memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    memory.srcAccessMask = spec.made;
    memory.dstAccessMask = spec.seen;
    const bool any = spec.made != 0 || spec.seen != 0;
    vkCmdPipelineBarrier(context.commands(), spec.from, spec.to, 0, any ? 1 : 0, &memory, 0, nullptr, 0,
                         nullptr);
  }};
}

namespace {

void record_buffer_barrier(Context& context, VkBuffer buffer, const BarrierSpec& spec, VkDeviceSize offset,
                           VkDeviceSize size) {
  VkBufferMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
  memory.srcAccessMask = spec.made;
  memory.dstAccessMask = spec.seen;
  memory.srcQueueFamilyIndex = memory.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  memory.buffer = buffer;
  memory.offset = offset;
  memory.size = size;
  vkCmdPipelineBarrier(context.commands(), spec.from, spec.to, 0, 0, nullptr, 1, &memory, 0, nullptr);
}

}  // namespace

Step barrier_in_pass(VkAccessFlags made, VkAccessFlags seen) {
  return {[=](Context& context) {
    VkMemoryBarrier memory{};
    memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    memory.srcAccessMask = made;
    memory.dstAccessMask = seen;
    vkCmdPipelineBarrier(context.commands(), kFragment, kFragment, VK_DEPENDENCY_BY_REGION_BIT, 1, &memory, 0,
                         nullptr, 0, nullptr);
  }};
}

Step buffer_barrier(uint32_t buffer, BarrierSpec spec, VkDeviceSize offset, VkDeviceSize size) {
  return {[=](Context& context) {
    record_buffer_barrier(context, context.buffers[buffer].handle, spec, offset, size);
  }};
}

Step memory_buffer_barrier(uint32_t image, BarrierSpec spec) {
  return {[=](Context& context) {
    record_buffer_barrier(context, context.memory_buffers[image], spec, 0, VK_WHOLE_SIZE);
  }};
}

namespace {

VkMemoryBarrier2 memory_barrier2(VkPipelineStageFlags2 from, VkAccessFlags2 made, VkPipelineStageFlags2 to,
                                 VkAccessFlags2 seen) {
  VkMemoryBarrier2 memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2;
  memory.srcStageMask = from;
  memory.srcAccessMask = made;
  memory.dstStageMask = to;
  memory.dstAccessMask = seen;
  return memory;
}

VkDependencyInfo dependency(const VkMemoryBarrier2& memory) {
  VkDependencyInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
  info.memoryBarrierCount = 1;
  info.pMemoryBarriers = &memory;
  return info;
}

}  // namespace

Step barrier2(VkPipelineStageFlags2 from, VkAccessFlags2 made, VkPipelineStageFlags2 to,
              VkAccessFlags2 seen) {
  return {[=](Context& context) {
    const VkMemoryBarrier2 memory = memory_barrier2(from, made, to, seen);
    const VkDependencyInfo info = dependency(memory);
    vkCmdPipelineBarrier2(context.commands(), &info);
  }};
}

Step fill_buffer(uint32_t buffer, uint32_t value) {
  return {[=](Context& context) {
    vkCmdFillBuffer(context.commands(), context.buffers[buffer].handle, 0, VK_WHOLE_SIZE, value);
  }};
}

Step event_set_and_wait(BarrierSpec spec) {
  return {[=](Context& context) {
    const VkEvent event = context.event();
    VkMemoryBarrier memory{};
    memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    memory.srcAccessMask = spec.made;
    memory.dstAccessMask = spec.seen;
    vkCmdSetEvent(context.commands(), event, spec.from);
    vkCmdWaitEvents(context.commands(), 1, &event, spec.from, spec.to, 1, &memory, 0, nullptr, 0, nullptr);
  }};
}

Step event2_set_and_wait() {
  return {[](Context& context) {
    const VkEvent event = context.event();
    const VkMemoryBarrier2 memory =
        memory_barrier2(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_WRITE_BIT,
                        VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_READ_BIT);
    const VkDependencyInfo info = dependency(memory);
    vkCmdSetEvent2(context.commands(), event, &info);
    vkCmdWaitEvents2(context.commands(), 1, &event, &info);
  }};
}

Step submit_now() {
  return {[](Context& context) { context.submit(); }};
}

Step next_command_buffer() {
  return {[](Context& context) { context.keep_command_buffer(); }};
}

Step resubmit() {
  return {[](Context& context) { context.submit_again(); }};
}

Step binary_semaphore(VkPipelineStageFlags stages) {
  return {[=](Context& context) {
    const VkSemaphore semaphore = context.semaphore(false);
    context.submit(VK_NULL_HANDLE, semaphore);
    context.wait_before_next({semaphore, 0, stages});
  }};
}

Step submit_by_2() {
  return {[](Context& context) { context.submit_by_2(); }};
}

Step use_queue(uint32_t number) {
  return {[=](Context& context) { context.use_queue(number); }};
}

Step use_other_family() {
  return {[](Context& context) { context.use_other_family(); }};
}

// From the family of the first queues to the other one: each has its half of the barrier.
Step transfer_ownership(uint32_t buffer, bool release, VkPipelineStageFlags stages, VkAccessFlags accesses) {
  return {[=](Context& context) {
    VkBufferMemoryBarrier memory{};
    memory.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
    (release ? memory.srcAccessMask : memory.dstAccessMask) = accesses;
    memory.srcQueueFamilyIndex = context.device.queue_family;
    memory.dstQueueFamilyIndex = context.device.other_queue_family;
    memory.buffer = context.buffers[buffer].handle;
    memory.size = VK_WHOLE_SIZE;
    const VkPipelineStageFlags top = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT;
    const VkPipelineStageFlags bottom = VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT;
    vkCmdPipelineBarrier(context.commands(), release ? stages : top, release ? bottom : stages, 0, 0, nullptr,
                         1, &memory, 0, nullptr);
  }};
}

Step timeline_semaphore() {
  return {[](Context& context) {
    const VkSemaphore semaphore = context.semaphore(true);
    context.submit(VK_NULL_HANDLE, semaphore, 5);
    context.wait_before_next({semaphore, 5, kCompute});
  }};
}

Step fence_wait() {
  return {[](Context& context) {
    const VkFence fence = context.fence();
    context.submit(fence);
    check(vkWaitForFences(context.device.handle, 1, &fence, VK_TRUE, ~0ull), "vkWaitForFences");
  }};
}

Step fence_poll() {
  return {[](Context& context) {
    const VkFence fence = context.fence();
    context.submit(fence);
    while (vkGetFenceStatus(context.device.handle, fence) == VK_NOT_READY) {
    }
  }};
}

Step queue_idle() {
  return {[](Context& context) {
    context.submit();
    check(vkQueueWaitIdle(context.queue()), "vkQueueWaitIdle");
  }};
}

Step device_idle() {
  return {[](Context& context) {
    context.submit();
    check(vkDeviceWaitIdle(context.device.handle), "vkDeviceWaitIdle");
  }};
}

Step timeline_host_wait() {
  return {[](Context& context) {
    const VkSemaphore semaphore = context.semaphore(true);
    context.submit(VK_NULL_HANDLE, semaphore, 3);
    const uint64_t value = 3;
    VkSemaphoreWaitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
    info.semaphoreCount = 1;
    info.pSemaphores = &semaphore;
    info.pValues = &value;
    check(vkWaitSemaphores(context.device.handle, &info, ~0ull), "vkWaitSemaphores");
  }};
}

Step map_again(uint32_t buffer) {
  return {[buffer](Context& context) {
    kit::Buffer& one = context.buffers[buffer];
    vkUnmapMemory(context.device.handle, one.memory);
    check(vkMapMemory(context.device.handle, one.memory, 0, VK_WHOLE_SIZE, 0, &one.mapped), "vkMapMemory");
  }};
}

Step invalidate(uint32_t buffer) {
  return {[buffer](Context& context) {
    VkMappedMemoryRange range{};
    range.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE;
    range.memory = context.buffers[buffer].memory;
    range.size = VK_WHOLE_SIZE;
    check(vkInvalidateMappedMemoryRanges(context.device.handle, 1, &range), "vkInvalidateMappedMemoryRanges");
  }};
}

Step event_host_wait() {
  return {[](Context& context) {
    const VkEvent event = context.event();
    vkCmdSetEvent(context.commands(), event, kCompute);
    context.submit();
    while (vkGetEventStatus(context.device.handle, event) == VK_EVENT_RESET) {
    }
  }};
}

Step secondary(std::vector<Step> steps, bool inside_rendering) {
  return {[=](Context& context) {
    context.begin_secondary(inside_rendering);
    for (const Step& step : steps)
      if (step.of == Step::Of::both || (step.of == Step::Of::racy) == context.racy) step.act(context);
    context.end_secondary();
  }};
}

Step execute_again() {
  return {[](Context& context) { context.execute_again(); }};
}

Step dynamic_offsets(std::vector<uint32_t> offsets) {
  return {[=](Context& context) { context.dynamic_offsets = offsets; }};
}

Step begin_pass(std::vector<VkSubpassDependency> dependencies, uint32_t subpasses, bool secondary) {
  return {[=](Context& context) { context.begin_pass(dependencies, subpasses, secondary); }};
}
Step next_subpass() {
  return {[](Context& context) { context.next_subpass(); }};
}
Step end_pass() {
  return {[](Context& context) { context.end_pass(); }};
}
Step begin_rendering() {
  return {[](Context& context) { context.begin_rendering(); }};
}
Step end_rendering() {
  return {[](Context& context) { context.end_rendering(); }};
}

Step draw(std::vector<uint32_t> shaders, uint32_t vertices, uint32_t instances) {
  return {[=](Context& context) {
    context.bind_graphics(shaders);
    vkCmdDraw(context.commands(), vertices, instances, 0, 0);
  }};
}

Step bind_vertices(uint32_t binding, uint32_t buffer, VkDeviceSize offset) {
  return {[=](Context& context) {
    vkCmdBindVertexBuffers(context.commands(), binding, 1, &context.buffers[buffer].handle, &offset);
  }};
}

Step draw_indirect(std::vector<uint32_t> shaders, uint32_t buffer) {
  return draws_indirect(std::move(shaders), buffer, 1);
}

Step draws_indirect(std::vector<uint32_t> shaders, uint32_t buffer, uint32_t count) {
  return {[=](Context& context) {
    context.bind_graphics(shaders);
    vkCmdDrawIndirect(context.commands(), context.buffers[buffer].handle, 0, count, 16);
  }};
}

Step draw_indexed(std::vector<uint32_t> shaders, uint32_t indices, uint32_t first, uint32_t count) {
  return {[=](Context& context) {
    context.bind_graphics(shaders);
    vkCmdBindIndexBuffer(context.commands(), context.buffers[indices].handle, 0, VK_INDEX_TYPE_UINT32);
    vkCmdDrawIndexed(context.commands(), count, 1, first, 0, 0);
  }};
}
Step draw_indexed_indirect(std::vector<uint32_t> shaders, uint32_t buffer, uint32_t indices) {
  return {[=](Context& context) {
    context.bind_graphics(shaders);
    vkCmdBindIndexBuffer(context.commands(), context.buffers[indices].handle, 0, VK_INDEX_TYPE_UINT32);
    vkCmdDrawIndexedIndirect(context.commands(), context.buffers[buffer].handle, 0, 1, 20);
  }};
}

Step draw_indirect_count(std::vector<uint32_t> shaders, uint32_t buffer, uint32_t count_buffer,
                         uint32_t stride) {
  return {[=](Context& context) {
    context.bind_graphics(shaders);
    vkCmdDrawIndirectCount(context.commands(), context.buffers[buffer].handle, 0,
                           context.buffers[count_buffer].handle, 0, 2, stride);
  }};
}

Step draw_mesh(std::vector<uint32_t> shaders, uint32_t groups) {
  return {[=](Context& context) {
    context.bind_graphics(shaders);
    vkCmdDrawMeshTasksEXT(context.commands(), groups, 1, 1);
  }};
}

}  // namespace sync_cases
