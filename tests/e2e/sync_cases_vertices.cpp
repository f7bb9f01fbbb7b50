// SPDX-License-Identifier: Apache-2.0
// What draws read of vertex buffers, beside shaders and copies.
#include "sync_steps.h"

namespace sync_cases {
namespace {

constexpr VkPipelineStageFlags kVertexInput = VK_PIPELINE_STAGE_VERTEX_INPUT_BIT;
constexpr BarrierSpec kToVertices = {kCompute, kWrites, kVertexInput, VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT};
constexpr BarrierSpec kFromVertices = {kVertexInput, 0, kCompute, 0};
constexpr BarrierSpec kFromFill = {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                                   kVertexInput | kCompute | VK_PIPELINE_STAGE_TRANSFER_BIT,
                                   VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT | VK_ACCESS_INDEX_READ_BIT |
                                       VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};

const std::string kWriteVertices = std::string(kDeclare) + "void main() { data[i] = i; }  //!\n";
// The second attribute of the layout is not read.
const std::string kVertexShader = R"(layout(location = 0) in vec2 place;
layout(location = 2) in float depth;
void main() { gl_Position = vec4(place, depth, 1.0); }
)";
const std::string kPixelShader = R"(layout(location = 0) out vec4 colour;
void main() { colour = vec4(1.0); }
)";

constexpr BarrierSpec kToIndices = {kCompute, kWrites, kVertexInput, VK_ACCESS_INDEX_READ_BIT};

// Vertices of 16 bytes: two words, one that is not read, and one that nobody has; or instances of one word.
Case vertices(const char* name, std::vector<Step> steps, Expected expected = {}) {
  return {.group = "vertices",
          .name = name,
          .shaders = {{"comp", kWriteVertices}, {"vert", kVertexShader}, {"frag", kPixelShader}},
          .buffers = {{.name = "data"}, {.name = "result"}, {.name = "instances"}},
          .steps = std::move(steps),
          .expected = expected,
          .exact_only = true,
          .vertex_bindings = {{0, 16, VK_VERTEX_INPUT_RATE_VERTEX}, {4, 4, VK_VERTEX_INPUT_RATE_INSTANCE}},
          .vertex_attributes = {{0, 0, VK_FORMAT_R32G32_SFLOAT, 0},
                                {1, 0, VK_FORMAT_R32_SFLOAT, 8},
                                {2, 4, VK_FORMAT_R32_SFLOAT, 0}}};
}

Expected fill_behind(const char* draw) {
  return {.hazard_class = "write after read",
          .access = "store",
          .stage = "",
          .size = 4,
          .multiple = 4,
          .below = 1024,
          .line = false,
          .command = "vkCmdFillBuffer",
          .earlier_command = draw};
}

// By these arguments, in buffer 3; buffer 4 has the number of draws.
Case indirect_vertices(const char* name, std::vector<uint32_t> arguments, std::vector<Step> steps,
                       Expected expected = {}) {
  Case test = vertices(name, std::move(steps), expected);
  test.buffers.push_back({.name = "arguments", .bytes = 256, .words = std::move(arguments)});
  test.buffers.push_back({.name = "count", .bytes = 64, .words = {1}});
  return test;
}

Case strips(Case test) {
  test.strips = true;
  return test;
}

Expected draw_behind(const char* earlier, const char* command = "vkCmdDraw") {
  return {.access = "load",
          .stage = "",
          .size = 4,
          .multiple = 4,
          .below = 1024,
          .line = false,
          .command = command,
          .earlier_command = earlier};
}

Expected write_behind_draw(const char* command) {
  Expected expected = {.hazard_class = "write after read",
                       .access = "store",
                       .size = 4,
                       .multiple = 4,
                       .below = 1024,
                       .earlier_command = command};
  return expected;
}

Step draw_part(uint32_t vertices, uint32_t instances, uint32_t first_vertex, uint32_t first_instance) {
  return {[=](Context& context) {
    context.bind_graphics({1, 2});
    vkCmdDraw(context.commands(), vertices, instances, first_vertex, first_instance);
  }};
}

