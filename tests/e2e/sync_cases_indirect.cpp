// SPDX-License-Identifier: Apache-2.0
// A shader writes the arguments of an indirect command; the command reads them.
#include "sync_steps.h"

namespace sync_cases {
namespace {

const std::string kArguments = R"(layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) buffer Arguments { uint arguments[]; };
layout(set = 0, binding = 3, std430) buffer Count { uint count; };
void main() {
)";
const std::string kUse = R"(layout(local_size_x = 64) in;
layout(set = 0, binding = 1, std430) buffer Result { uint result[]; };
void main() { result[gl_GlobalInvocationID.x] = 2u; }
)";
const std::string kPixel = R"(layout(location = 0) out vec4 colour;
layout(set = 0, binding = 1, std430) buffer Result { uint result[]; };
void main() {
  uvec2 at = uvec2(gl_FragCoord.xy);
  result[at.y * 16u + at.x] = at.x + 1u;
  colour = vec4(1.0);
}
)";

const BarrierSpec kToIndirect = {kCompute, kWrites, VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
                                 VK_ACCESS_INDIRECT_COMMAND_READ_BIT};

// Shaders that access no buffer: the command itself reads its arguments, and nothing else checks them.
const std::string kIdle = "layout(local_size_x = 64) in;\nvoid main() {}\n";
const std::string kPlainPixel = R"(layout(location = 0) out vec4 colour;
void main() { colour = vec4(1.0); }
)";

Case indirect(const char* name, const std::string& write, std::vector<Shader> users, std::vector<Step> use,
              const char* stage, uint32_t size, const char* buffer = "data") {
  Case test = {.group = "indirect",
               .name = name,
               .shaders = {{"comp", kArguments + write + "}\n"}},
               .buffers = {{.name = "data", .bytes = 256},
                           {.name = "result", .bytes = 1024},
                           {.name = "indices", .bytes = 64, .words = {0, 1, 2}},
                           {.name = "count", .bytes = 64}},
               .expected = {.hazard_class = "read after write",
                            .access = "indirect",
                            .buffer = buffer,
                            .stage = stage,
                            .size = size,
                            .line = false}};
  test.shaders.insert(test.shaders.end(), users.begin(), users.end());
  test.steps = {dispatch(0, 1), only_correct(barrier(kToIndirect))};
  test.steps.insert(test.steps.end(), use.begin(), use.end());
  return test;
}

void by_command(Case& test, const char* command) {
  test.expected.stage = "";
  test.expected.size = 4;
  test.expected.command = command;
  test.expected.earlier_command = "vkCmdDispatch";
  test.exact_only = true;
}

// The same commands with shaders of which nothing is checked.
std::vector<Case> of_commands_alone() {
  const std::vector<Shader> draws = {{"vert", kTriangle}, {"frag", kPlainPixel}};
  const std::string draw = "arguments[0] = 3u; arguments[1] = 1u;";
  const auto drawn = [](Step step) {
    return std::vector<Step>{begin_rendering(), std::move(step), end_rendering()};
  };
  std::vector<Case> cases;
  const auto add = [&](const char* command, Case test) {
    by_command(test, command);
    cases.push_back(std::move(test));
  };
  add("vkCmdDispatchIndirect", indirect("dispatch_arguments_alone", "arguments[0] = 4u;", {{"comp", kIdle}},
                                        {dispatch_indirect(1, 0)}, "", 4));
  add("vkCmdDrawIndirect",
      indirect("draw_arguments_alone", draw, draws, drawn(draw_indirect({1, 2}, 0)), "", 4));
  add("vkCmdDrawIndexedIndirect", indirect("indexed_draw_arguments_alone", draw, draws,
                                           drawn(draw_indexed_indirect({1, 2}, 0, 2)), "", 4));
  add("vkCmdDrawIndirectCount", indirect("draw_count_alone", "count = 1u;", draws,
                                         drawn(draw_indirect_count({1, 2}, 0, 3)), "", 4, "count"));
  add("vkCmdDrawIndirectCount",
      indirect("counted_draw_arguments_alone", draw, draws, drawn(draw_indirect_count({1, 2}, 0, 3)), "", 4));
  cases.back().buffers[3].words = {1};
  // No invocation of the second shader runs, which would check the arguments.
  Case after = indirect("arguments_alone_overwritten", "", {{"comp", kIdle}}, {}, "compute", 4);
  after.shaders[0].source = kArguments + "arguments[0] = 0u; }  //!\n";
  after.buffers[0].fill = 1;
  after.steps = {dispatch_indirect(1, 0),
                 only_correct(barrier({VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, 0, kCompute, 0})),
                 dispatch(0, 1)};
  after.expected = {.hazard_class = "write after read",
                    .access = "store",
                    .size = 4,
                    .multiple = 4,
                    .below = 256,
                    .earlier_command = "vkCmdDispatchIndirect"};
  after.exact_only = true;
  cases.push_back(std::move(after));
  return cases;
}

