// SPDX-License-Identifier: Apache-2.0
// Workgroup memory: each kind of access against each other, racy and ordered; what orders accesses and what
// does not; whole algorithms, and what lacks one of their barriers.

#include "workgroup_memory.h"
#include "workgroup_programs.h"

namespace shaderqa::testing {
namespace {

using workgroup_programs::body_of;
using workgroup_programs::conflicts;
using workgroup_programs::kAlgorithms;
using workgroup_programs::Kind;
using workgroup_programs::kinds_of;
using workgroup_programs::kTypes;
using workgroup_programs::Type;

class OfType : public WorkgroupMemory, public ::testing::WithParamInterface<Type> {};

TEST_P(OfType, EachKindOfAccessAgainstEachOther) {
  const Type& type = GetParam();
  const auto kinds = kinds_of(type);
  const Texts flags{"--target-env", "vulkan1.2"};
  for (const Kind& first : kinds)
    for (const Kind& second : kinds) {
      const std::string name = std::string(first.name) + "_" + second.name;
      add(name, body_of(type, first, second, ""), flags);
      add(name + "_ordered", body_of(type, first, second, "barrier();"), flags);
    }
  const Sources sources = run_all({"--sync"}, {"--memory-model"});
  for (const Kind& first : kinds)
    for (const Kind& second : kinds) {
      const std::string name = std::string(first.name) + "_" + second.name;
      SCOPED_TRACE(name);
      EXPECT_FALSE(sources.hazards.contains(name + "_ordered"));
      const auto found = sources.hazards.find(name);
      ASSERT_EQ(found != sources.hazards.end(), conflicts(first.name, second.name));
      if (found == sources.hazards.end()) continue;
      ASSERT_EQ(found->second.size(), 1u);
      const auto& finding = found->second[0];
      EXPECT_EQ(finding.at("hazard").at("access"), second.access) << finding.dump(2);
      EXPECT_EQ(finding.at("other").at("access"), first.access) << finding.dump(2);
      EXPECT_EQ(finding.at("other").at("who"), "local invocation 2 of the same workgroup");
      EXPECT_EQ(finding.at("invocation"), "global invocation 3,0,0");
      const int last = finding.at("source").at("line");
      ASSERT_EQ(finding.at("other").at("places").size(), 1u) << finding.dump(2);
      EXPECT_THAT(std::string(finding.at("other").at("places")[0]),
                  ::testing::EndsWith(":" + std::to_string(last - 2)));
    }
}

INSTANTIATE_TEST_SUITE_P(WorkgroupMemory, OfType, ::testing::ValuesIn(kTypes),
                         [](const auto& test) { return test.param.name; });

// What is seen to be an invocation's own is not checked, so programs also run with checks of all.
const Texts kAsItIsAndAllChecked[] = {{"--sync", "--uninit"}, {"--sync", "--no-sync-own-elements"}};

// Silent, whatever happens around.
TEST_F(WorkgroupMemory, CorrectProgramsAreSilent) {
  add("own", R"(layout(local_size_x = 64) in;
shared uint a[64];
void main() {
  uint l = gl_LocalInvocationIndex;
  a[l] = l;
  for (uint i = 0u; i < 10u; ++i) a[l] += i;
  atomicAdd(a[l], 3u);
  io[l] = a[l];
}
)");
  add("early_return", R"(#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 64) in;
shared uint total, largest;
void main() {
  uint l = gl_LocalInvocationIndex;
  if (l == 0u) total = largest = 0u;
  barrier();
  if (l % 3u != 2u) {
    uint sum = subgroupAdd(l);
    if (subgroupElect()) atomicAdd(total, sum);
    atomicMax(largest, l);
  }
  barrier();
  io[l] = total + largest;
  if (l > 20u) return;
  atomicAdd(io[l], subgroupBallotBitCount(subgroupBallot(true)) > 0u ? 1u : 0u);
}
)",
      {"--target-env", "vulkan1.2"});
  add("loops", R"(layout(local_size_x = 32) in;
shared uint a[32];
void main() {
  uint l = gl_LocalInvocationIndex;
  a[l] = l;
  for (uint i = 0u; i < 3000u; ++i) {
    barrier();
    uint next = a[(l + 1u) % 32u];
    barrier();
    a[l] = next;
  }
  io[l] = a[l];
}
)");
  add("whole_values", R"(layout(local_size_x = 16) in;
struct Item { vec4 a; uvec2 b; uint16_t c; };
shared Item items[16];
shared vec4 wholes[16];
void main() {
  uint l = gl_LocalInvocationIndex;
  items[l] = Item(vec4(l), uvec2(l, 1u), uint16_t(l));
  wholes[l] = vec4(l);
  memoryBarrierShared();
  barrier();
  Item other = items[15u - l];
  io[l] = uint(other.a.x + wholes[(l + 3u) % 16u].z) + other.b.y + uint(other.c);
}
)",
      {"--target-env", "vulkan1.2"});
  add("execution_with_fences", R"(#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 16) in;
shared uint a[16];
void main() {
  uint l = gl_LocalInvocationIndex;
  a[l] = l;
  memoryBarrierShared();
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, 0, 0);
  memoryBarrierShared();
  io[l] = a[15u - l];
}
)");
  add("flag", R"(#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
shared uint data, flag;
void main() {
  uint l = gl_LocalInvocationIndex;
  if (l == 0u) flag = 0u;
  barrier();
  if (l == 0u) {
    data = 42u;
    memoryBarrierShared();
    atomicExchange(flag, 1u);
  } else if (l == 63u) {
    for (uint i = 0u; i < 60000u; ++i) if (atomicAdd(flag, 0u) == 1u) { io[0] = data; break; }
  }
}
)");
  add("last_one", R"(layout(local_size_x = 64) in;
shared uint parts[64], count;
void main() {
  uint l = gl_LocalInvocationIndex;
  if (l == 0u) count = 0u;
  barrier();
  parts[l] = l;
  memoryBarrierShared();
  if (atomicAdd(count, 1u) == 63u) {
    uint sum = 0u;
    for (uint i = 0u; i < 64u; ++i) sum += parts[i];
    io[0] = sum;
  }
}
)");
  add("subgroup", R"(#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 32) in;
shared uint a[64];
void main() {
  uint at = gl_SubgroupID * gl_SubgroupSize;
  uint lane = gl_SubgroupInvocationID;
  a[at + lane] = lane;
  subgroupBarrier();
  uint next = a[at + (lane + 1u) % gl_SubgroupSize];
  subgroupBarrier();
  a[at + lane] = next;
  barrier();
  io[gl_LocalInvocationIndex] = a[gl_LocalInvocationIndex];
}
)",
      {"--target-env", "vulkan1.2"});
  add("parameters", R"(layout(local_size_x = 16) in;
shared uint a[16], b[16];
uint get(const uint i) { return a[i]; }
void set(const uint i, const uint v) { b[i] = v; }
void main() {
  uint l = gl_LocalInvocationIndex;
  a[l] = l;
  barrier();
  set(l, get(15u - l));
  barrier();
  io[l] = b[(l + 1u) % 16u];
}
)");
  for (const Texts& options : kAsItIsAndAllChecked) {
    const Sources sources = run_all(options);
    for (const auto& [name, findings] : sources.hazards) ADD_FAILURE() << name << findings[0].dump(2);
    EXPECT_THAT(sources.outcome.notes(), Not(::testing::Contains(HasSubstr("workgroup memory"))));
  }
}