// By 16-bit indices, from the begin of the buffer on.
Step draw_named(uint32_t indices, uint32_t count, int32_t vertex_offset) {
  return {[=](Context& context) {
    context.bind_graphics({1, 2});
    vkCmdBindIndexBuffer(context.commands(), context.buffers[indices].handle, 0, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndexed(context.commands(), count, 1, 0, vertex_offset, 0);
  }};
}

std::vector<Case> direct_draws() {
  const Step by_vertex = bind_vertices(0, 0), by_instance = bind_vertices(4, 2);
  return {
      vertices("write_then_draw",
               {dispatch(0), only_correct(barrier(kToVertices)), by_vertex, by_instance, begin_rendering(),
                draw({1, 2}), end_rendering()},
               draw_behind("vkCmdDispatch")),
      vertices("fill_then_draw",
               {fill_buffer(0, 0), only_correct(barrier(kFromFill)), by_vertex, by_instance, begin_pass(),
                draw({1, 2}), end_pass()},
               draw_behind("vkCmdFillBuffer")),
      vertices("barrier_to_the_vertex_shader_alone",
               {dispatch(0), only_correct(barrier(kToVertices)),
                only_racy(barrier({kCompute, kWrites, VK_PIPELINE_STAGE_VERTEX_SHADER_BIT, kReads})),
                by_vertex, by_instance, begin_rendering(), draw({1, 2}), end_rendering()},
               draw_behind("vkCmdDispatch")),
      vertices("write_then_draw_instances",
               {dispatch(0), only_correct(barrier(kToVertices)), bind_vertices(0, 2), bind_vertices(4, 0),
                begin_rendering(), draw({1, 2}, 3, 7), end_rendering()},
               draw_behind("vkCmdDispatch")),
      vertices("instances_of_an_indexed_draw",
               {fill_buffer(1, 0), dispatch(0), only_correct(barrier(kToVertices)), barrier(kFromFill),
                bind_vertices(0, 2), bind_vertices(4, 0), begin_rendering(), draw_indexed({1, 2}, 1, 0, 3),
                end_rendering()},
               draw_behind("vkCmdDispatch", "vkCmdDrawIndexed")),
      vertices("vertices_that_indices_name",
               {fill_buffer(1, 0), dispatch(0), only_correct(barrier(kToVertices)), barrier(kFromFill),
                by_vertex, by_instance, begin_rendering(), draw_indexed({1, 2}, 1, 0, 3), end_rendering()},
               draw_behind("vkCmdDispatch", "vkCmdDrawIndexed")),
      // All name vertex 5 - 2: words 12 and 13.
      vertices("named_by_16_bits_and_an_offset",
               {fill_buffer(0, 0), fill_part(1, 0, 8, 0x00050005), barrier(kFromFill), by_vertex, by_instance,
                begin_rendering(), draw_named(1, 3, -2), end_rendering(),
                only_correct(barrier({kVertexInput, 0, VK_PIPELINE_STAGE_TRANSFER_BIT, 0})),
                fill_part(0, 52, 4, 1)},
               fill_behind("vkCmdDrawIndexed")),
      vertices("draw_then_write",
               {fill_buffer(0, 0), barrier(kFromFill), by_vertex, by_instance, begin_pass(), draw({1, 2}),
                end_pass(), only_correct(barrier(kFromVertices)), dispatch(0)},
               write_behind_draw("vkCmdDraw")),
  };
}

std::vector<Case> indirect_draws() {
  const Step by_vertex = bind_vertices(0, 0), by_instance = bind_vertices(4, 2);
  return {
      indirect_vertices("write_then_draw_indirect", {3, 1},
                        {dispatch(0), only_correct(barrier(kToVertices)), by_vertex, by_instance,
                         begin_rendering(), draw_indirect({1, 2}, 3), end_rendering()},
                        draw_behind("vkCmdDispatch", "vkCmdDrawIndirect")),
      indirect_vertices("write_then_draw_indirect_instances", {3, 7},
                        {dispatch(0), only_correct(barrier(kToVertices)), bind_vertices(0, 2),
                         bind_vertices(4, 0), begin_pass(), draw_indirect({1, 2}, 3), end_pass()},
                        draw_behind("vkCmdDispatch", "vkCmdDrawIndirect")),
      indirect_vertices("indices_of_an_indirect_draw", {3, 1},
                        {dispatch(0), only_correct(barrier(kToIndices)), bind_vertices(0, 2), by_instance,
                         begin_rendering(), draw_indexed_indirect({1, 2}, 3, 0), end_rendering()},
                        draw_behind("vkCmdDispatch", "vkCmdDrawIndexedIndirect")),
      indirect_vertices(
          "vertices_that_indices_of_an_indirect_draw_name", {3, 1},
          {fill_buffer(1, 0), dispatch(0), only_correct(barrier(kToVertices)), barrier(kFromFill), by_vertex,
           by_instance, begin_rendering(), draw_indexed_indirect({1, 2}, 3, 1), end_rendering()},
          draw_behind("vkCmdDispatch", "vkCmdDrawIndexedIndirect")),
      indirect_vertices("write_then_draw_counted", {3, 1},
                        {dispatch(0), only_correct(barrier(kToVertices)), by_vertex, by_instance,
                         begin_rendering(), draw_indirect_count({1, 2}, 3, 4), end_rendering()},
                        draw_behind("vkCmdDispatch", "vkCmdDrawIndirectCount")),
      // From the 2nd vertex on: words 8 and 9.
      indirect_vertices("draw_indirect_then_write", {1, 1, 2},
                        {fill_buffer(0, 0), barrier(kFromFill), by_vertex, by_instance, begin_rendering(),
                         draw_indirect({1, 2}, 3), end_rendering(),
                         only_correct(barrier({kVertexInput, 0, VK_PIPELINE_STAGE_TRANSFER_BIT, 0})),
                         fill_part(0, 36, 4, 1)},
                        fill_behind("vkCmdDrawIndirect")),
  };
}

}  // namespace

std::vector<Case> vertex_cases() {
  std::vector<Case> cases = direct_draws();
  for (const Case& one : indirect_draws()) cases.push_back(one);
  return cases;
}

