// SPDX-License-Identifier: Apache-2.0
// Which shaders follow what fences and atomics order under the exact engine, and where they do so.
#include <gtest/gtest.h>

#include "support.h"

namespace shaderqa::test {
namespace {

const std::string fence = "OpMemoryBarrier %device %buffers\n";
const std::string workgroup_fence = "OpMemoryBarrier %workgroup %buffers\n";
const std::string atomic = "%old = OpAtomicIAdd %uint %counter %device %relaxed %one\n";
const std::string use = "OpStore %word %old\n";
const std::string shared_atomic = "%shared_old = OpAtomicIAdd %uint %shared %workgroup %relaxed %one\n";
const std::string shared_use = "OpStore %word %shared_old\n";
const std::string subgroup = "%sum = OpGroupNonUniformIAdd %uint %subgroup Reduce %one\n";

Module shader(const std::string& body, bool compute = true) {
  const std::string model =
      compute ? "OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 8 1 1\n"
              : "OpEntryPoint Vertex %main \"main\"\n";
  return assemble(fixture("releases", {{"ENTRY_POINT", model}, {"BODY", body}}), SPV_ENV_VULKAN_1_1);
}

struct Rewritten {
  std::string text;
  std::vector<ShaderNote> notes;
  size_t size = 0;
};

Rewritten rewritten(const Module& words, SyncEngine engine = SyncEngine::exact) {
  InstrumentOptions options = sync_options();
  options.int64_atomics = true;
  options.sync.engine = engine;
  const InstrumentResult result = instrument(words, options);
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_VULKAN_1_2), "");
  return {disassemble(result.words), result.record.notes, result.words.size()};
}

// "" for a shader that follows nothing; else what sqa_begin_order is told.
std::string follows(const std::string& body) {
  const std::string text = rewritten(shader(body)).text;
  const std::string call = "OpFunctionCall %void %sqa_begin_order ";
  const size_t at = text.find(call);
  if (at == std::string::npos) {
    EXPECT_EQ(count(text, "sqa_follow"), 0u) << text;
    EXPECT_EQ(count(text, "sqa_marks"), 0u) << text;
    return "";
  }
  return text.substr(at + call.size(), text.find('\n', at) - at - call.size());
}

// Traced, loose, local.
TEST(Releases, AreFollowedWhereThereAreFencesAndAtomics) {
  EXPECT_EQ(follows(atomic + use), "");
  EXPECT_EQ(follows("OpStore %word %one\n" + fence), "");
  EXPECT_EQ(follows("OpStore %word %one\n" + fence + shared_atomic), "");
  EXPECT_EQ(follows(atomic + use + "OpMemoryBarrier %device %workgroup_memory\n"), "");
  EXPECT_EQ(follows(fence + atomic), "%false %false %false %uint_0");
  EXPECT_EQ(follows(fence + atomic + use), "%true %false %false %uint_0");
  EXPECT_EQ(follows(fence + subgroup + atomic + use), "%true %true %false %uint_0");
}

TEST(Releases, FencesOfAWorkgroupMatterToWhoeverIsTold) {
  EXPECT_EQ(follows(workgroup_fence + atomic), "");
  EXPECT_EQ(follows(workgroup_fence + atomic + use), "%true %false %false %uint_0");
  EXPECT_EQ(follows(workgroup_fence + shared_atomic + shared_use), "%true %true %true %uint_0");
}

TEST(Releases, AtomicsMayBeFences) {
  EXPECT_EQ(follows("%old = OpAtomicIAdd %uint %counter %device %buffers %one\n" + use),
            "%true %false %false %uint_0");
}

// The scope and the semantics are at other places where there is no result.
TEST(Releases, AtomicLoadsAndStoresMayBeFences) {
  const std::string told = "%false %false %false %uint_0";
  EXPECT_EQ(follows("OpAtomicStore %counter %device %release %one\n" + atomic), told);
  EXPECT_EQ(follows("OpAtomicStore %counter %workgroup %release %one\n" + atomic), "");
  EXPECT_EQ(follows("OpAtomicStore %counter %device %relaxed %one\n" + atomic), "");
  EXPECT_EQ(follows("%loaded = OpAtomicLoad %uint %counter %device %acquire\n" + atomic), told);
  EXPECT_EQ(follows("%loaded = OpAtomicLoad %uint %counter %workgroup %acquire\n" + atomic), "");
  EXPECT_EQ(follows("%loaded = OpAtomicLoad %uint %counter %device %relaxed\n" + atomic), "");
}

