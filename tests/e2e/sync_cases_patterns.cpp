// SPDX-License-Identifier: Apache-2.0
// The patterns R1 to R8 and OK1a to OK5 of the literature on races, each dispatched a hundred times.
#include "sync_steps.h"

namespace sync_cases {
namespace {

constexpr BarrierSpec kEverything{VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
                                  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                  VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};

const std::string kHead = R"(#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
)" + std::string(kDeclare) +
                          R"(uint l = gl_LocalInvocationID.x;
uint g = gl_WorkGroupID.x;
shared uint flag;
void main() {
)";

// One dispatch a run, each of zeroed memory and ordered behind the one before. Half of the runs are
// submissions of their own.
Case in_runs(const char* group, const char* name, const std::string& body, uint32_t groups) {
  std::string shader = kHead + body + "}\n";
  shader.replace(shader.find("buffer Data"), 0, "coherent ");
  Case test{.group = group,
            .name = name,
            .shaders = {{"comp", shader}},
            .buffers = {{.name = "data", .bytes = 4096}, {.name = "result", .bytes = 4096}}};
  for (uint32_t run = 0; run < kPatternRuns; ++run) {
    if (run % 2 == 0) test.steps.push_back(submit_now());
    for (Step step : {barrier(kEverything), fill_buffer(0, 0), barrier(kEverything), dispatch(0, groups)})
      test.steps.push_back(step);
  }
  return test;
}

// Exactly two invocations race for each word, so each word is reported exactly once a run.
struct Racy {
  const char* name;
  uint32_t words;
  std::vector<SidePair> pairs;
  const char* body;
  uint32_t groups = 1;
  std::vector<SidePair> rarely = {};
};
const Racy kRacy[] = {
    {"R1_stencil", 7, {{{'S', "store"}, {'L', "load"}}}, R"(  if (i < 8u) {
    uint next = i < 7u ? data[i + 1u] : 0u;  //!L
    data[i] = next + i;                      //!S
  }
)"},
    {"R2_header_written_by_two",
     2,
     {{{'A', "store"}, {'C', "store"}}, {{'B', "store"}, {'D', "store"}}},
     R"(  if (l == 0u) {
    data[0] = 1u;  //!A
    data[1] = 2u;  //!B
  } else if (l == 32u) {
    data[1] = 3u;  //!D
    data[0] = 4u;  //!C
  }
)"},
    {"R3_reader_beside_a_read_and_write",
     1,
     {{{'W', "store"}, {'R', "load"}}},
     R"(  if (l == 0u) {
    data[0] = data[0] + 1u;  //!W
  } else if (l == 40u) {
    result[0] = data[0];  //!R
  }
)",
     1,
     {{{'W', "store"}, {'W', "load"}}}},
    {"R4_fields_clobbered_by_one",
     3,
     {{{'F', "store"}, {'C', "store"}}},
     R"(  if (l < 4u) data[l] = l;  //!F
  if (l == 0u) {
    for (uint field = 0u; field < 4u; ++field) data[field] = 9u;  //!C
  }
)"},
    {"R5_counter_read_plainly",
     1,
     {{{'A', "atomic"}, {'R', "load"}}},
     R"(  atomicAdd(data[0], 1u);  //!A
  if (i == 0u) result[0] = data[0];  //!R
)",
     4},
    {"R6_both_write", 32, {{{'W', "store"}, {'W', "store"}}}, R"(  data[l / 2u] = l;  //!W
)"},
    {"R7_barrier_of_another_group",
     128,
     {{{'W', "store"}, {'R', "load"}}},
     R"(  data[i] = i;  //!W
  memoryBarrierBuffer();
  barrier();
  result[i] = data[i ^ 64u];  //!R
)",
     2},
    {"R8_exchange_without_a_barrier", 64, {{{'W', "store"}, {'R', "load"}}}, R"(  data[l] = l;  //!W
  result[l] = data[l ^ 1u];  //!R
)"},
    {"R9_message_without_a_release",
     1,
     {{{'W', "store"}, {'R', "load"}}},
     R"(  if (l == 0u) {
    if (atomicAdd(data[0], 1u) == 0u) {
      data[100] = 42u;  //!W
      atomicExchange(data[200], 1u);
    } else {
      while (atomicOr(data[200], 0u) == 0u) {
      }
      memoryBarrierBuffer();
      result[0] = data[100];  //!R
    }
  }
)",
     2},
    // A release covers what its fence follows, and nothing later.
    {"R10_store_behind_the_release",
     1,
     {{{'W', "store"}, {'R', "load"}}},
     R"(  if (l == 0u) {
    if (atomicAdd(data[0], 1u) == 0u) {
      data[101] = 42u;
      memoryBarrierBuffer();
      atomicExchange(data[200], 1u);
      data[100] = 42u;  //!W
    } else {
      while (atomicOr(data[200], 0u) == 0u) {
      }
      memoryBarrierBuffer();
      result[0] = data[100] + data[101];  //!R
    }
  }
)",
     2,
     {{{'W', "store"}, {'R', "load"}}}},
    {"R11_lock_whose_unlock_releases_nothing",
     1,
     {{{'W', "store"}, {'W', "store"}}},
     R"(  if (l == 0u) {
    while (atomicCompSwap(data[0], 0u, 1u) != 0u) {
    }
    memoryBarrierBuffer();
    data[100] = g;  //!W
    atomicExchange(data[0], 0u);
  }
)",
     2},
    {"R12_a_lock_of_ones_own",
     1,
     {{{'W', "store"}, {'W', "store"}}},
     R"(  if (l == 0u) {
    while (atomicCompSwap(data[g * 8u], 0u, 1u) != 0u) {
    }
    memoryBarrierBuffer();
    data[100] = g;  //!W
    memoryBarrierBuffer();
    atomicExchange(data[g * 8u], 0u);
  }
)",
     2},
    {"R13_fence_of_the_workgroup_alone",
     1,
     {{{'W', "store"}, {'R', "load"}}},
     R"(  if (l == 0u) {
    if (atomicAdd(data[0], 1u) == 0u) {
      data[100] = 42u;  //!W
      groupMemoryBarrier();
      atomicExchange(data[200], 1u);
    } else {
      while (atomicOr(data[200], 0u) == 0u) {
      }
      memoryBarrierBuffer();
      result[0] = data[100];  //!R
    }
  }
)",
     2},
    {"R14_behind_a_barrier_of_the_subgroup",
     2,
     {{{'W', "store"}, {'W', "store"}}},
     R"(  data[100u + i] = l;
  subgroupBarrier();
  if (l < 4u) data[l / 2u] = l;  //!W
)"},
};

