// SPDX-License-Identifier: Apache-2.0
// The second version of compute shaders under the exact engine: what it leaves out, what it keeps, and which
// shaders have none.
#include <gtest/gtest.h>

#include <functional>

#include "NonSemanticShaderDebugInfo100.h"
#include "support.h"

namespace shaderqa::test {
namespace {

std::string load(const std::string& buffer, const std::string& name) {
  return "%p_" + name + " = OpAccessChain %uint_pointer %" + buffer + " %zero %x\n%" + name +
         " = OpLoad %uint %p_" + name + "\n";
}
std::string load_of_many(const std::string& element, const std::string& name) {
  return "%p_" + name + " = OpAccessChain %uint_pointer %many %" + element + " %zero %x\n%" + name +
         " = OpLoad %uint %p_" + name + "\n";
}
const std::string store = "%target = OpAccessChain %uint_pointer %out %zero %x\nOpStore %target %x\n";

Module shader(const std::string& body, const std::string& decorations = "",
              const std::string& capability = "Shader") {
  return assemble(
      fixture("unwatched", {{"CAPABILITY", capability}, {"DECORATIONS", decorations}, {"BODY", body}}),
      SPV_ENV_VULKAN_1_1);
}

InstrumentOptions exact_options() {
  InstrumentOptions options = sync_options();
  options.int64_atomics = true;
  options.sync.engine = SyncEngine::exact;
  options.sync.calls = SyncCalls::never;  // large shaders that call their checks have no second version
  options.sync.loops = false;             // check_runs_test.cpp
  return options;
}

struct Rewritten {
  std::string text;
  ShaderRecord record;

  std::string function(const std::string& name) const {
    const size_t begin = text.find("%" + name + " = OpFunction ");
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find("OpFunctionEnd", begin) - begin);
  }
  size_t checks_in(const std::string& name) const { return count(function(name), "%sqa_access_set "); }
};

Rewritten rewritten(const Module& words, const InstrumentOptions& options = exact_options()) {
  const InstrumentResult result = instrument(words, options);
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_VULKAN_1_2), "") << disassemble(result.words);
  return {disassemble(result.words), result.record};
}

bool has_version(const Module& words, const InstrumentOptions& options = exact_options()) {
  const Rewritten result = rewritten(words, options);
  const size_t named = count(result.text, "%main_unwatched = OpFunction ");
  EXPECT_EQ(named != 0, result.text.find("%sqa_reads_unwatched = OpFunction ") != std::string::npos);
  EXPECT_LE(named, 1u);
  return named != 0;
}

// What the entry point asks: "SET:SLOTS" each.
std::string asks(const Module& words) {
  const Rewritten result = rewritten(words);
  const std::string entry = result.function("main"), call = "%sqa_reads_unwatched %uint_";
  std::string asked;
  for (size_t at = entry.find(call); at != std::string::npos; at = entry.find(call, at + 1)) {
    std::string arguments = entry.substr(at + call.size(), entry.find('\n', at) - at - call.size());
    arguments.replace(arguments.find(" %uint_"), 7, ":");
    asked += (asked.empty() ? "" : " ") + arguments;
  }
  return asked;
}

// Its slots in sync_options() are the 16 from 0 on, of which a variable that is no array has the first.
constexpr auto kSlotsOfIn = "0:1";

TEST(UnwatchedVersion, HasChecksOfStoresButNotOfLoads) {
  const Rewritten result = rewritten(shader(load("in", "a") + store));
  EXPECT_EQ(result.checks_in("main_watched"), 2u);
  EXPECT_EQ(result.checks_in("main_unwatched"), 1u);
  EXPECT_EQ(result.checks_in("main"), 0u);
  EXPECT_EQ(result.record.check_sites.size(), 2u) << "the same sites in both";
  // The store's call, word for word but for results.
  const std::string watched = result.function("main_watched"), unwatched = result.function("main_unwatched");
  const size_t last = watched.rfind("%sqa_access_set "), only = unwatched.find("%sqa_access_set ");
  const auto constants = [](const std::string& call) { return call.substr(0, call.find(" %uint_0")); };
  EXPECT_EQ(constants(watched.substr(last)), constants(unwatched.substr(only)));
  // The application's own instructions, and no more than one calculation of ours: the store's place.
  EXPECT_EQ(count(unwatched, "OpLoad "), count(watched, "OpLoad "));
  EXPECT_EQ(count(unwatched, "OpStore "), 1u);
  EXPECT_EQ(count(unwatched, "OpIMul "), 1u);
  EXPECT_EQ(count(watched, "OpIMul "), 2u);
}

