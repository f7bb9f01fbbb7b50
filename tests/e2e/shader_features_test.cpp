// SPDX-License-Identifier: Apache-2.0
// Shaders of many kinds with every check on: they print what they should, nothing is reported, and what they
// compute is the same as without the layer.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "e2e_test.h"
#include "vulkan_kit.h"

namespace shaderqa::testing {
namespace {

constexpr uint32_t kOpTerminateInvocation = 4416;

const Texts kRayQueryNotes = {"those that their instances name", "what ray queries read"};

const char* const kTriangle = R"(void main() {
  gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0);
}
)";

class ShaderFeatures : public EndToEnd {
 protected:
  // What was printed, sorted. notes: a part of each.
  Texts checked(const Texts& arguments, const Texts& notes = {}) const {
    const Outcome layered = run_case(arguments, {"--assume", "--nan=writes", "--sync"});
    EXPECT_EQ(layered.process.exit_code, 0) << layered.process.err;
    EXPECT_EQ(layered.printed().size() + notes.size(), layered.findings.size()) << layered.process.err;
    for (const std::string& note : notes) EXPECT_THAT(layered.notes(), Contains(HasSubstr(note)));
    const Outcome plain = finish(run(runner(arguments), environment, directory.path()));
    EXPECT_NE(plain.value("result"), "") << plain.process.err;
    EXPECT_EQ(plain.process.out, layered.process.out);
    return sorted(layered.printed());
  }

  // As checked(); null, with the test marked as skipped, where the device does not have the extension.
  std::optional<Texts> checked_if_there(const std::string& extension, const Texts& arguments,
                                        const Texts& notes = {}) {
    const ProcessResult plain = run(runner(arguments), environment, directory.path());
    if (!lacks_an_extension(plain)) return checked(arguments, notes);
    const auto skip = [&] { GTEST_SKIP() << "the device does not have " << extension; };
    skip();
    return std::nullopt;
  }

  static bool has_instruction(const std::string& file, uint32_t opcode) {
    const std::vector<uint32_t> words = kit::read_spirv(file);
    for (size_t at = 5; at < words.size(); at += words[at] >> 16)
      if ((words[at] & 0xffff) == opcode) return true;
    return false;
  }
};

// Calls stay calls, and a path that is reached by several callers is one site.
TEST_F(ShaderFeatures, CallsDeepAndDivergentWithPointersAsParameters) {
  const auto printed = checked({"compute", compute(R"(layout(local_size_x = 8) in;
uint leaf(inout uint sum, const uint n) {
  sum += n;
  if (sum == 12u) debugPrintfEXT("leaf %u: %u", gl_LocalInvocationIndex, sum);
  return sum * 3u;
}
uint third(inout uint sum, out uint last, const uint n) {
  last = leaf(sum, n);
  return leaf(sum, last & 3u);
}
uint second(inout uint sums[2], const uint n) {
  uint last;
  if ((n & 1u) == 0u) return third(sums[0], last, n) + last;
  for (uint i = 0u; i < n; ++i) leaf(sums[1], i);
  return third(sums[1], last, n + 1u) ^ last;
}
void main() {
  uint sums[2] = uint[](1u, gl_LocalInvocationIndex);
  io[gl_LocalInvocationIndex] = second(sums, gl_LocalInvocationIndex) + sums[0] + sums[1];
}
)")});
  EXPECT_EQ(printed, Texts{"leaf 3: 12"});
}

constexpr const char* kSubgroups = R"(#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 32) in;
void main() {
  uint me = gl_LocalInvocationIndex;
  uint value = subgroupAdd(me);
  if ((me & 3u) == 1u) {
    debugPrintfEXT("active %u", subgroupBallotBitCount(subgroupBallot(true)) == subgroupAdd(1u) ? 1u : 0u);
    value += subgroupMax(me) + subgroupInclusiveAdd(1u);
    value += subgroupShuffleXor(value, 4u);
  } else if (subgroupAny(me == 2u)) {
    value ^= subgroupExclusiveAdd(me);
  }
  io[me] = value + subgroupBroadcastFirst(me) + subgroupShuffle(value, me & 3u) + subgroupQuadSwapVertical(value);
}
)";

TEST_F(ShaderFeatures, SubgroupOperationsInDivergentFlow) {
  const Texts arguments{"compute", compute(kSubgroups, "shader", {"--target-env", "vulkan1.2"})};
  EXPECT_EQ(checked(arguments), Texts(8, "active 1"));
}

// Reductions, scans and shuffles are calls, then.
TEST_F(ShaderFeatures, SubgroupOperationsBesideCalledChecks) {
  environment["SHADERQA_SYNC_CALLS"] = "always";
  const Texts arguments{"compute", compute(kSubgroups, "shader", {"--target-env", "vulkan1.2"})};
  EXPECT_EQ(checked(arguments), Texts(8, "active 1"));
}

TEST_F(ShaderFeatures, VulkanMemoryModel) {
  const auto printed = checked({"compute", "--memory-model",
                                compute(R"(#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 16) in;
shared uint handed[16];
void main() {
  uint me = gl_LocalInvocationIndex;
  handed[me] = me * me;
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared,
                 gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
  io[me] = handed[15u - me];
  if (me == 1u) debugPrintfEXT("handed %u", io[me]);
}
)",
                                        "shader", {"--target-env", "vulkan1.2"})});
  EXPECT_EQ(printed, Texts{"handed 196"});
}

