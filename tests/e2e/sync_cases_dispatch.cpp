// SPDX-License-Identifier: Apache-2.0
// Races inside one dispatch, and programs that look like races and are none.
#include "sync_steps.h"

namespace sync_cases {
namespace {

const std::vector<BufferSpec> kDataAndResult = {{.name = "data", .bytes = 1024, .fill = 1},
                                                {.name = "result", .bytes = 1024},
                                                {.name = "more", .bytes = 16384}};
const std::string kMore = std::string(kDeclare) + R"(
layout(set = 0, binding = 2, std430) coherent buffer More { uint more[]; };
uint l = gl_LocalInvocationID.x;
uint g = gl_WorkGroupID.x;
)";

// Racy by `#ifdef RACY`. hazard_class and access empty: either party of the race may come second.
Case inside(const char* name, const std::string& shader, Expected expected, uint32_t groups = 4) {
  return {.group = "dispatch",
          .name = name,
          .shaders = {{"comp", kMore + shader}},
          .buffers = kDataAndResult,
          .steps = {dispatch(0, groups)},
          .expected = expected};
}

Expected any(const char* buffer = "data") {
  return {.hazard_class = "", .access = "", .buffer = buffer, .size = 4, .multiple = 4};
}

Expected write_write(const char* buffer, int64_t below, uint32_t size = 4, int64_t multiple = 4) {
  return {.hazard_class = "write after write",
          .access = "store",
          .buffer = buffer,
          .size = size,
          .multiple = multiple,
          .below = below};
}

// Stores to elements that seem to be their invocation's own.
Case own_elements(const char* name, const std::string& shader, std::vector<Step> steps, Expected expected) {
  Case test = inside(name, shader, expected);
  test.group = "own_elements";
  test.steps = std::move(steps);
  return test;
}

Step dispatch_of(uint32_t x, uint32_t y) {
  return {[=](Context& context) {
    context.bind_compute(0);
    vkCmdDispatch(context.commands(), x, y, 1);
  }};
}
Step dispatch_rows(uint32_t rows) { return dispatch_of(4, rows); }

struct Inside {
  const char* name;
  const char* shader;
  Expected expected;  // of the racy twin
};
const Inside kInside[] = {
    {"neighbour_written", R"(void main() {
#ifdef RACY
  more[i * 4u] = i;                //!
  more[((i + 1u) % 256u) * 4u] = i;  //!
#else
  more[i * 8u] = i;
  more[i * 8u + 4u] = i;
#endif
})",
     write_write("more", 4096)},
    {"all_write_one_word", R"(void main() {
#ifdef RACY
  data[3] = 7u;  //!
#else
  if (i == 0u) data[3] = 7u;
#endif
})",
     write_write("data", 16)},
    {"counter_without_atomics", R"(void main() {
#ifdef RACY
  data[0] = data[0] + 1u;  //!
#else
  atomicAdd(data[0], 1u);
#endif
})",
     any()},
    {"histogram_without_atomics", R"(void main() {
#ifdef RACY
  more[(i % 7u) * 4u]++;  //!
#else
  atomicAdd(more[(i % 7u) * 4u], 1u);
#endif
})",
     any("more")},
    {"neighbour_read", R"(void main() {
#ifdef RACY
  data[i] = i;                              //!
  result[i] = data[(i + 37u) % 256u];  //!
#else
  result[i] = data[(i + 37u) % 256u];
#endif
})",
     any()},
    {"stencil_in_place", R"(void main() {
  uint sum = data[i] + data[(i + 64u) % 256u];  //!
#ifdef RACY
  data[i] = sum;  //!
#else
  result[i] = sum;
#endif
})",
     any()},
    {"reduction_without_barriers", R"(void main() {
  more[i] = i;  //!
  for (uint step = 32u; step != 0u; step >>= 1u) {
#ifndef RACY
    memoryBarrierBuffer();
    barrier();
#endif
    if (l < step) more[i] += more[i + step];  //!
  }
  if (l == 0u) result[g] = more[i];
})",
     any("more")},
    {"reduction_of_two_groups", R"(void main() {
  more[i] = i;  //!
  memoryBarrierBuffer();
  barrier();
#ifdef RACY
  uint other = (i + 64u) % 256u;  // another workgroup's: its barrier says nothing of ours
#else
  uint other = i ^ 21u;
#endif
  result[i] = more[other];  //!
})",
     any("more")},
    {"scatter_with_collisions", R"(void main() {
#ifdef RACY
  uint slot = i / 2u;
#else
  uint slot = i;
#endif
  more[slot * 4u] = i;  //!
})",
     write_write("more", 4096)},
    {"counter_read_plainly",
     R"(void main() {
  uint ticket = atomicAdd(data[4], 1u);  //!
#ifdef RACY
  result[i] = data[4] + ticket * 0u;  //!
#else
  result[i] = i + ticket * 0u;
#endif
})",
     {.hazard_class = "", .access = "", .buffer = "data", .size = 4, .multiple = 4, .below = 32}},
    {"groups_overlap_by_one", R"(void main() {
#ifdef RACY
  uint width = 63u;
#else
  uint width = 64u;
#endif
  more[(g * width + l) * 4u] = l;  //!
})",
     write_write("more", 4096)},
    {"rows_overlap", R"(void main() {
  if (i < 100u) {
#ifdef RACY
    uint first = i * 8u;  // twelve long, eight apart
#else
    uint first = i * 12u;
#endif
    for (uint n = 0u; n < 12u; ++n) more[first + n] = n;  //!
  }
})",
     write_write("more", 16384)},
    {"initialised_without_a_barrier",
     R"(void main() {
  if (l == 0u) more[g * 16u] = 100u;  //!
#ifndef RACY
  memoryBarrierBuffer();
  barrier();
#endif
  atomicAdd(more[g * 16u], 1u);  //!
})",
     {.hazard_class = "", .access = "", .buffer = "more", .size = 4, .multiple = 64, .below = 256}},
    {"bytes_that_overlap",
     R"(
layout(set = 0, binding = 2, std430) buffer Bytes { uint8_t bytes[]; };
void main() {
#ifdef RACY
  bytes[(i / 2u) * 16u] = uint8_t(i);  //!
#else
  bytes[i * 16u + i % 16u] = uint8_t(i);
#endif
})",
     write_write("more", 4096, 1, 16)},
};