TEST(UnwatchedVersion, IsChosenByTheEntryPoint) {
  const Rewritten result = rewritten(shader(load("in", "a") + store));
  EXPECT_EQ(count(result.text, "OpEntryPoint GLCompute %main "), 1u);
  EXPECT_EQ(count(result.text, "OpExecutionMode %main "), 1u);
  const std::string entry = result.function("main");
  const size_t begin = entry.find("%sqa_begin_sync "), choice = entry.find("%sqa_reads_unwatched ");
  EXPECT_LT(begin, choice);
  EXPECT_LT(choice, entry.find("OpBranchConditional"));
  EXPECT_LT(entry.find("%main_unwatched"), entry.find("%main_watched")) << "the true label comes first";
  EXPECT_EQ(count(result.text, "OpFunctionCall %void %sqa_begin_sync "), 1u);
}

TEST(UnwatchedVersion, AsksForTheSlotsThatItReads) {
  EXPECT_EQ(asks(shader(load("in", "a") + load("in", "b") + store)), kSlotsOfIn);
  EXPECT_EQ(asks(shader(load("other", "a") + load("in", "b") + store)), "0:1 3:65536");
  EXPECT_EQ(asks(shader(load_of_many("five", "a") + store)), "2:32");
  EXPECT_EQ(asks(shader(load_of_many("x", "a") + store)), "2:65535");
}

TEST(UnwatchedVersion, KeepsLoadsThatTheRecordSaysNothingOf) {
  EXPECT_FALSE(has_version(shader(load("far", "a") + store)));
  const Rewritten result = rewritten(shader(load("far", "a") + load("in", "b") + store));
  EXPECT_EQ(result.checks_in("main_watched"), 3u);
  EXPECT_EQ(result.checks_in("main_unwatched"), 2u);
}

// Those are always watched.
TEST(UnwatchedVersion, KeepsLoadsOfWhatTheShaderWrites) {
  EXPECT_FALSE(has_version(shader(load("out", "a") + store)));
  const std::string barrier = "OpControlBarrier %workgroup %workgroup %semantics\n";
  const Module words = shader(load("out", "a") + load("in", "b") + barrier + store);
  EXPECT_EQ(asks(words), kSlotsOfIn);
  const Rewritten result = rewritten(words);
  EXPECT_EQ(result.checks_in("main_watched"), 3u);
  EXPECT_EQ(result.checks_in("main_unwatched"), 2u);
  for (const char* version : {"main_watched", "main_unwatched"}) {
    EXPECT_EQ(count(result.function(version), "OpControlBarrier "), 1u);
    EXPECT_EQ(count(result.function(version), "%sqa_passed_barrier_exact "), 1u);
  }
}

TEST(UnwatchedVersion, IsThereOnlyWhereItGainsAnything) {
  EXPECT_FALSE(has_version(shader(store)));
  EXPECT_FALSE(has_version(shader(store + load("out", "a"))));
  EXPECT_TRUE(has_version(shader(load("in", "a"))));
}

// Where it leads the record does not say.
TEST(UnwatchedVersion, KeepsLoadsOfWhatTheFlowOfControlChooses) {
  const std::string chosen =
      load("in", "a") + load("other", "b") + "%chosen = OpSelect %uint_pointer %true %p_a %p_b\n";
  const Module words = shader(chosen + "%c = OpLoad %uint %chosen\n" + store, "", "VariablePointers");
  EXPECT_EQ(asks(words), "0:1 3:65536");
  const Rewritten result = rewritten(words);
  EXPECT_EQ(result.checks_in("main_watched"), 4u);
  EXPECT_EQ(result.checks_in("main_unwatched"), 2u);
  // Then all is watched.
  EXPECT_FALSE(has_version(shader(chosen + "OpStore %chosen %x\n", "", "VariablePointers")));
}