TEST_F(ShaderFeatures, NarrowAndWideTypes) {
  const auto printed = checked({"compute", shader("comp", R"(
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, std430) buffer Io {
  uint8_t bytes[8];
  int16_t shorts[8];
  float16_t halves[8];
  uint64_t longs[8];
  double doubles[8];
};
void main() {
  uint me = gl_LocalInvocationIndex;
  bytes[me] = uint8_t(me * 37u);
  shorts[me] = int16_t(bytes[me]) - 100s;
  halves[me] = float16_t(shorts[me]) * 0.5hf;
  longs[me] = uint64_t(bytes[me]) << 40;
  doubles[me] = double(longs[me]) / 3.0lf;
  if (me == 3u) debugPrintfEXT("%u %d %.1f %lu", uint(bytes[me]), int(shorts[me]), float(halves[me]), longs[me]);
}
)",
                                                  "shader", {"--target-env", "vulkan1.2"})});
  EXPECT_EQ(printed, Texts{"111 11 5.5 122045790683136"});
}

TEST_F(ShaderFeatures, RayQueries) {
  const auto printed = checked_if_there("VK_KHR_ray_query",
                                        {"ray_query", compute(R"(#extension GL_EXT_ray_query : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 1) uniform accelerationStructureEXT scene;
void main() {
  rayQueryEXT query;
  rayQueryInitializeEXT(query, scene, gl_RayFlagsOpaqueEXT, 0xff, vec3(gl_LocalInvocationID.xy + 0.4, 0.0), 0.01,
                        vec3(0.0, 0.0, 1.0), 10.0);
  while (rayQueryProceedEXT(query)) {
  }
  uint hit = 0u;
  if (rayQueryGetIntersectionTypeEXT(query, true) == gl_RayQueryCommittedIntersectionTriangleEXT) {
    hit = uint(rayQueryGetIntersectionInstanceCustomIndexEXT(query, true));
    if (gl_LocalInvocationID.y == 6u)
      debugPrintfEXT("hit %v2u at %.1f", gl_LocalInvocationID.xy, rayQueryGetIntersectionTEXT(query, true));
  }
  io[gl_LocalInvocationIndex] = hit;
}
)",
                                                              "shader", {"--target-env", "vulkan1.2"})},
                                        kRayQueryNotes);
  if (!printed) return;
  EXPECT_EQ(*printed, (Texts{"hit 0, 6 at 1.0", "hit 1, 6 at 1.0"}));
}

// Flags that only the shader knows, and triangles that it skips; accesses within the loop of a query.
TEST_F(ShaderFeatures, RayQueriesWithFlagsOfTheInvocation) {
  const auto printed = checked_if_there("VK_KHR_ray_query",
                                        {"ray_query", compute(R"(#extension GL_EXT_ray_query : require
#extension GL_EXT_ray_flags_primitive_culling : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 1) uniform accelerationStructureEXT scene;
void main() {
  uint i = gl_LocalInvocationIndex;
  uint hits = 0u;
  for (uint n = 0u; n < 4u; ++n) {
    rayQueryEXT query;
    uint flags = ((i * 7u + n) & 3u) + io[200];
    if ((i & 1u) == 1u) flags |= gl_RayFlagsSkipTrianglesEXT;
    rayQueryInitializeEXT(query, scene, flags, 0xff, vec3(float(i) * 0.1 + 0.1, 0.5 * float(n), 0.0), 0.0,
                          vec3(0.0, 0.0, 1.0), 10.0);
    while (rayQueryProceedEXT(query)) {
      if (rayQueryGetIntersectionTypeEXT(query, false) != gl_RayQueryCandidateIntersectionTriangleEXT) continue;
      io[128 + i] = io[i] + 1u;
      rayQueryConfirmIntersectionEXT(query);
    }
    if (rayQueryGetIntersectionTypeEXT(query, true) != 0u) ++hits;
  }
  io[i] = hits;
  if (i == 2u) debugPrintfEXT("%u hits", hits);
}
)",
                                                              "shader", {"--target-env", "vulkan1.2"})},
                                        kRayQueryNotes);
  if (!printed) return;
  EXPECT_EQ(*printed, Texts{"4 hits"});
}

