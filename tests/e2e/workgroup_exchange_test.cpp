// SPDX-License-Identifier: Apache-2.0
// Workgroup memory around subgroup operations: an operation returns only after all its invocations have read
// what they give it, so stores that follow from its result come after those reads, and after no others.

#include "workgroup_memory.h"

namespace shaderqa::testing {
namespace {

class WorkgroupExchange : public WorkgroupMemory {
 protected:
  // body: of invocation `l`, lane `lane` of a subgroup whose first invocation is `first`. All elements of `a`
  // are written, and ordered before.
  void add_body(const std::string& name, const std::string& body, const std::string& functions = "") {
    add(name,
        R"(#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 64) in;
shared uint a[64];
uint l, lane, first;
)" + functions +
            R"(
void main() {
  l = gl_LocalInvocationIndex;
  lane = gl_SubgroupInvocationID;
  first = gl_SubgroupID * gl_SubgroupSize;
  a[l] = l;
  barrier();
)" + body + R"(
  barrier();
  io[l] = a[l];
}
)",
        {"--target-env", "vulkan1.2"});
  }
};

TEST_F(WorkgroupExchange, StoresThatFollowFromItsResultComeAfterItsReads) {
  // As FidelityFX's downsampler has it.
  add_body("quad", R"(
  if (lane < 4u) {
    uint v = reduce(a[first + lane]);
    if (lane == 0u) a[first + 2u] = v;
  })",
           R"(
uint reduce(uint v) {
  uint across = subgroupQuadSwapHorizontal(v), down = subgroupQuadSwapVertical(v);
  return max(max(v, across), max(down, subgroupQuadSwapDiagonal(v)));
})");
  add_body("sum", R"(
  uint sum = subgroupAdd(a[first + lane]);
  if (subgroupElect()) a[first + 3u] = sum;)");
  add_body("clusters", R"(
  uint sum = subgroupClusteredAdd(a[first + lane], 4u);
  if (lane % 4u == 1u) a[first + lane + 2u] = sum;)");
  add_body("permuted", R"(
  uint other = subgroupShuffleXor(a[first + lane], 1u);
  a[first + (lane ^ 1u)] = other + 1u;)");
  add_body("place", R"(
  uint at = subgroupMin(a[first + lane]);
  if (subgroupElect()) a[at + 1u] = 7u;)");
  add_body("decision", R"(
  bool large = a[first + lane] > 5u;
  if (subgroupAny(large) && lane == 0u) a[first + 1u] = 9u;)");
  add_body("decision_before", R"(
  uint one = 0u;
  if (a[first + lane] > 5u) one = 1u;
  uint sum = subgroupAdd(one);
  if (lane == 0u) a[first + 1u] = sum;)");
  add_body("variables", R"(
  uint kept[2];
  read(kept);
  for (uint i = 0u; i < 2u; ++i) kept[i] = subgroupMax(kept[i]);
  write(kept);)",
           R"(
void read(out uint kept[2]) { kept[0] = a[first + lane]; kept[1] = a[first + (lane ^ 1u)]; }
void write(uint kept[2]) { if (lane == 2u) a[first + 1u] = kept[0] + kept[1]; })");
  add_body("own_read_beside", R"(
  uint own = a[first + lane];
  uint sum = subgroupAdd(a[first + (lane ^ 1u)]);
  a[first + lane] = sum;
  atomicAdd(io[l], own);)");
  add_body("atomic", R"(
  uint most = subgroupMax(a[first + lane]);
  atomicAdd(a[first], most);)");
  add_body("and_barriers", R"(
  uint other = subgroupShuffleXor(a[first + lane], 1u);
  a[first + (lane ^ 1u)] = other;
  subgroupBarrier();
  other = subgroupShuffleXor(a[first + lane], 2u);
  a[first + (lane ^ 2u)] = other;)");
  const Sources sources = run_all({"--sync"});
  for (const auto& [name, findings] : sources.hazards) ADD_FAILURE() << name << findings[0].dump(2);
  EXPECT_THAT(sources.outcome.notes(), Not(::testing::Contains(HasSubstr("workgroup memory"))));
}

TEST_F(WorkgroupExchange, OtherReadsAndOtherStoresAreNotOrdered) {
  add_body("read_not_passed_on", R"(
  uint kept = a[first + lane];
  uint sum = subgroupAdd(lane);
  if (lane == 1u) a[first + 2u] = sum;
  atomicAdd(io[l], kept);)");
  add_body("store_that_does_not_follow", R"(
  uint sum = subgroupAdd(a[first + lane]);
  if (lane == 1u) a[first + 2u] = 7u;
  atomicAdd(io[l], sum);)");
  add_body("other_subgroup", R"(
  uint sum = subgroupAdd(a[first + lane]);
  if (lane == 0u && first != 0u) a[first - gl_SubgroupSize] = sum;)");
  add_body("other_quad", R"(
  uint across = subgroupQuadSwapHorizontal(a[l]);
  if (lane % 4u == 0u) a[l ^ 4u] = across;)");
  add_body("read_behind", R"(
  uint other = subgroupShuffleXor(a[first + lane], 1u);
  a[first + lane] = other;
  atomicAdd(io[l], a[first + (lane ^ 1u)]);)");
  add_body("two_stores", R"(
  uint sum = subgroupAdd(a[first + lane]);
  if (lane < 2u) a[first + 2u] = sum;)");
  add_body("read_twice", R"(
  uint sum = subgroupAdd(a[first + lane]);
  uint again = a[first + lane];
  if (lane == 1u) a[first + 2u] = sum;
  atomicAdd(io[l], again);)");
  const Sources sources = run_all({"--sync"});
  const std::map<std::string, std::string> classes{
      {"read_not_passed_on", "write after read"}, {"store_that_does_not_follow", "write after read"},
      {"other_subgroup", "write after read"},     {"other_quad", "write after read"},
      {"read_behind", "read after write"},        {"two_stores", "write after write"},
      {"read_twice", "write after read"}};
  for (const auto& [name, expected] : classes) {
    const auto found = sources.hazards.find(name);
    ASSERT_NE(found, sources.hazards.end()) << name;
    EXPECT_EQ(found->second[0].at("hazard").at("class"), expected) << name << found->second[0].dump(2);
  }
}

}  // namespace
}  // namespace shaderqa::testing