TEST(UnwatchedVersion, IsOfComputeShadersUnderTheExactEngineOnly) {
  const Module words = shader(load("in", "a") + store);
  EXPECT_TRUE(has_version(words));
  const auto with = [](const std::function<void(InstrumentOptions&)>& change) {
    InstrumentOptions options = exact_options();
    change(options);
    return options;
  };
  for (const InstrumentOptions& options : {with([](auto& each) { each.sync.unwatched_version = false; }),
                                           with([](auto& each) { each.sync.footprints = true; }),
                                           with([](auto& each) { each.sync.engine = SyncEngine::bloom; })}) {
    EXPECT_FALSE(has_version(words, options));
    EXPECT_EQ(rewritten(words, options).checks_in("main"), 2u);
  }
  const Module vertices = load_sync_shader("plain.vert.vulkan1.1");
  EXPECT_FALSE(has_version(vertices));
}

TEST(UnwatchedVersion, CopiesTheFunctionsThatItMust) {
  const Rewritten result =
      rewritten(shader("%a = OpFunctionCall %uint %helper %x\n"
                       "%b = OpFunctionCall %uint %plain %a\n" +
                       store));
  EXPECT_EQ(result.checks_in("helper"), 1u);
  EXPECT_EQ(count(result.text, "%helper_unwatched = OpFunction "), 1u);
  EXPECT_EQ(result.checks_in("helper_unwatched"), 0u);
  EXPECT_EQ(count(result.text, "%plain = OpFunction "), 1u);
  EXPECT_EQ(count(result.text, "%plain_unwatched"), 0u);
  EXPECT_EQ(count(result.function("main_unwatched"), "OpFunctionCall %uint %helper_unwatched "), 1u);
  EXPECT_EQ(count(result.function("main_watched"), "OpFunctionCall %uint %helper "), 1u);
  for (const char* version : {"main_watched", "main_unwatched"})
    EXPECT_EQ(count(result.function(version), "OpFunctionCall %uint %plain "), 1u);
}

TEST(UnwatchedVersion, HasTheDecorationsOfItsValues) {
  const std::string sum = "%sum = OpIAdd %uint %x %a\n%twice = OpIAdd %uint %sum %sum\n";
  const std::string decorations =
      "OpDecorate %sum RelaxedPrecision\nOpDecorate %group RelaxedPrecision\n"
      "%group = OpDecorationGroup\nOpGroupDecorate %group %twice\n";
  const Rewritten result = rewritten(shader(load("in", "a") + sum + store, decorations));
  EXPECT_EQ(count(result.text, "RelaxedPrecision"), 3u);
  const size_t targets = result.text.find("OpGroupDecorate ");
  EXPECT_EQ(count(result.text.substr(targets, result.text.find('\n', targets) - targets), "%"), 3u);
}

TEST(UnwatchedVersion, IsNotOfWhatIsTooLarge) {
  std::string sums = "%s0 = OpIAdd %uint %x %x\n";
  for (uint32_t i = 1; i < 10500; ++i)
    sums += "%s" + std::to_string(i) + " = OpIAdd %uint %s" + std::to_string(i - 1) + " %x\n";
  EXPECT_FALSE(has_version(shader(load("in", "a") + sums + store)));
}

// What drivers make of it by unrolling: 512 copies of 25 additions, and of 10.
TEST(UnwatchedVersion, IsNotOfWhatIsUnrolledToTooMuch) {
  const auto nested = [](const std::string& control, uint32_t sums) {
    std::string body;
    for (const std::string n : {"1", "2", "3"}) {
      body += "OpBranch %before" + n + "\n%before" + n + " = OpLabel\nOpBranch %header" + n + "\n%header" +
              n + " = OpLabel\n%i" + n + " = OpPhi %uint %zero %before" + n + " %next" + n + " %continue" +
              n + "\nOpLoopMerge %merge" + n + " %continue" + n + " " + control + "\nOpBranch %test" + n +
              "\n%test" + n + " = OpLabel\n%condition" + n + " = OpULessThan %bool %i" + n +
              " %eight\nOpBranchConditional %condition" + n + " %body" + n + " %merge" + n + "\n%body" + n +
              " = OpLabel\n";
    }
    body += "%s0 = OpIAdd %uint %x %x\n";
    for (uint32_t i = 1; i < sums; ++i)
      body += "%s" + std::to_string(i) + " = OpIAdd %uint %s" + std::to_string(i - 1) + " %x\n";
    for (const std::string n : {"3", "2", "1"})
      body += "OpBranch %continue" + n + "\n%continue" + n + " = OpLabel\n%next" + n + " = OpIAdd %uint %i" +
              n + " %one\nOpBranch %header" + n + "\n%merge" + n + " = OpLabel\n";
    return shader(load("in", "a") + body + store);
  };
  EXPECT_FALSE(has_version(nested("Unroll", 25)));
  EXPECT_TRUE(has_version(nested("Unroll", 10)));
  EXPECT_TRUE(has_version(nested("None", 25)));
}