TEST_F(WorkgroupMemory, WrongProgramsAreFound) {
  add("missing_in_loop", R"(layout(local_size_x = 32) in;
shared uint a[32];
void main() {
  uint l = gl_LocalInvocationIndex;
  a[l] = l;
  for (uint i = 0u; i < 30u; ++i) {
    barrier();
    uint next = a[(l + 1u) % 32u];
    a[l] = next;
  }
  io[l] = a[l];
}
)");
  add("same_value", R"(layout(local_size_x = 32) in;
shared uint found;
void main() {
  if (gl_LocalInvocationIndex > 3u) found = 1u;
  barrier();
  io[gl_LocalInvocationIndex] = found;
}
)");
  add("only_buffers", R"(#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 16) in;
shared uint a[16];
void main() {
  uint l = gl_LocalInvocationIndex;
  a[l] = l;
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  io[l] = a[15u - l];
}
)");
  add("no_release", R"(layout(local_size_x = 64) in;
shared uint data, flag;
void main() {
  uint l = gl_LocalInvocationIndex;
  if (l == 0u) flag = 0u;
  barrier();
  if (l == 0u) {
    data = 42u;
    atomicExchange(flag, 1u);
  } else if (l == 63u) {
    for (uint i = 0u; i < 60000u; ++i) if (atomicAdd(flag, 0u) == 1u) { io[0] = data; break; }
  }
}
)");
  add("subgroups", R"(#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
shared uint a[64];
void main() {
  uint l = gl_LocalInvocationIndex;
  a[l] = l;
  subgroupBarrier();
  io[l] = a[63u - l];
}
)",
      {"--target-env", "vulkan1.2"});
  add("within_subgroup", R"(#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 8) in;
shared uint a[8];
void main() {
  uint l = gl_LocalInvocationIndex;
  a[l] = l;
  subgroupBarrier();
  uint next = a[(l + 1u) % 8u];
  a[l] = next;
  io[l] = next;
}
)",
      {"--target-env", "vulkan1.2"});
  add("update", R"(layout(local_size_x = 32) in;
shared uint a[32];
void main() {
  uint l = gl_LocalInvocationIndex;
  a[l] = l;
  barrier();
  if (l == 4u) io[0] = a[9];
  if (l == 9u) a[9] += 1u;
}
)");
  add("readers", R"(layout(local_size_x = 32) in;
shared uint a[32];
void main() {
  uint l = gl_LocalInvocationIndex;
  a[l] = l;
  barrier();
  if (l == 4u || l == 5u) io[l] = a[9];
  if (l == 9u) a[9] = 1u;
}
)");
  const Sources sources = run_all({"--sync"});
  const auto only = [&](const std::string& name) -> nlohmann::json {
    const auto found = sources.hazards.find(name);
    EXPECT_NE(found, sources.hazards.end()) << name;
    return found == sources.hazards.end() ? nlohmann::json() : found->second[0];
  };
  EXPECT_EQ(only("missing_in_loop").value("/workgroup/barriers"_json_pointer, 0), 1);
  EXPECT_EQ(only("same_value").value("/hazard/class"_json_pointer, ""), "write after write");
  EXPECT_EQ(only("only_buffers").value("/hazard/class"_json_pointer, ""), "ordered only by execution");
  EXPECT_EQ(only("no_release").value("/workgroup/part"_json_pointer, ""), "data");
  only("subgroups");
  EXPECT_EQ(only("within_subgroup").value("/hazard/access"_json_pointer, ""), "store");
  EXPECT_EQ(only("update").value("/other/who"_json_pointer, ""), "local invocation 4 of the same workgroup");
  EXPECT_EQ(only("readers").value("/other/who"_json_pointer, ""),
            "several invocations of the same workgroup");
}