// As kInside; the filter does not see these.
const Inside kExactInside[] = {
    {"bytes_of_one_word_by_all_workgroups",
     R"(
layout(set = 0, binding = 2, std430) buffer Bytes { uint8_t bytes[]; };
void main() {
#ifdef RACY
  if (l == 0u) bytes[g % 2u] = uint8_t(i);  //!
#else
  if (l == 0u) bytes[g] = uint8_t(i);
#endif
})",
     write_write("more", 2, 1, 1)},
    {"stencil_of_bytes_in_place",
     R"(
layout(set = 0, binding = 2, std430) buffer Bytes { uint8_t bytes[]; };
void main() {
#ifdef RACY
  bytes[i] = bytes[i ^ 1u] + uint8_t(1);  //!
#else
  bytes[i] = bytes[i] + uint8_t(1);
#endif
})",
     {.hazard_class = "", .access = "", .buffer = "more", .size = 1, .multiple = 1, .below = 256}},
    {"halves_of_one_word",
     R"(
layout(set = 0, binding = 2, std430) buffer Halves { uint16_t halves[]; };
void main() {
#ifdef RACY
  halves[i / 2u] = uint16_t(i);  //!
#else
  halves[i] = uint16_t(i);
#endif
})",
     write_write("more", 256, 2, 2)},
    {"broadcast_with_a_barrier_without_memory",
     R"(void main() {
  if (l == 0u) more[g * 16u] = i;  //!
#ifndef RACY
  memoryBarrierBuffer();
#endif
  barrier();
  result[i] = more[g * 16u];  //!
})",
     {.hazard_class = "ordered only by execution",
      .access = "load",
      .buffer = "more",
      .size = 4,
      .multiple = 64,
      .below = 256}},
};