std::vector<Case> vertex_patterns() {
  // From the 2nd vertex on: words 8 and 9, 12 and 13, 16 and 17. From the 3rd instance on: words 3, 4.
  return {
      vertices("what_lies_beside_the_vertices",
               {fill_buffer(0, 0), fill_buffer(2, 0), barrier(kFromFill), bind_vertices(0, 0),
                bind_vertices(4, 2), begin_rendering(), draw_part(3, 2, 2, 3), end_rendering(),
                fill_part(0, 0, 32, 1), fill_part(0, 40, 8, 1), fill_part(0, 56, 8, 1),
                fill_part(0, 72, 952, 1), fill_part(2, 0, 12, 1), fill_part(2, 20, 1004, 1)}),
      vertices(
          "vertices_that_indices_do_not_name",
          {fill_buffer(0, 0), fill_buffer(1, 0), barrier(kFromFill), bind_vertices(0, 0), bind_vertices(4, 2),
           begin_rendering(), draw_indexed({1, 2}, 1, 0, 3), end_rendering(), fill_part(0, 8, 1016, 1)}),
      indirect_vertices("what_lies_beside_the_vertices_of_an_indirect_draw", {3, 2, 2, 3},
                        {fill_buffer(0, 0), fill_buffer(2, 0), barrier(kFromFill), bind_vertices(0, 0),
                         bind_vertices(4, 2), begin_rendering(), draw_indirect({1, 2}, 3), end_rendering(),
                         fill_part(0, 0, 32, 1), fill_part(0, 40, 8, 1), fill_part(0, 56, 8, 1),
                         fill_part(0, 72, 952, 1), fill_part(2, 0, 12, 1), fill_part(2, 20, 1004, 1)}),
      // The draw reads the second index only, which names vertex 5 - 2: words 12 and 13.
      indirect_vertices(
          "indices_and_vertices_that_arguments_do_not_name", {1, 1, 1, static_cast<uint32_t>(-2)},
          {fill_buffer(0, 0), fill_buffer(1, 5), fill_buffer(2, 0), barrier(kFromFill), bind_vertices(0, 0),
           bind_vertices(4, 2), begin_rendering(), draw_indexed_indirect({1, 2}, 3, 1), end_rendering(),
           fill_part(0, 0, 48, 1), fill_part(0, 56, 968, 1), fill_part(1, 0, 4, 1), fill_part(1, 8, 1016, 1),
           fill_part(2, 4, 1020, 1)}),
      // The second draw would read all, but only one is made; nor do draws of nothing read anything.
      indirect_vertices("counted_draws_that_are_not_made", {1, 1, 0, 0, 64, 1, 0, 0},
                        {fill_buffer(0, 0), fill_buffer(2, 0), barrier(kFromFill), bind_vertices(0, 0),
                         bind_vertices(4, 2), begin_rendering(), draw_indirect_count({1, 2}, 3, 4),
                         end_rendering(), fill_part(0, 8, 1016, 1), fill_part(2, 4, 1020, 1)}),
      indirect_vertices("indirect_draws_of_nothing", {64, 0, 0, 0},
                        {fill_buffer(0, 0), fill_buffer(2, 0), barrier(kFromFill), bind_vertices(0, 0),
                         bind_vertices(4, 2), begin_rendering(), draw_indirect({1, 2}, 3), end_rendering(),
                         fill_part(0, 0, 1024, 1), fill_part(2, 0, 1024, 1)}),
      // Vertices 62 to 65, of 64: what lies behind the buffer names nothing in it.
      indirect_vertices("arguments_that_name_what_is_behind_the_buffer", {4, 1, 62, 0},
                        {fill_buffer(0, 0), fill_buffer(2, 0), barrier(kFromFill), bind_vertices(0, 0),
                         bind_vertices(4, 2), begin_rendering(), draw_indirect({1, 2}, 3), end_rendering(),
                         fill_part(0, 0, 992, 1), fill_part(2, 4, 1020, 1)}),
      // With the offset the highest index would be the second vertex, were it one.
      strips(indirect_vertices(
          "restarts_with_an_offset", {4, 1, 0, 2},
          {fill_buffer(0, 0), fill_buffer(1, 0xffffffff), fill_buffer(2, 0), barrier(kFromFill),
           bind_vertices(0, 0), bind_vertices(4, 2), begin_rendering(), draw_indexed_indirect({1, 2}, 3, 1),
           end_rendering(), fill_part(0, 0, 1024, 1), fill_part(2, 4, 1020, 1)})),
      // Restarts, what an offset makes negative, and what lies behind the buffer name nothing.
      vertices("indices_that_name_nothing",
               {fill_buffer(0, 0), fill_part(1, 0, 4, 0xffffffff), fill_part(1, 4, 4, 0x00010001),
                fill_part(1, 8, 4, 0x00ff00ff), barrier(kFromFill), bind_vertices(0, 0), bind_vertices(4, 2),
                begin_rendering(), draw_named(1, 6, -3), end_rendering(), fill_part(0, 0, 1024, 1)}),
  };
}

}  // namespace sync_cases
