// SPDX-License-Identifier: Apache-2.0
// What the device wrote, and the host reads once it has waited.
#include "sync_steps.h"

namespace sync_cases {
namespace {

constexpr VkPipelineStageFlags kHost = VK_PIPELINE_STAGE_HOST_BIT;
constexpr VkAccessFlags kHostReads = VK_ACCESS_HOST_READ_BIT;
constexpr BarrierSpec kToHost = {kCompute, kWrites, kHost, kHostReads};
constexpr BarrierSpec kFillToHost = {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, kHost,
                                     kHostReads};

// The shader writes data[i]; `result` and `copy` are written by nobody, unless a step says so.
Case reads(const char* name, const char* when, std::vector<Step> steps) {
  return {.group = "host_reads",
          .name = name,
          .shaders = {{"comp", kWriteData}, {"comp", kReadData}},
          .buffers = {{.name = "data"}, {.name = "result"}, {.name = "copy"}},
          .steps = std::move(steps),
          .exact_only = true,
          .host_reads = when};
}

Case race(const char* name, const char* when, std::vector<Step> steps, const char* reader,
          const char* writer = "vkCmdDispatch") {
  Case test = reads(name, when, std::move(steps));
  test.expected = {.stage = "",
                   .size = 4,
                   .multiple = 4,
                   .below = 1024,
                   .line = false,
                   .command = reader,
                   .earlier_command = writer};
  return test;
}

}  // namespace

std::vector<Case> host_read_cases() {
  const char* const after_fence = "the host after vkWaitForFences";
  return {
      race("read_after_a_fence", "waits", {dispatch(0), only_correct(barrier(kToHost)), fence_wait()},
           after_fence),
      race("read_after_a_polled_fence", "waits", {dispatch(0), only_correct(barrier(kToHost)), fence_poll()},
           "the host after vkGetFenceStatus"),
      race("read_after_the_queue_is_idle", "waits",
           {fill_buffer(0, 5), only_correct(barrier(kFillToHost)), queue_idle()},
           "the host after vkQueueWaitIdle", "vkCmdFillBuffer"),
      race("read_after_a_timeline", "waits",
           {dispatch(0), only_correct(barrier(kToHost)), timeline_host_wait()},
           "the host after vkWaitSemaphores"),
      race("all_commands_are_not_the_host", "waits",
           {dispatch(0), only_correct(barrier(kToHost)),
            only_racy(
                barrier({kCompute, kWrites, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_READ_BIT})),
            fence_wait()},
           after_fence),
      race("written_again_behind_the_barrier", "waits",
           {dispatch(0), barrier(kToHost), fence_wait(), dispatch(0), only_correct(barrier(kToHost)),
            fence_wait()},
           after_fence),
      race("mapped_to_read", "maps",
           {dispatch(0), only_correct(barrier(kToHost)), fence_wait(), map_again(0)},
           "the host through vkMapMemory"),
      race("invalidated_to_read", "maps",
           {dispatch(0), only_correct(barrier(kToHost)), fence_wait(), invalidate(0)},
           "the host after vkInvalidateMappedMemoryRanges"),
  };
}

std::vector<Case> host_read_patterns() {
  return {
      // In the next submission, through the transfer stage.
      reads("made_visible_by_a_later_submission", "waits",
            {dispatch(0), submit_now(),
             barrier({kCompute, kWrites, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT}),
             barrier({VK_PIPELINE_STAGE_TRANSFER_BIT, 0, kHost, kHostReads}), fence_wait()}),
      // Mapped since it was made, and nothing says that the host reads it.
      reads("mapped_and_never_read", "maps", {dispatch(0), fence_wait(), map_again(1), invalidate(1)}),
      reads("mapped_before_it_was_waited_for", "maps",
            {dispatch(0), submit_now(), map_again(0), barrier(kToHost), fence_wait()}),
      // The device may read and write without any barrier to the host.
      reads("read_by_shaders_alone", "maps", {dispatch(0), barrier(), dispatch(1), fence_wait()}),
  };
}

}  // namespace sync_cases
