// SPDX-License-Identifier: Apache-2.0
// Elements of rows whose width a uniform block says, and what other invocations and dispatches do to them.
#include "sync_steps.h"

namespace sync_cases {
namespace {

// Four workgroups of 64 have rows of 80 words.
constexpr uint32_t kWidth = 80, kRows = 4;

const std::string kSizes = std::string(kDeclare) + R"(
layout(set = 0, binding = 2) uniform Sizes { uint width, limit; };
uint l = gl_LocalInvocationID.x;
uint g = gl_WorkGroupID.x;
)";

Case rows(const char* name, std::vector<std::string> bodies, std::vector<Step> steps, Expected expected) {
  Case test{
      .group = "rows",
      .name = name,
      .buffers = {{.name = "data", .bytes = 4096},
                  {.name = "result", .bytes = 4096},
                  {.name = "sizes", .bytes = 256, .words = {kWidth, kWidth}}},
      .steps = std::move(steps),
      .expected = expected,
      .bindings = {{.binding = 0, .buffers = {0}},
                   {.binding = 1, .buffers = {1}},
                   {.binding = 2, .type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .buffers = {2}, .range = 16}},
      .exact_only = true};
  for (const std::string& body : bodies)
    test.shaders.push_back({"comp", kSizes + "void main() {\n" + body + "}\n"});
  return test;
}

Expected of_data(const char* hazard_class, const char* access) {
  return {.hazard_class = hazard_class,
          .access = access,
          .buffer = "data",
          .size = 4,
          .multiple = 4,
          .below = 4096};
}

// Two workgroups store to one element, or none do.
Case stores(const char* name, const std::string& racy, const std::string& correct) {
  return rows(name, {"#ifdef RACY\n  " + racy + "  //!\n#else\n  " + correct + "\n#endif\n"},
              {dispatch(0, kRows)}, of_data("write after write", "store"));
}

// Without the guard the last invocations of a row store to the next one's first elements.
Case guarded() {
  const std::string store = "data[g * (width - 24u) + l] = i;";
  return stores("stores_behind_a_guard", store, "if (l < width - 24u) " + store);
}

Case in_a_loop() {
  const auto until = [](const std::string& end) {
    return "for (uint column = l; column < " + end + "; column += 64u) data[g * width + column] = column;";
  };
  return stores("stores_of_a_loop", until("width + 16u"), until("width"));
}

Case over_the_grid() {
  const auto by = [](const std::string& step) {
    return "for (uint at = i; at < 700u; at += " + step + ") data[limit + at] = at;";
  };
  return stores("stores_of_a_loop_over_the_grid", by("gl_NumWorkGroups.x * 64u - 8u"),
                by("gl_NumWorkGroups.x * 64u"));
}

// What is not compared within a dispatch is compared with the one before.
Case in_two_dispatches() {
  return rows(
      "an_update_of_the_dispatch_before",
      {"  if (l < limit) data[g * width + l] = i;\n", "  if (l < limit) data[g * width + l] += 1u;  //!\n"},
      {dispatch(0, kRows), only_correct(barrier()), dispatch(1, kRows)}, of_data("", ""));
}

Case from_an_offset() {
  return rows("a_read_from_an_offset", {"  data[width + i] = i;\n", "  result[i] = data[width + i];  //!\n"},
              {dispatch(0, kRows), only_correct(barrier()), dispatch(1, kRows)},
              of_data("read after write", "load"));
}

}  // namespace

std::vector<Case> row_cases() {
  return {guarded(), in_a_loop(), over_the_grid(), in_two_dispatches(), from_an_offset()};
}

}  // namespace sync_cases