TEST(Releases, SmallerScopesOrderTheirInvocationsAlone) {
  EXPECT_EQ(follows("OpMemoryBarrier %subgroup %buffers\n" + atomic), "");
  EXPECT_EQ(follows("OpMemoryBarrier %subgroup %buffers\n" + atomic + use), "%true %false %false %uint_0");
  EXPECT_EQ(follows("OpMemoryBarrier %invocation %buffers\n" + atomic + use), "");
}

size_t said(const std::string& body, const std::string& call) {
  return count(rewritten(shader(body)).text, "OpFunctionCall %void %" + call);
}

// An acquire covers nothing that comes before it.
TEST(Releases, FencesThatOnlyAcquireReleaseNothing) {
  const std::string acquire =
      "%loaded = OpAtomicLoad %uint %counter %device %acquire\nOpStore %word %loaded\n";
  EXPECT_EQ(said(acquire + atomic, "sqa_passed_fence"), 0u);
  EXPECT_EQ(said(acquire + atomic, "sqa_before_atomic"), 2u);
  EXPECT_EQ(said(acquire + "OpAtomicStore %counter %device %release %one\n", "sqa_passed_fence"), 1u);
}

TEST(Releases, ReachAsFarAsTheirScopes) {
  EXPECT_EQ(said(fence + atomic + use, "sqa_passed_fence %true"), 1u);
  EXPECT_EQ(said(workgroup_fence + atomic + use, "sqa_passed_fence %false"), 1u);
  EXPECT_EQ(said(fence + atomic + use, "sqa_before_atomic %uint_3"), 1u);
  const std::string narrow = "%old = OpAtomicIAdd %uint %counter %workgroup %relaxed %one\n";
  EXPECT_EQ(said(fence + narrow + use, "sqa_before_atomic %uint_1"), 1u);
}

// What an invocation does behind a selection that not all enter.
std::string sometimes(const std::string& inside) {
  return "OpSelectionMerge %merge None\nOpSwitch %one %merge 2 %case\n%case = OpLabel\n" + inside +
         "OpBranch %merge\n%merge = OpLabel\n";
}

// They need no atomics.
TEST(Releases, BarriersOfASubgroupAreFollowed) {
  const std::string part = "OpControlBarrier %subgroup %subgroup %buffers\n";
  // With the number of its subgroup.
  const std::string numbered = "%false %true %false %";
  EXPECT_TRUE(follows("OpStore %word %one\n" + part).starts_with(numbered));
  EXPECT_NE(follows("OpStore %word %one\n" + part), numbered + "uint_0");
  EXPECT_EQ(said("OpStore %word %one\n" + part, "sqa_reach_part"), 1u);
  EXPECT_EQ(said("OpStore %word %one\n" + part, "sqa_passed_part_exact %true"), 1u);
  const std::string plain = "OpControlBarrier %subgroup %subgroup %relaxed\n";
  EXPECT_EQ(follows("OpStore %word %one\n" + plain), "");
  EXPECT_TRUE(follows("OpStore %word %one\n" + plain + workgroup_fence).starts_with(numbered));
  EXPECT_EQ(said("OpStore %word %one\n" + part, "sqa_reach_part %true"), 1u);
  EXPECT_EQ(said("OpStore %word %one\n" + workgroup_fence + plain, "sqa_reach_part %false"), 1u);
  // One of the workgroup whose memory scope is the subgroup is one of each subgroup, too.
  const std::string narrow = "OpControlBarrier %workgroup %subgroup %buffers\n";
  EXPECT_TRUE(follows("OpStore %word %one\n" + narrow).starts_with(numbered));
  EXPECT_EQ(said("OpStore %word %one\n" + narrow, "sqa_reach_part %true"), 1u);
  EXPECT_EQ(said("OpStore %word %one\n" + narrow, "sqa_passed_part_exact %true"), 1u);
  EXPECT_EQ(said("OpStore %word %one\n" + narrow, "sqa_passed_barrier_exact %false"), 1u);
}