struct Correct {
  const char* name;
  const char* body;
  uint32_t groups = 1;
};
const Correct kCorrect[] = {
    {"OK1a_exchange_within_16_bytes", R"(  data[l] = l;
  memoryBarrierBuffer();
  barrier();
  result[l] = data[l ^ 1u];
)"},
    {"OK1b_exchange_across_16_bytes", R"(  data[l] = l;
  memoryBarrierBuffer();
  barrier();
  result[l] = data[l ^ 4u];
)"},
    {"OK1c_tree_reduction", R"(  data[i] = i;
  for (uint step = 32u; step != 0u; step >>= 1u) {
    memoryBarrierBuffer();
    barrier();
    if (l < step) data[i] += data[i + step];
  }
  if (l == 0u) result[g] = data[i];
)",
     2},
    {"OK1d_barrier_of_one_subgroup", R"(  data[100u + l] = l;
  if (gl_SubgroupID == 0u) {
    subgroupBarrier();
    data[l] = data[100u + gl_SubgroupSize - 1u - l];
  } else {
    data[l] = l;
  }
  memoryBarrierBuffer();
  barrier();
  result[l] = data[63u - l];
)"},
    {"OK2_initialised_then_counted", R"(  if (l == 0u) data[g] = 100u;
  memoryBarrierBuffer();
  barrier();
  atomicAdd(data[g], 1u);
  memoryBarrierBuffer();
  barrier();
  result[i] = data[g];
)",
     2},
    // Who comes first sends, so that nobody waits for a workgroup that has not begun.
    {"OK3_message_passing", R"(  if (l == 0u) {
    if (atomicAdd(data[0], 1u) == 0u) {
      data[100] = 42u;
      memoryBarrierBuffer();
      atomicExchange(data[200], 1u);
    } else {
      while (atomicOr(data[200], 0u) == 0u) {
      }
      memoryBarrierBuffer();
      result[0] = data[100];
    }
  }
)",
     2},
    {"OK3b_message_by_atomics_alone", R"(  if (l == 0u) {
    if (atomicAdd(data[0], 1u) == 0u) {
      data[100] = 42u;
      atomicStore(data[200], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
    } else {
      while (atomicLoad(data[200], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire) == 0u) {
      }
      result[0] = data[100];
    }
  }
)",
     2},
    // As CUDA's programs do it: the fence of whoever comes last is taken for granted.
    {"OK3c_last_workgroup_without_an_acquire", R"(  if (l == 0u) {
    data[100u + g] = g;
    memoryBarrierBuffer();
    if (atomicAdd(data[0], 1u) == gl_NumWorkGroups.x - 1u) {
      uint sum = 0u;
      for (uint n = 0u; n < gl_NumWorkGroups.x; ++n) sum += data[100u + n];
      result[0] = sum;
    }
  }
)",
     4},
    {"OK3d_lock", R"(  if (l == 0u) {
    while (atomicCompSwap(data[0], 0u, 1u) != 0u) {
    }
    memoryBarrierBuffer();
    data[100] += g + 1u;
    memoryBarrierBuffer();
    atomicExchange(data[0], 0u);
  }
)",
     4},
    {"OK3e_message_within_a_workgroup", R"(  if (l == 0u) {
    data[100u + g] = 42u;
    groupMemoryBarrier();
    atomicExchange(data[g], 1u);
  } else if (l == 40u && atomicOr(data[g], 0u) == 1u) {
    groupMemoryBarrier();
    result[1u] = data[100u + g] - 42u;
  }
)"},
    {"OK3f_message_by_workgroup_memory", R"(  if (l == 0u) flag = 0u;
  barrier();
  if (l == 0u) {
    data[100u + g] = 42u;
    memoryBarrier();
    atomicExchange(flag, 1u);
  } else if (l == 40u && atomicOr(flag, 0u) == 1u) {
    memoryBarrier();
    result[1u] = data[100u + g] - 42u;
  }
)"},
    {"OK3g_last_workgroup_by_subgroups", R"(  data[100u + i] = i;
  memoryBarrierBuffer();
  barrier();
  if (l < gl_SubgroupSize) {
    uint ticket = 0u;
    if (subgroupElect()) {
      memoryBarrierBuffer();
      ticket = atomicAdd(data[0], 1u);
    }
    ticket = subgroupBroadcastFirst(ticket);
    memoryBarrierBuffer();
    if (ticket == gl_NumWorkGroups.x - 1u)
      for (uint n = l; n < 256u; n += gl_SubgroupSize) result[n] = data[100u + n];
  }
)",
     4},
    // Who has both locks knows what others did under either.
    {"OK3h_one_lock_within_another", R"(  if (l == 0u) {
    while (atomicCompSwap(data[0], 0u, 1u) != 0u) {
    }
    memoryBarrierBuffer();
    data[100] += g + 1u;
    while (atomicCompSwap(data[64], 0u, 1u) != 0u) {
    }
    memoryBarrierBuffer();
    data[101] += g + 2u;
    memoryBarrierBuffer();
    atomicExchange(data[64], 0u);
    data[102] += g;
    memoryBarrierBuffer();
    atomicExchange(data[0], 0u);
  }
)",
     4},
    // What the first one wrote reaches the last one through the others, each of which waits elsewhere.
    {"OK3i_passed_on_from_flag_to_flag", R"(  if (l == 0u) {
    uint ticket = atomicAdd(data[0], 1u);
    data[100u + ticket] = ticket;
    if (ticket != 0u) {
      while (atomicOr(data[200u + ticket * 8u], 0u) == 0u) {
      }
      memoryBarrierBuffer();
      for (uint n = 0u; n < ticket; ++n) data[100u + n] += 1u;
    }
    memoryBarrierBuffer();
    atomicExchange(data[208u + ticket * 8u], 1u);
  }
)",
     4},
    // A flag is reset by a plain store when nobody waits for it any more.
    {"OK3j_flag_reset_plainly", R"(  if (l == 0u) {
    if (atomicAdd(data[0], 1u) == 0u) {
      data[100] = 42u;
      atomicStore(data[200], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
    } else {
      while (atomicLoad(data[200], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire) == 0u) {
      }
      result[0] = data[100];
      data[200] = 0u;
    }
  }
)",
     2},
    // The leader waits for the other workgroup, and its own learns of it behind a barrier.
    {"OK3k_leader_acquires_for_its_workgroup", R"(  if (l == 0u) flag = atomicAdd(data[0], 1u);
  barrier();
  bool sends = flag == 0u;
  if (sends) {
    data[100u + l] = l;
    memoryBarrierBuffer();
    barrier();
    if (l == 0u) {
      memoryBarrierBuffer();
      atomicExchange(data[200], 1u);
    }
  } else {
    if (l == 0u) {
      while (atomicOr(data[200], 0u) == 0u) {
      }
      memoryBarrierBuffer();
    }
    memoryBarrierBuffer();
    barrier();
    result[l] = data[163u - l];
  }
)",
     2},
    {"OK3l_barriers_of_a_subgroup_in_a_row", R"(  if (gl_SubgroupID == 0u) {
    uint last = gl_SubgroupSize - 1u;
    for (uint n = 0u; n < 3u; ++n) {
      data[l] = n;
      subgroupBarrier();
      result[l] += data[last - l];
      subgroupBarrier();
    }
  }
  memoryBarrierBuffer();
  barrier();
  result[64u + l] = data[63u - l];
)"},
    {"OK4_words_of_one_granule", R"(  for (uint n = 0u; n < 4u; ++n) {
    data[i] = data[i] + n;
    result[i] = data[i];
  }
)",
     4},
    {"OK5_disjoint_rows", R"(  for (uint n = 0u; n < 4u; ++n) data[i * 4u + n] = n;
  uint sum = 0u;
  for (uint n = 0u; n < 4u; ++n) sum += data[i * 4u + n];
  result[i] = sum;
)",
     4},
};

}  // namespace

const std::vector<RacyPattern>& racy_patterns() {
  static const std::vector<RacyPattern> patterns = [] {
    std::vector<RacyPattern> all;
    for (const Racy& one : kRacy)
      all.push_back({in_runs("racy", one.name, one.body, one.groups), one.words, one.pairs, one.rarely});
    return all;
  }();
  return patterns;
}

const std::vector<Case>& correct_run_patterns() {
  static const std::vector<Case> patterns = [] {
    std::vector<Case> all;
    for (const Correct& one : kCorrect) all.push_back(in_runs("correct", one.name, one.body, one.groups));
    return all;
  }();
  return patterns;
}

}  // namespace sync_cases