TEST_F(WorkgroupMemory, ReadsOfWhatNobodyWrote) {
  add("reads", R"(layout(local_size_x = 8) in;
shared uint a[9];
void main() {
  uint l = gl_LocalInvocationIndex;
  a[l] = l;
  barrier();
  io[l] = a[l + 1u];
}
)");
  add("adds", R"(layout(local_size_x = 8) in;
shared uint sum;
void main() {
  atomicAdd(sum, 1u);
  barrier();
  io[gl_LocalInvocationIndex] = 1u;
}
)");
  Sources sources = run_all({"--uninit"});
  ASSERT_EQ(sources.hazards["reads"].size(), 1u);
  const auto& finding = sources.hazards["reads"][0];
  EXPECT_EQ(finding.at("kind"), "uninit");
  EXPECT_EQ(finding.at("workgroup").at("part"), "a[8]");
  EXPECT_EQ(finding.at("source").at("line"), 8);
  EXPECT_EQ(sources.hazards["adds"].size(), 1u);
}

TEST_F(WorkgroupMemory, AliasedBlocksShareBytes) {
  const auto body = [](const std::string& between) {
    return R"(#extension GL_EXT_shared_memory_block : require
layout(local_size_x = 16) in;
shared Words { uint words[16]; };
shared Bytes { uint8_t bytes[64]; };
void main() {
  uint l = gl_LocalInvocationIndex;
  words[l] = l * 0x01010101u;
  )" + between +
           R"(
  io[l] = uint(bytes[(l * 4u + 5u) % 64u]);
}
)";
  };
  const Texts flags{"--target-env", "vulkan1.2"};
  // The last one's results count: those of a race may differ.
  add("racy", body(""), flags);
  add("ordered", body("barrier();"), flags);
  const Texts extension{"--workgroup-layout", "--api=1.2"};
  Texts plain{"compute"};
  plain.insert(plain.end(), extension.begin(), extension.end());
  if (lacks_an_extension(run(runner(plain), environment, directory.path())))
    GTEST_SKIP() << "the device does not have VK_KHR_workgroup_memory_explicit_layout";
  Sources sources = run_all({"--sync"}, extension);
  EXPECT_FALSE(sources.hazards.contains("ordered"));
  ASSERT_TRUE(sources.hazards.contains("racy"));
  const std::string part = sources.hazards["racy"][0].at("workgroup").at("part");
  EXPECT_THAT(part, HasSubstr("words["));
  EXPECT_THAT(part, HasSubstr("bytes["));
}