// Which instructions it says something of is not known: copies would be without it.
TEST(UnwatchedVersion, IsNotMadeBesideUnknownDecorations) {
  Module words = shader(load("in", "a") + store, "OpDecorate %x RelaxedPrecision\n");
  constexpr uint32_t op_decorate = 71, relaxed_precision = 0, unknown = 60002;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xffff) == op_decorate && words[at + 2] == relaxed_precision) words[at + 2] = unknown;
  const InstrumentResult result = instrument(words, exact_options());
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  size_t functions = 0;
  for (size_t at = 5; at < result.words.size(); at += result.words[at] >> 16)
    functions += (result.words[at] & 0xffff) == 54;
  const InstrumentResult copied = instrument(shader(load("in", "a") + store), exact_options());
  size_t more = 0;
  for (size_t at = 5; at < copied.words.size(); at += copied.words[at] >> 16)
    more += (copied.words[at] & 0xffff) == 54;
  EXPECT_EQ(functions + 3, more) << "two versions and the question";
}

// Lines, scopes and definitions of functions.
TEST(UnwatchedVersion, LeavesDebugInformationValid) {
  const Module words = load_sync_shader("layouts.comp.gVS.vulkan1.2");
  ASSERT_TRUE(has_version(words));
  const Rewritten result = rewritten(words);
  EXPECT_EQ(result.function("main").find("DebugFunctionDefinition"), std::string::npos);
  EXPECT_EQ(result.function("main").find("DebugScope"), std::string::npos);
  const std::string watched = result.function("main_watched");
  const size_t definition = watched.find("DebugFunctionDefinition ");
  ASSERT_NE(definition, std::string::npos);
  EXPECT_NE(watched.substr(definition, watched.find('\n', definition) - definition).find("%main_watched"),
            std::string::npos);
  const std::string unwatched = result.function("main_unwatched");
  EXPECT_EQ(unwatched.find("DebugFunctionDefinition"), std::string::npos);
  EXPECT_EQ(unwatched.find("DebugDeclare"), std::string::npos);
  EXPECT_NE(unwatched.find("DebugLine"), std::string::npos) << "profilers show it, too";
}

// What SPIRV-Tools does not know are instructions as others are.
TEST(UnwatchedVersion, LeavesNewerDebugInformationInTheFirst) {
  const Module words = with_newer_debug_set(load_sync_shader("layouts.comp.gVS.vulkan1.2"));
  ASSERT_TRUE(has_version(words));
  const Rewritten result = rewritten(words);
  const std::string set = id_of(result.text, "OpExtInstImport \"NonSemantic.Shader.DebugInfo.102\"");
  const auto debug = [&](const std::string& function, uint32_t number) {
    return count(result.function(function), "OpExtInst %void " + set + " " + std::to_string(number) + " ");
  };
  constexpr uint32_t line = NonSemanticShaderDebugInfo100DebugLine,
                     definition = NonSemanticShaderDebugInfo100DebugFunctionDefinition;
  EXPECT_EQ(debug("main", line), 0u);
  EXPECT_EQ(debug("main_watched", definition), 1u);
  EXPECT_EQ(debug("main_unwatched", definition), 0u);
  EXPECT_GT(debug("main_unwatched", line), 0u);
}

// Other checks, and messages, are in both.
TEST(UnwatchedVersion, HasAllOtherChecks) {
  InstrumentOptions options = exact_options();
  options.nan = NanCheck::full;
  const Module words = load_sync_shader("layouts.comp.vulkan1.2");
  const Rewritten result = rewritten(words, options);
  const size_t checks = count(result.function("main_watched"), "%sqa_check ");
  EXPECT_GT(checks, 0u);
  EXPECT_EQ(count(result.function("main_unwatched"), "%sqa_check "), checks);
}

}  // namespace
}  // namespace shaderqa::test
