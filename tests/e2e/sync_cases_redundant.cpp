// SPDX-License-Identifier: Apache-2.0
// Correct programs, some with a barrier too much: what is listed of them.
#include "sync_steps.h"

namespace sync_cases {
namespace {

constexpr VkPipelineStageFlags kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr BarrierSpec kToTransfer = {kCompute, kWrites, kTransfer, VK_ACCESS_TRANSFER_READ_BIT};
constexpr BarrierSpec kFromTransfer = {kTransfer, VK_ACCESS_TRANSFER_WRITE_BIT, kCompute, kBoth};
const std::string kWriteOther = std::string(kDeclare) +
                                "layout(set = 0, binding = 2, std430) buffer Other { uint other[]; };\n"
                                "void main() { other[i] = i; }\n";
const std::string kHalves = std::string(kDeclare) + "void main() { data[i + HALF] = i; }\n";
const std::string kIncrement = std::string(kDeclare) + "void main() { data[i] += i; }\n";
const std::string kCount = std::string(kDeclare) + "void main() { atomicAdd(data[0], 1u); }\n";

Case program(const char* name, std::vector<Shader> shaders, std::vector<Step> steps) {
  return {.group = "redundant",
          .name = name,
          .shaders = std::move(shaders),
          .buffers = {{.name = "data", .bytes = 2048}, {.name = "result"}, {.name = "other"}},
          .steps = std::move(steps)};
}

std::string half(const char* at) { return "#define HALF " + std::string(at) + "\n" + kHalves; }

}  // namespace

const std::vector<RedundantCase>& redundant_cases() {
  const std::vector<Shader> write_and_read = {{"comp", kWriteData}, {"comp", kReadData}};
  static const std::vector<RedundantCase> cases = {
      {program("one_barrier", write_and_read, {dispatch(0), barrier(), dispatch(1)}), {}},
      {program("the_same_barrier_twice", write_and_read, {dispatch(0), barrier(), barrier(), dispatch(1)}),
       {"(number 2 there), passed once, ordered no conflicting accesses that another one does not order: "
        "the "}},
      {program("between_other_buffers", {{"comp", kWriteData}, {"comp", kWriteOther}},
               {dispatch(0), barrier(), dispatch(1)}),
       {"between action 1, vkCmdDispatch(4, 1, 1) and action 2, vkCmdDispatch(4, 1, 1), passed once"}},
      {program("between_halves_of_a_buffer", {{"comp", half("0")}, {"comp", half("256")}},
               {dispatch(0), barrier(), dispatch(1)}),
       {"vkCmdPipelineBarrier (COMPUTE_SHADER, SHADER_WRITE -> COMPUTE_SHADER, SHADER_READ|SHADER_WRITE)"}},
      {program("of_the_wrong_buffer", write_and_read,
               {dispatch(0), barrier(), buffer_barrier(2), dispatch(1)}),
       {"other\", bytes 0 to 1024"}},
      {program("between_counts", {{"comp", kCount}}, {dispatch(0), barrier(), dispatch(0)}), {"passed once"}},
      {program("of_every_iteration_one_is_too_much", {{"comp", kIncrement}},
               {barrier(), dispatch(0), barrier(), barrier(), dispatch(0), resubmit(), resubmit()}),
       {"passed 2 times"}},
      {program("copied_to_and_from", write_and_read,
               {fill_buffer(0, 3), barrier(kFromTransfer), dispatch(1),
                barrier({kCompute, kBoth, kCompute, kBoth}), dispatch(0), barrier(kToTransfer),
                copy_buffer(0, 2)}),
       {}},
      {program("waited_for", write_and_read, {dispatch(0), barrier(), fence_wait(), dispatch(1)}),
       {"behind action 1"}},
      {program("for_an_image", write_and_read,
               {begin_rendering(), end_rendering(), dispatch(0),
                barrier({VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_READ_BIT}),
                begin_rendering(), end_rendering()}),
       {}},
  };
  return cases;
}

}  // namespace sync_cases
