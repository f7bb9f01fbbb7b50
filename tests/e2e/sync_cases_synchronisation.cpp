// SPDX-License-Identifier: Apache-2.0
// One dispatch writes what the next reads. The correct twin has one of Vulkan's synchronisations between
// them, the racy one a look-alike that does not order them.
#include "sync_steps.h"

namespace sync_cases {
namespace {

const std::vector<BufferSpec> kDataAndResult = {{.name = "data", .bytes = 1024},
                                                {.name = "result", .bytes = 1024}};

// steps: what lies between the two dispatches, marked by twin.
Case between(const char* name, std::vector<Step> steps) {
  steps.insert(steps.begin(), dispatch(0));
  steps.push_back(dispatch(1));
  return {.group = "synchronisation",
          .name = name,
          .shaders = {{"comp", kWriteData}, {"comp", kReadData}},
          .buffers = kDataAndResult,
          .steps = std::move(steps),
          .expected = {.size = 4, .multiple = 4, .below = 1024}};
}

constexpr VkPipelineStageFlags2 kCompute2 = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;

std::vector<Case> between_two_dispatches() {
  return {
      between("global_barrier", {only_correct(barrier())}),
      between("buffer_barrier", {only_correct(buffer_barrier(0))}),
      between("all_commands_barrier",
              {only_correct(barrier({VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
                                     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_READ_BIT}))}),
      between("barrier2", {only_correct(barrier2(kCompute2, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, kCompute2,
                                                 VK_ACCESS_2_SHADER_STORAGE_READ_BIT))}),
      between("barrier_of_transfers_only",
              {only_correct(barrier()),
               only_racy(barrier({VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                                  VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT}))}),
      between("barrier_of_execution_only",
              {only_correct(barrier()), only_racy(barrier({kCompute, 0, kCompute, 0}))}),
      between("barrier_to_the_host_only",
              {only_correct(barrier()),
               only_racy(barrier({kCompute, kWrites, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT}))}),
      between("event", {only_correct(event_set_and_wait())}),
      between("event2", {only_correct(event2_set_and_wait())}),
      between("barrier_in_the_next_command_buffer", {next_command_buffer(), only_correct(barrier())}),
      between("barrier_before_the_next_submission", {only_correct(barrier()), submit_now()}),
      between("binary_semaphore", {only_correct(binary_semaphore()), only_racy(submit_now())}),
      between("semaphore_that_compute_waits_for",
              {only_correct(binary_semaphore(kCompute)),
               only_racy(binary_semaphore(VK_PIPELINE_STAGE_TRANSFER_BIT))}),
      between("timeline_semaphore", {only_correct(timeline_semaphore()), only_racy(submit_now())}),
      between("submit2_and_binary_semaphore", {submit_by_2(), only_correct(binary_semaphore(kCompute)),
                                               only_racy(binary_semaphore(VK_PIPELINE_STAGE_TRANSFER_BIT))}),
      between("submit2_and_timeline_semaphore",
              {submit_by_2(), only_correct(timeline_semaphore()), only_racy(submit_now())}),
      between("submit2_and_barrier2", {submit_by_2(),
                                       only_correct(barrier2(kCompute2, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
                                                             kCompute2, VK_ACCESS_2_SHADER_STORAGE_READ_BIT)),
                                       next_command_buffer()}),
  };
}

std::vector<Case> command_buffers_executed() {
  std::vector<Case> cases;
  Case secondary_barrier = between("barrier_in_a_secondary_command_buffer", {});
  secondary_barrier.steps = {secondary({dispatch(0)}), secondary({only_correct(barrier()), dispatch(1)})};
  cases.push_back(secondary_barrier);

  Case secondary_all = between("all_in_one_secondary_command_buffer", {});
  secondary_all.steps = {secondary({dispatch(0), only_correct(barrier()), dispatch(1)})};
  cases.push_back(secondary_all);

  // Each submission adds to what the one before left.
  Case again = between("command_buffer_submitted_again", {});
  again.shaders = {{"comp", std::string(kDeclare) + "void main() { data[i] += i; }  //!\n"}};
  again.steps = {only_correct(barrier({kCompute, kBoth, kCompute, kBoth})), dispatch(0), resubmit()};
  again.expected.hazard_class = "";  // what comes first may be the load or the store
  again.expected.access = "";
  cases.push_back(again);

  // A secondary command buffer is executed twice, by two primary ones.
  Case twice = between("secondary_executed_again", {});
  twice.shaders = again.shaders;
  twice.expected = again.expected;
  twice.steps = {
      secondary({dispatch(0)}), only_correct(barrier({kCompute, kBoth, kCompute, kBoth})), execute_again(),
      next_command_buffer(),    only_correct(barrier({kCompute, kBoth, kCompute, kBoth})), execute_again()};
  cases.push_back(twice);

  return cases;
}

// What one barrier makes available, a barrier of a later command buffer makes visible.
std::vector<Case> barriers_in_a_row() {
  std::vector<Case> cases;
  // An execution dependency is enough for a write after reads.
  Case anti = between("execution_dependency_before_a_write", {});
  anti.shaders = {{"comp", std::string(kDeclare) + "void main() { result[i] = data[i]; }\n"},
                  {"comp", std::string(kDeclare) + "void main() { data[i] = 5u; }  //!\n"}};
  anti.steps = {dispatch(0), only_correct(barrier({kCompute, 0, kCompute, 0})), dispatch(1)};
  anti.expected = {
      .hazard_class = "write after read", .access = "store", .size = 4, .multiple = 4, .below = 1024};
  cases.push_back(anti);

  const Step available = barrier({kCompute, kWrites, kCompute, 0});
  const Step visible = barrier({kCompute, 0, kCompute, kReads});
  constexpr VkPipelineStageFlags transfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
  for (Case test : {between("available_before_visible_in_the_next_command_buffer",
                            {only_correct(available), next_command_buffer(), visible}),
                    between("over_before_visible_in_the_next_command_buffer",
                            {only_correct(available), only_racy(barrier({kCompute, 0, kCompute, 0})),
                             next_command_buffer(), visible}),
                    between("available_before_visible_in_the_next_submission",
                            {only_correct(available), submit_now(), visible}),
                    between("chain_of_other_stages_in_the_next_command_buffer",
                            {only_correct(barrier({kCompute, kWrites, transfer, 0})), next_command_buffer(),
                             barrier({transfer, 0, kCompute, kReads})})}) {
    test.exact_only = true;
    cases.push_back(test);
  }

  // Their ranges overlap, and lie next to each other. The racy one leaves out a word.
  Case parts = between("barriers_of_parts_of_the_buffer",
                       {buffer_barrier(0, {}, 0, 256), buffer_barrier(0, {}, 128, 272),
                        only_correct(buffer_barrier(0, {}, 400, 4)), buffer_barrier(0, {}, 404)});
  parts.exact_only = true;
  parts.expected.multiple = 400;
  parts.expected.below = 404;
  cases.push_back(parts);

  Case filled = between("barrier_of_another_kind_in_front", {});
  filled.steps = {fill_buffer(0, 3),
                  barrier({VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, kCompute, kBoth}),
                  dispatch(0), only_correct(barrier()), dispatch(1)};
  cases.push_back(filled);
  return cases;
}

}  // namespace

std::vector<Case> synchronisation_cases() {
  std::vector<Case> cases;
  for (const auto& some : {between_two_dispatches(), command_buffers_executed(), barriers_in_a_row()})
    cases.insert(cases.end(), some.begin(), some.end());
  return cases;
}

// Without a race: what one queue marked is no business of another's.
std::vector<Case> queue_patterns() {
  Case queues = between("two_queues_of_a_family", {binary_semaphore(kCompute), use_queue(1)});
  queues.queues = 2;
  Case back = between("two_queues_and_back", {binary_semaphore(kCompute), use_queue(1), dispatch(1),
                                              binary_semaphore(kCompute), use_queue(0)});
  back.queues = 2;
  Case families = between("ownership_transfer",
                          {transfer_ownership(0, true, kCompute, kWrites), binary_semaphore(kCompute),
                           use_other_family(), transfer_ownership(0, false, kCompute, kReads)});
  families.other_family = true;
  queues.rare = back.rare = families.rare = true;
  return {queues, back, families};
}

// The host waits in between; the racy twins rely on the order of submission, which orders nothing.
std::vector<Case> host_cases() {
  const auto host = [](const char* name, Step wait) {
    Case test = between(name, {only_correct(std::move(wait)), only_racy(submit_now())});
    test.group = "host";
    return test;
  };
  return {host("fence", fence_wait()),
          host("fence_polled", fence_poll()),
          host("queue_idle", queue_idle()),
          host("device_idle", device_idle()),
          host("timeline_waited_by_the_host", timeline_host_wait()),
          host("event_seen_by_the_host", event_host_wait())};
}

}  // namespace sync_cases