// Behind a control barrier a memory barrier matters if others may have passed one in front of it, though this
// invocation has not.
TEST(Releases, MemoryBarriersOfAllSayWhatOthersReleased) {
  const std::string store = "OpStore %word %one\n";
  const std::string call = "sqa_passed_memory_barrier_exact ",
                    meeting = "OpControlBarrier %workgroup %workgroup %relaxed\n";
  EXPECT_EQ(said(store + workgroup_fence + meeting, call + "%true %false %false"), 1u);
  EXPECT_EQ(said(store + meeting + workgroup_fence, call + "%true %false %true"), 1u);
  EXPECT_EQ(said(store + sometimes(workgroup_fence) + meeting, call + "%true %true %false"), 1u);
  EXPECT_EQ(said(store + sometimes(workgroup_fence) + meeting + workgroup_fence, call + "%true %true %false"),
            2u);
  // Nobody meets behind it.
  EXPECT_EQ(said(store + meeting + sometimes(workgroup_fence), call + "%true %false %false"), 1u);
  // A subgroup's says nothing to others.
  EXPECT_EQ(said(store + "OpMemoryBarrier %subgroup %buffers\n" + meeting, call + "%false %false %false"),
            1u);
}

TEST(Releases, ControlBarriersOrderBuffersAsTheirSemanticsSay) {
  const auto orders = [](const std::string& barrier) {
    return said("OpStore %word %one\nOpControlBarrier %workgroup " + barrier + "\n",
                "sqa_passed_barrier_exact %true");
  };
  EXPECT_EQ(orders("%workgroup %buffers"), 1u);
  EXPECT_EQ(orders("%device %buffers"), 1u);
  EXPECT_EQ(orders("%workgroup %release"), 1u);
  EXPECT_EQ(orders("%workgroup %acquire"), 0u);
  EXPECT_EQ(orders("%workgroup %relaxed"), 0u);
  EXPECT_EQ(orders("%subgroup %buffers"), 0u);
}

// The engine's own barriers: whoever is told acquires what was released, and reports are only released.
TEST(Releases, WhoeverIsToldAcquires) {
  const std::string text =
      rewritten(shader("%old = OpAtomicIAdd %uint %counter %device %buffers %one\n" + use)).text;
  EXPECT_EQ(count(text, "OpMemoryBarrier %uint_1 %uint_72\n"), 1u);
  EXPECT_GE(count(text, "OpMemoryBarrier %uint_1 %uint_68\n"), 1u);
  EXPECT_EQ(count(rewritten(shader(atomic + use)).text, "OpMemoryBarrier %uint_1 %uint_72\n"), 0u);
}

// A fence is known of before the atomic behind it, and an atomic that is one before itself.
TEST(Releases, AreSaidInFrontOfTheAtomic) {
  const std::string text =
      rewritten(shader(fence + "%old = OpAtomicIAdd %uint %counter %device %buffers %one\n" + use)).text;
  const size_t barrier = text.find("OpMemoryBarrier"), end = text.find("OpAtomicIAdd", barrier);
  const size_t own_fence = text.find("%sqa_passed_fence", barrier),
               released = text.find("%sqa_before_atomic %uint_3", own_fence);
  EXPECT_LT(text.find("%sqa_passed_fence"), barrier);
  EXPECT_LT(text.find("OpFunctionCall %void %sqa_access_set", barrier), own_fence);
  EXPECT_LT(own_fence, released);
  EXPECT_LT(released, end);
  EXPECT_EQ(text.find('\n', text.find('\n', released) + 1), text.find('\n', end));
}

TEST(Releases, NothingIsHiddenWhereTheyAreTraced) {
  const Rewritten traced = rewritten(shader(fence + subgroup + atomic + use));
  EXPECT_EQ(count(traced.text, "OpFunctionCall %void %sqa_set_ordered"), 0u);
  EXPECT_EQ(count(traced.text, "OpFunctionCall %void %sqa_tell_workgroup"), 1u);
  EXPECT_TRUE(traced.notes.empty());
  const Rewritten hidden = rewritten(shader(fence + atomic + use, false));
  EXPECT_EQ(count(hidden.text, "OpFunctionCall %void %sqa_set_ordered %true"), 1u);
  ASSERT_EQ(hidden.notes.size(), 1u);
  EXPECT_TRUE(hidden.notes[0].text.starts_with("Accesses after a device-scope fence"))
      << hidden.notes[0].text;
  // Nobody is told anything.
  EXPECT_TRUE(rewritten(shader(fence + atomic, false)).notes.empty());
}