// The second dispatch updates in place what the first one reads.
Case updated_in_place() {
  Case test = inside("update_in_place_of_what_was_read", R"(void main() {
  more[i] = data[(i + 1u) % 256u];
})",
                     {.hazard_class = "write after read",
                      .access = "store",
                      .buffer = "data",
                      .size = 4,
                      .multiple = 4,
                      .below = 1024});
  test.shaders.push_back({"comp", kMore + "void main() { data[i] += 1u; }  //!"});
  test.steps = {dispatch(0), only_correct(barrier()), dispatch(1)};
  test.exact_only = true;
  return test;
}

// Correct programs that have no racy twin.
struct Pattern {
  const char* name;
  const char* shader;
  uint32_t groups = 4;
};
const Pattern kPatterns[] = {
    {"tree_reduction", R"(void main() {
  more[i] = data[i] + i;
  for (uint step = 32u; step != 0u; step >>= 1u) {
    memoryBarrierBuffer();
    barrier();
    if (l < step) more[i] += more[i + step];
  }
  if (l == 0u) result[g] = more[i];
})"},
    {"exchange_through_a_barrier", R"(void main() {
  more[i] = i;
  memoryBarrierBuffer();
  barrier();
  result[i] = more[i ^ 4u];
})"},
    {"initialise_barrier_atomics", R"(void main() {
  if (l == 0u) more[g * 16u] = 100u;
  memoryBarrierBuffer();
  barrier();
  atomicAdd(more[g * 16u], 1u);
  memoryBarrierBuffer();
  barrier();
  if (l == 1u) result[g] = more[g * 16u];
})"},
    {"last_block_reduces", R"(shared bool last;
void main() {
  atomicAdd(more[g], i);
  memoryBarrierBuffer();
  barrier();
  if (l == 0u) last = atomicAdd(more[100], 1u) == gl_NumWorkGroups.x - 1u;
  memoryBarrierShared();
  barrier();
  memoryBarrierBuffer();
  if (last && l == 0u) {
    uint sum = 0u;
    for (uint n = 0u; n < gl_NumWorkGroups.x; ++n) sum += more[n];
    result[0] = sum;
  }
})"},
    // Each workgroup has one invocation and takes its number from a counter, so that those before it make
    // progress.
    {"decoupled_look_back", R"(void main() {
  if (l == 0u) {
    uint mine = atomicAdd(more[1000], 1u);
    uint sum = mine + 1u;
    if (mine != 0u) {
      uint before = 0u;
      while ((before = atomicOr(more[mine - 1u], 0u)) == 0u) {
      }
      memoryBarrierBuffer();
      sum += more[500u + mine - 1u];
    }
    more[500u + mine] = sum;
    memoryBarrierBuffer();
    atomicExchange(more[mine], 1u);
  }
})",
     16},
    {"private_rows", R"(void main() {
  if (i < 100u) {
    for (uint n = 0u; n < 40u; ++n) more[i * 40u + n] = n;
    uint sum = 0u;
    for (uint n = 0u; n < 40u; ++n) sum += more[i * 40u + n];
    result[i] = sum;
  }
})"},
    {"read_only_sharing", R"(void main() {
  uint sum = 0u;
  for (uint n = 0u; n < 64u; ++n) sum += data[n];
  result[i] = sum;
})"},
    {"atomics_by_all", R"(void main() {
  atomicAdd(more[i % 5u], i);
  atomicMax(more[8u + i % 5u], i);
  atomicXor(more[16u], i);
})"},
    {"own_word_read_and_written", R"(void main() {
  for (uint n = 0u; n < 5u; ++n) {
    data[i] = data[i] * 3u + n;
    atomicAdd(data[i], 1u);
  }
  result[i] = data[i];
})"},
    {"neighbouring_bytes", R"(
layout(set = 0, binding = 2, std430) buffer Bytes { uint8_t bytes[]; };
void main() { bytes[i] = uint8_t(i); })"},
    {"out_of_bounds_is_no_access", R"(void main() {
  if (i > 4000u) data[i] = 1u;
  result[i] = i;
})"},
};

}  // namespace

