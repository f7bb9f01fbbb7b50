// SPDX-License-Identifier: Apache-2.0
// Programs with a race that the exact engine does not see (docs/internals/exact.md, What it does not see). A
// row whose race is found belongs to the other cases.
#include "instrument/runtime/cell_fields.h"
#include "sync_steps.h"

namespace sync_cases {
namespace {

Case undetected(const char* name, std::vector<Shader> shaders, std::vector<Step> steps) {
  return {.group = "undetected",
          .name = name,
          .shaders = std::move(shaders),
          .buffers = {{.name = "data", .bytes = 1024}, {.name = "result", .bytes = 1024}},
          .steps = std::move(steps),
          .exact_only = true};
}

// The numbers of both are the same in a cell.
Case workgroups_that_share_a_number() {
  constexpr uint32_t first = 0, second = 6577;
  static_assert((sqa_cell_group(first) & 0xfffu) == (sqa_cell_group(second) & 0xfffu));
  return undetected("workgroups_that_share_a_number",
                    {{"comp",
                      "layout(local_size_x = 1) in;\n"
                      "layout(set = 0, binding = 0) buffer Data { uint data[]; };\n"
                      "void main() { if (gl_WorkGroupID.x % 6577u == 0u) data[0] = 7u; }\n"}},
                    {dispatch(0, second + 1)});
}

// Only the last of 65 draws draws anything, from vertices that a shader writes.
Case draw_behind_the_64th() {
  Case test = undetected(
      "draw_behind_the_64th",
      {{"comp", std::string(kDeclare) + "void main() { data[i] = 0u; }\n"},
       {"vert",
        "layout(location = 0) in vec2 place;\n"
        "void main() { gl_Position = vec4(place, 0.0, 1.0); }\n"},
       {"frag",
        "layout(location = 0) out vec4 colour;\n"
        "void main() { colour = vec4(1.0); }\n"}},
      {dispatch(0), begin_rendering(), bind_vertices(0, 0), draws_indirect({1, 2}, 2, 65), end_rendering()});
  BufferSpec arguments{.name = "arguments", .bytes = 65 * 16};
  arguments.words.assign(64 * 4, 0);
  arguments.words.insert(arguments.words.end(), {3, 1, 0, 0});
  test.buffers.push_back(arguments);
  test.vertex_bindings = {{0, 8, VK_VERTEX_INPUT_RATE_VERTEX}};
  test.vertex_attributes = {{0, 0, VK_FORMAT_R32G32_SFLOAT, 0}};
  return test;
}

}  // namespace

const std::vector<Case>& undetected_cases() {
  static const std::vector<Case> cases = {workgroups_that_share_a_number(), draw_behind_the_64th()};
  return cases;
}

}  // namespace sync_cases