// A shader writes the predicate of conditional rendering.
std::vector<Case> of_predicates() {
  const auto barrier_to = [](VkPipelineStageFlags2 stage, VkAccessFlags2 seen) {
    return barrier2(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_WRITE_BIT, stage, seen);
  };
  const Step right = barrier_to(VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT,
                                VK_ACCESS_2_CONDITIONAL_RENDERING_READ_BIT_EXT),
             to_compute = barrier_to(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_READ_BIT);
  const auto predicate = [](const char* name, std::vector<Step> steps) {
    Case test = indirect(name, "arguments[0] = 1u;",
                         {{"vert", kTriangle}, {"frag", kPlainPixel}, {"comp", kIdle}}, {}, "", 4);
    test.extensions = {VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME};
    test.steps = std::move(steps);
    by_command(test, "vkCmdBeginConditionalRenderingEXT");
    test.expected.access = "load";
    return test;
  };
  Case after = predicate("predicate_overwritten",
                         {begin_condition(0), dispatch(3, 1), end_condition(),
                          only_correct(barrier2(VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT, 0,
                                                VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, 0)),
                          dispatch(0, 1)});
  after.shaders[0].source = kArguments + "arguments[0] = 0u; }  //!\n";
  after.buffers[0].fill = 1;
  after.expected = {.hazard_class = "write after read",
                    .access = "store",
                    .size = 4,
                    .multiple = 4,
                    .below = 4,
                    .earlier_command = "vkCmdBeginConditionalRenderingEXT"};
  return {
      predicate("predicate",
                {dispatch(0, 1), only_correct(right), begin_condition(0), dispatch(3, 1), end_condition()}),
      predicate("predicate_seen_by_other_reads", {dispatch(0, 1), only_correct(right), only_racy(to_compute),
                                                  begin_condition(0), dispatch(3, 1), end_condition()}),
      predicate("predicate_in_a_pass", {dispatch(0, 1), only_correct(right), begin_rendering(),
                                        begin_condition(0), draw({1, 2}), end_condition(), end_rendering()}),
      after};
}

}  // namespace

std::vector<Case> indirect_cases() {
  const std::vector<Shader> draws = {{"vert", kTriangle}, {"frag", kPixel}};
  const auto drawn = [](Step step) {
    return std::vector<Step>{begin_rendering(), std::move(step), end_rendering()};
  };
  std::vector<Case> cases = {
      indirect("dispatch_arguments", "arguments[0] = 4u; arguments[1] = 1u; arguments[2] = 1u;",
               {{"comp", kUse}}, {dispatch_indirect(1, 0)}, "compute", 12),
      indirect("dispatch_arguments_at_an_offset", "arguments[8] = 4u; arguments[9] = 1u; arguments[10] = 1u;",
               {{"comp", kUse}}, {dispatch_indirect(1, 0, 32)}, "compute", 12),
      indirect("draw_arguments", "arguments[0] = 3u; arguments[1] = 1u;", draws,
               drawn(draw_indirect({1, 2}, 0)), "", 16),
      indirect("indexed_draw_arguments", "arguments[0] = 3u; arguments[1] = 1u;", draws,
               drawn(draw_indexed_indirect({1, 2}, 0, 2)), "", 20),
      indirect("draw_count", "if (count == 0u) { count = 1u; }", draws,
               drawn(draw_indirect_count({1, 2}, 0, 3)), "", 4, "count"),
  };
  // Only the count is written; the first draw's arguments are there already.
  cases.back().buffers[0].words = {3, 1, 0, 0};
  by_command(cases.back(), "vkCmdDrawIndirectCount");
  // The arguments are overwritten while the command may still read them.
  Case after = indirect("arguments_overwritten", "", {{"comp", kUse}}, {}, "compute", 4);
  after.shaders[0].source = kArguments + "arguments[0] = 0u; }  //!\n";
  after.buffers[0].fill = 1;
  after.steps = {dispatch_indirect(1, 0),
                 only_correct(barrier({VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
                                       VK_ACCESS_INDIRECT_COMMAND_READ_BIT, kCompute, kWrites})),
                 dispatch(0, 1)};
  after.expected.hazard_class = "write after read";
  after.expected.access = "store";
  cases.push_back(after);
  for (Case& one : of_commands_alone()) cases.push_back(std::move(one));
  for (Case& one : of_predicates()) cases.push_back(std::move(one));
  return cases;
}

std::vector<Case> indirect_patterns() {
  // Arguments behind those that the count names are not read, nor is what lies between two.
  Case unread =
      indirect("arguments_that_are_not_read", "arguments[4] = 1u; arguments[5] = 1u; arguments[16] = 1u;",
               {{"vert", kTriangle}, {"frag", kPlainPixel}}, {}, "", 16);
  unread.buffers[0].words = {3, 1, 0, 0};
  unread.buffers[3].words = {1};
  unread.steps = {dispatch(0, 1), begin_rendering(), draw_indirect_count({1, 2}, 0, 3, 32),
                  draw_indirect_count({1, 2}, 0, 3), end_rendering()};
  unread.exact_only = true;
  return {unread};
}

}  // namespace sync_cases