// What was demoted goes on for the derivatives of its neighbours, but must not be heard of.
TEST_F(ShaderFeatures, DemotedFragmentsNeitherPrintNorReport) {
  const auto printed = checked({"graphics", shader("vert", kTriangle),
                                shader("frag", R"(
#extension GL_EXT_demote_to_helper_invocation : require
layout(set = 0, binding = 0) buffer Io { uint io[]; };
layout(location = 0) out vec4 colour;
void main() {
  uint x = uint(gl_FragCoord.x);
  if ((x & 1u) == 1u) demote;
  float slope = dFdx(float(x * x));
  // Twins of other fragments: races, were they alive.
  io[uint(gl_FragCoord.y) * 32u + x / 2u] = x;
  if (gl_FragCoord.y < 1.0 && x < 6u) debugPrintfEXT("alive %u, slope %.0f", x, slope);
  colour = vec4(slope / 255.0, helperInvocationEXT() ? 0.0 : 1.0, 0.0, 1.0);
}
)",
                                       "shader", {"--target-env", "vulkan1.3"})});
  EXPECT_EQ(printed, (Texts{"alive 0, slope 1", "alive 2, slope 5", "alive 4, slope 9"}));
}

TEST_F(ShaderFeatures, TerminatedFragmentsPrintBefore) {
  const auto printed = checked({"graphics", shader("vert", kTriangle), shader("frag", R"(
layout(location = 0) out vec4 colour;
void stop(const uint x) {
  if (x == 2u) {
    debugPrintfEXT("stops %u", x);
    discard;
  }
}
void main() {
  colour = vec4(1.0);
  if (gl_FragCoord.y >= 1.0) return;
  uint x = uint(gl_FragCoord.x);
  stop(x);
  if (x < 4u) debugPrintfEXT("goes on %u", x);
}
)")});
  EXPECT_EQ(printed, (Texts{"goes on 0", "goes on 1", "goes on 3", "stops 2"}));
}

// The same work of several views is by invocations of their own, and each has its buffer's part.
TEST_F(ShaderFeatures, MultiviewOfSeveralViews) {
  const auto printed = checked({"graphics", "--views=3", shader("vert", R"(
#extension GL_EXT_multiview : require
void main() {
  gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0);
  if (gl_VertexIndex == 2) debugPrintfEXT("vertex of view %d", gl_ViewIndex);
}
)"),
                                shader("frag", R"(
#extension GL_EXT_multiview : require
layout(set = 0, binding = 0) buffer Io { uint io[]; };
layout(location = 0) out vec4 colour;
void main() {
  uint pixel = (uint(gl_FragCoord.y) & 31u) * 32u + (uint(gl_FragCoord.x) & 31u);
  if (gl_FragCoord.x < 32.0 && gl_FragCoord.y < 32.0) io[uint(gl_ViewIndex) * 1024u + pixel] = pixel;
  colour = vec4(float(gl_ViewIndex) * 0.25 + 0.25);
  if (gl_FragCoord.xy == vec2(9.5, 8.5)) debugPrintfEXT("fragment of view %d", gl_ViewIndex);
}
)")});
  // A device may run the vertex shader once for several views.
  EXPECT_THAT(printed, ::testing::IsSupersetOf({"fragment of view 0", "fragment of view 1",
                                                "fragment of view 2", "vertex of view 2"}));
}

TEST_F(ShaderFeatures, ViewsThatWriteTheSameElementRace) {
  const std::string fragment = shader("frag", R"(
layout(set = 0, binding = 0) buffer Io { uint io[]; };
layout(location = 0) out vec4 colour;
void main() {
  if (gl_FragCoord.x < 8.0 && gl_FragCoord.y < 8.0) io[uint(gl_FragCoord.y) * 8u + uint(gl_FragCoord.x)] = 1u;
  colour = vec4(1.0);
}
)");
  const Outcome one = run_case({"graphics", shader("vert", kTriangle), fragment}, {"--sync"});
  EXPECT_THAT(one.findings, IsEmpty()) << one.process.err;
  const Outcome two = run_case({"graphics", "--views=2", shader("vert", kTriangle), fragment}, {"--sync"});
  EXPECT_FALSE(two.of_kind("hazard").empty()) << two.process.err;
}

// The last workgroup reads what the others made visible to the device.
TEST_F(ShaderFeatures, VulkanMemoryModelBetweenWorkgroups) {
  const auto printed = checked({"compute", "--memory-model", "--groups=4",
                                shader("comp", R"(#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) devicecoherent buffer Io { uint io[]; };
void main() {
  uint at = gl_WorkGroupID.x;
  io[at] = at * 5u;
  uint before = atomicAdd(io[256], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                          gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
  if (before != 3u) return;
  io[300] = io[0] + io[1] + io[2] + io[3];
  debugPrintfEXT("sum %u", io[300]);
}
)",
                                       "shader", {"--target-env", "vulkan1.2"})});
  EXPECT_EQ(printed, Texts{"sum 30"});
}

TEST_F(ShaderFeatures, TerminateInvocation) {
  const std::string fragment = shader("frag", R"(
layout(location = 0) out vec4 colour;
void main() {
  colour = vec4(1.0);
  uint x = uint(gl_FragCoord.x);
  if (gl_FragCoord.y < 1.0 && x == 2u) debugPrintfEXT("stops %u", x);
  if ((x & 3u) == 2u) discard;
  if (gl_FragCoord.y < 1.0 && x < 4u) debugPrintfEXT("goes on %u", x);
}
)",
                                      "shader", {"--target-env", "vulkan1.3"});
  EXPECT_TRUE(has_instruction(fragment, kOpTerminateInvocation));
  const auto printed = checked({"graphics", shader("vert", kTriangle), fragment});
  EXPECT_EQ(printed, (Texts{"goes on 0", "goes on 1", "goes on 3", "stops 2"}));
}

// The compiler's version has no words for the execution mode.
TEST_F(ShaderFeatures, MaximalReconvergence) {
  const auto printed = checked_if_there("VK_KHR_shader_maximal_reconvergence",
                                        {"compute", "--maximal-reconvergence",
                                         compute(R"(#extension GL_EXT_spirv_intrinsics : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
spirv_execution_mode(extensions = ["SPV_KHR_maximal_reconvergence"], 6023);
layout(local_size_x = 32) in;
void main() {
  uint me = gl_LocalInvocationIndex;
  uint sum = 0u;
  for (uint i = 0u; i < me; ++i) {
    if ((i & 1u) == 1u) continue;
    sum += i;
    if (i == 20u && me == 21u) debugPrintfEXT("turn %u: %u", i, sum);
    if (sum > 100u) break;
  }
  io[me] = sum + subgroupAdd(1u) + subgroupBallotBitCount(subgroupBallot(true));
}
)",
                                                 "shader", {"--target-env", "vulkan1.2"})});
  if (printed) {
    EXPECT_EQ(*printed, Texts{"turn 20: 110"});
  }
}

// Two blocks over the same workgroup memory.
TEST_F(ShaderFeatures, WorkgroupMemoryWithALayout) {
  const auto printed = checked_if_there("VK_KHR_workgroup_memory_explicit_layout",
                                        {"compute", "--workgroup-layout",
                                         compute(R"(#extension GL_EXT_shared_memory_block : require
layout(local_size_x = 16) in;
shared Words { uint words[16]; };
shared Pairs { uvec2 pairs[8]; };
void main() {
  uint me = gl_LocalInvocationIndex;
  words[me] = me * me;
  barrier();
  io[me] = pairs[me / 2u].x + pairs[me / 2u].y;
  if (me == 5u) debugPrintfEXT("pair %v2u", pairs[2]);
}
)",
                                                 "shader", {"--target-env", "spirv1.4"})});
  if (printed) {
    EXPECT_EQ(*printed, Texts{"pair 16, 25"});
  }
}

}  // namespace
}  // namespace shaderqa::testing