// What one invocation has acquired is handed on to those that meet it behind the fence.
TEST(Releases, AreHiddenFromWhoeverMeetsThemUnderTheFilter) {
  const auto hidden = [](const std::string& body) {
    return count(rewritten(shader("OpStore %word %one\n" + body + use), SyncEngine::bloom).text,
                 "OpFunctionCall %void %sqa_set_ordered %true");
  };
  const std::string meeting = "OpControlBarrier %workgroup %workgroup %buffers\n",
                    acquire = "%old = OpAtomicIAdd %uint %counter %device %acquire %one\n",
                    plain = "OpControlBarrier %workgroup %workgroup %relaxed\n";
  EXPECT_EQ(hidden(meeting + acquire), 1u);
  EXPECT_EQ(hidden(atomic + sometimes(fence) + meeting), 2u);
  EXPECT_EQ(hidden(atomic + sometimes(fence) + plain + workgroup_fence), 2u);
  EXPECT_EQ(hidden(atomic + sometimes(fence) + plain), 2u) << "whoever passes the fence releases to all";
  EXPECT_EQ(hidden(atomic + meeting + sometimes(fence)), 1u);
  EXPECT_EQ(hidden(atomic + meeting + meeting), 0u);
}

// The exact engine traces no mesh shaders. Two fences, and of the two barriers that behind them.
TEST(Releases, AreHiddenFromWhoeverMeetsThemInMeshShaders) {
  const std::string text = rewritten(load_sync_shader("last_one.mesh.vulkan1.2")).text;
  EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_set_ordered %true"), 3u);
}

// By an atomic, an invocation of the workgroup may know what others did before their fence.
TEST(Releases, FencesOfAWorkgroupAreItsBarriersUnderTheFilter) {
  const auto passed = [](const std::string& body) {
    return count(rewritten(shader("OpStore %word %one\n" + body), SyncEngine::bloom).text,
                 "OpFunctionCall %void %sqa_passed_barrier");
  };
  EXPECT_EQ(passed(workgroup_fence + shared_atomic + shared_use), 1u);
  EXPECT_EQ(passed(workgroup_fence + atomic + use), 1u);
  EXPECT_EQ(passed(workgroup_fence + atomic), 0u) << "nobody learns anything";
  EXPECT_EQ(passed(workgroup_fence), 0u);
}

// A branch to what is no block.
TEST(Releases, OfDamagedModulesAreRefused) {
  InstrumentOptions options = sync_options();
  options.int64_atomics = true;
  options.sync.engine = SyncEngine::exact;
  const std::string damaged =
      "OpStore %word %one\nOpSelectionMerge %merge None\n"
      "OpSwitch %one %merge 2 %word\n%merge = OpLabel\nOpStore %counter %one\n";
  const InstrumentResult result = instrument(shader(damaged), options);
  EXPECT_EQ(result.status, InstrumentStatus::refused);
  EXPECT_TRUE(result.message.find("not valid SPIR-V") != std::string::npos) << result.message;
}

// A patch's invocations meet as a workgroup's do, unless subgroups, which may have parts of several patches,
// meet too.
TEST(Releases, PatchesAreWorkgroupsWhereNoSubgroupMeets) {
  const std::string patches = rewritten(load_sync_shader("patches.tesc.vulkan1.2")).text;
  EXPECT_EQ(count(patches, "OpFunctionCall %void %sqa_passed_barrier_exact "), 1u);
  EXPECT_EQ(count(patches, "sqa_follow"), 0u);
  const std::string both = rewritten(load_sync_shader("patches_and_subgroups.modern.tesc.vulkan1.2")).text;
  EXPECT_EQ(count(both, "OpFunctionCall %void %sqa_passed_barrier_exact "), 0u);
  EXPECT_EQ(count(both, "OpFunctionCall %void %sqa_passed_part_exact "), 2u);
}

}  // namespace
}  // namespace shaderqa::test