std::vector<Case> dispatch_cases() {
  // One buffer, by two descriptors.
  Case twice = inside("own_elements_through_another_descriptor", R"(void main() {
  data[i] = i;  //!
#ifdef RACY
  more[i] = result[(i + 77u) % 256u];  //!
#else
  more[i] = result[i];
#endif
})",
                      any());
  twice.bindings = {
      {.binding = 0, .buffers = {0}}, {.binding = 1, .buffers = {0}}, {.binding = 2, .buffers = {2}}};
  // In place: both invocations stay with their own elements, and so do those of the next dispatch.
  Case in_place = own_elements("in_place", R"(void main() {
  uint old = more[i];  //!
  barrier();
#ifdef RACY
  data[(i + 64u) % 256u] = old + 1u;  //!
#else
  data[i] = old + 1u;
#endif
})",
                               {dispatch(0), barrier(), dispatch(0)}, any());
  Case in_place_again = own_elements("in_place_again", "void main() { data[i] = more[i] + 1u; }  //!",
                                     {dispatch(0), only_correct(barrier()), dispatch(0)}, any());
  in_place.bindings =
      in_place_again.bindings = {{.binding = 0, .buffers = {0}}, {.binding = 2, .buffers = {0}}};
  const Expected data_written = write_write("data", 1024);
  std::vector<Case> cases = {
      twice,
      in_place,
      in_place_again,
      own_elements("in_rows", "void main() { data[i] = gl_GlobalInvocationID.y; }  //!",
                   {only_correct(dispatch_rows(1)), only_racy(dispatch_rows(2))}, data_written),
      // A row of 128 elements for each workgroup along y: two workgroups of 64 fill it.
      own_elements("by_rows_and_columns",
                   "void main() { data[gl_WorkGroupID.y * 128u + gl_GlobalInvocationID.x] = i; }  //!",
                   {only_correct(dispatch_of(2, 2)), only_racy(dispatch_of(3, 2))}, data_written),
      own_elements("by_columns",
                   "void main() { data[gl_LocalInvocationIndex * 4u + gl_WorkGroupID.y] = i; }  //!",
                   {only_correct(dispatch_of(1, 4)), only_racy(dispatch_of(1, 5))}, data_written),
      own_elements(
          "read_and_written_again",
          "void main() { uint old = data[i]; if (old > 7u) result[i] = old; data[i] = old + 1u; }  //!",
          {dispatch(0), only_correct(barrier()), dispatch(0)}, any()),
      own_elements("written_again", "void main() { data[i] = i; }  //!",
                   {dispatch(0), only_correct(barrier()), dispatch(0)}, data_written),
      own_elements("pairs_written_again",
                   "layout(set = 0, binding = 2, std430) buffer Pairs { uvec2 pairs[]; };\n"
                   "void main() { pairs[i] = uvec2(i); }  //!",
                   {dispatch(0), only_correct(barrier()), dispatch(0)}, write_write("more", 2048, 8, 8)),
  };
  for (const Inside& one : kInside) cases.push_back(inside(one.name, one.shader, one.expected));
  for (const Inside& one : kExactInside) {
    cases.push_back(inside(one.name, one.shader, one.expected));
    cases.back().exact_only = true;
  }
  cases.push_back(updated_in_place());
  return cases;
}

std::vector<Case> compute_patterns() {
  std::vector<Case> cases;
  for (const Pattern& one : kPatterns) {
    Case test = inside(one.name, one.shader, {}, one.groups);
    test.group = "pattern";
    cases.push_back(test);
  }
  return cases;
}

}  // namespace sync_cases