TEST_F(WorkgroupMemory, WhatDoesNotFitIsLeftAloneAndSaid) {
  const auto findings = findings_of(R"(layout(local_size_x = 32) in;
shared uint large[7000], small[32];
void main() {
  uint l = gl_LocalInvocationIndex;
  large[0] = l;
  small[l / 2u] = l;
  io[l] = 0u;
}
)");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(std::string(findings[0].at("workgroup").at("part")), HasSubstr("small["));
}

TEST_F(WorkgroupMemory, TheSettingTurnsItOff) {
  environment["SHADERQA_SYNC_SHARED"] = "0";
  EXPECT_TRUE(findings_of(R"(layout(local_size_x = 32) in;
shared uint a;
void main() { a = gl_LocalInvocationIndex; io[gl_LocalInvocationIndex] = 1u; }
)")
                  .empty());
}

class OfWorkgroupAlgorithm : public WorkgroupMemory,
                             public ::testing::WithParamInterface<workgroup_programs::Algorithm> {};

// Each of its barriers is left out in turn. The driver runs the invocations in the same order with the layer.
TEST_P(OfWorkgroupAlgorithm, IsSilentAndEachBarrierIsNeeded) {
  const std::string text = GetParam().text;
  add("correct", text);
  for (const Texts& options : kAsItIsAndAllChecked) {
    const Sources correct = run_all(options);
    for (const auto& [name, findings] : correct.hazards) ADD_FAILURE() << name << findings[0].dump(2);
  }
  Texts mutants;
  for (size_t at = text.find("barrier();"); at != std::string::npos; at = text.find("barrier();", at + 1)) {
    std::string mutant = text;
    mutant.replace(at, 10, "");
    mutants.push_back("without_" + std::to_string(mutants.size() + 1));
    add(mutants.back(), mutant);
  }
  ASSERT_FALSE(mutants.empty());
  for (const Texts& options : kAsItIsAndAllChecked) {
    const Sources wrong = run_all(options);
    for (const std::string& mutant : mutants) EXPECT_TRUE(wrong.hazards.contains(mutant)) << mutant;
  }
}

INSTANTIATE_TEST_SUITE_P(WorkgroupMemory, OfWorkgroupAlgorithm, ::testing::ValuesIn(kAlgorithms),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace shaderqa::testing
