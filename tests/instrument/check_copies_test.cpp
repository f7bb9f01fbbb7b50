// SPDX-License-Identifier: Apache-2.0
// How many copies of checks a driver is expected to make, which loops lose their hints to unroll, and which
// shaders call their checks.
#include "instrument/passes/check_copies.h"

#include <gtest/gtest.h>

#include <utility>

#include "instrument/ir/module_loader.h"
#include "source/opt/instruction.h"
#include "support.h"

namespace shaderqa::test {
namespace {

const std::string access = "%p@ = OpAccessChain %uint_pointer %in %zero %x\n%v@ = OpLoad %uint %p@\n";

std::string with(std::string text, const std::string& number) {
  for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@')) text.replace(at, 1, number);
  return text;
}
std::string load(const std::string& number) { return with(access, number); }

// A loop with a counter in an OpPhi.
std::string loop(const std::string& n, const std::string& body, const std::string& control = "Unroll",
                 const std::string& compare = "OpULessThan %bool %i@ %eight",
                 const std::string& next = "OpIAdd %uint %i@ %one", const std::string& first = "%zero") {
  return with(
             "OpBranch %before@\n%before@ = OpLabel\nOpBranch %header@\n%header@ = OpLabel\n%i@ = OpPhi "
             "%uint " +
                 first + " %before@ %next@ %continue@\nOpLoopMerge %merge@ %continue@ " + control +
                 "\nOpBranch %test@\n%test@ = OpLabel\n%condition@ = " + compare +
                 "\nOpBranchConditional %condition@ %body@ %merge@\n%body@ = OpLabel\n",
             n) +
         body +
         with("OpBranch %continue@\n%continue@ = OpLabel\n%next@ = " + next +
                  "\nOpBranch %header@\n%merge@ = OpLabel\n",
              n);
}

// The same with a counter in a variable, as front ends write it.
const std::string counter = "%counter = OpVariable %uint_function_pointer Function\n";
std::string loop_of_variable(const std::string& body) {
  return "OpStore %counter %zero\nOpBranch %header\n%header = OpLabel\nOpLoopMerge %merge %continue Unroll\n"
         "OpBranch %test\n%test = OpLabel\n%i = OpLoad %uint %counter\n%condition = OpULessThan %bool %i "
         "%five\n"
         "OpBranchConditional %condition %body %merge\n%body = OpLabel\n" +
         body +
         "OpBranch %continue\n%continue = OpLabel\n%old = OpLoad %uint %counter\n%new = OpIAdd %uint %old "
         "%one\n"
         "OpStore %counter %new\nOpBranch %header\n%merge = OpLabel\n";
}

Module shader(const std::string& body) {
  std::string text = fixture("unwatched", {{"CAPABILITY", "Shader"}, {"DECORATIONS", ""}, {"BODY", body}});
  // What this test needs beyond the fixture: more types, and a variable, which stands first in its block.
  text.replace(text.find("%zero = "), 0,
               "%int = OpTypeInt 32 1\n%minus = OpConstant %int -1\n%int_three = OpConstant %int 3\n"
               "%many_times = OpConstant %uint 1000\n%special = OpSpecConstant %uint 8\n"
               "%uint_function_pointer = OpTypePointer Function %uint\n");
  text.replace(text.find("%id_value = "), 0, counter);
  // From SPIR-V 1.4 on, the interface lists all global variables.
  text.replace(text.find("%id\n"), 3, "%id %in %out %far %other %many");
  const Module words = assemble(text, SPV_ENV_VULKAN_1_2);
  EXPECT_EQ(validation_error(words, SPV_ENV_VULKAN_1_2), "") << text;
  return words;
}

// Counts one check for each load of a buffer.
struct Counted {
  explicit Counted(Module of, CheckCopies::Unrolling unrolling = CheckCopies::Unrolling::usual)
      : words(std::move(of)),
        loaded(load_module(words)),
        copies(*loaded.context->module(), loaded.view, unrolling) {
    for (auto& function : *loaded.context->module())
      function.ForEachInst([&](const spvtools::opt::Instruction* i) {
        const InstructionView load = loaded.view.definition(i->result_id(), spv::Op::OpLoad);
        if (load && loaded.view.definition(load.word(3), spv::Op::OpAccessChain)) copies.add(*i, 1);
      });
  }
  uint64_t estimate() { return copies.estimate(loaded.view.entry_points()[0].function); }
  std::string without_hints() {
    copies.stop_unrolling();
    Module without;
    loaded.context->module()->ToBinary(&without, false);
    EXPECT_EQ(validation_error(without, SPV_ENV_VULKAN_1_2), "");
    return disassemble(without);
  }
  Module words;  // which the view shows
  LoadedModule loaded;
  CheckCopies copies;
};
uint64_t estimate(const std::string& body) { return Counted(shader(body)).estimate(); }

TEST(CheckCopies, AreAsManyAsChecksWhereNoLoopIsUnrolled) {
  EXPECT_EQ(estimate(""), 0u);
  EXPECT_EQ(estimate(load("1") + load("2")), 2u);
  EXPECT_EQ(estimate(load("1") + loop("2", load("3"), "None") + loop("4", load("5"), "DontUnroll")), 3u);
}

TEST(CheckCopies, AreCountedOnceInLoopsThatAreNotUnrolledAnyMore) {
  Counted counted(shader(load("1") + loop("2", load("3") + loop("4", load("5")))));
  EXPECT_GT(counted.estimate(), 3u);
  counted.without_hints();
  EXPECT_EQ(counted.estimate(), 3u);
}

TEST(CheckCopies, AreMultipliedByTheIterationsOfLoopsWithHints) {
  EXPECT_EQ(estimate(load("1") + loop("2", load("3")) + load("4")), 2 + copies_of_iterations(8));
  EXPECT_EQ(estimate(loop("1", load("2") + loop("3", load("4") + load("5")))),
            copies_of_iterations(8) + copies_of_iterations(8) * copies_of_iterations(8) * 2);
  EXPECT_EQ(estimate(loop("1", load("2"), "PartialCount 2")), copies_of_iterations(8));
  EXPECT_EQ(estimate(loop_of_variable(load("2"))), copies_of_iterations(5));
}

TEST(CheckCopies, AreAsManyAsIterationsWhereAllAreUnrolled) {
  const auto whole = [](const std::string& body) {
    Counted counted(shader(body), CheckCopies::Unrolling::whole);
    return counted.estimate();
  };
  EXPECT_EQ(whole(load("1") + loop("2", load("3") + loop("4", load("5")))), 1u + 8 + 64);
  EXPECT_EQ(whole(loop("1", load("2"), "None")), 1u);
  EXPECT_EQ(whole(loop("1", load("2"), "Unroll", "OpULessThan %bool %i@ %many_times")),
            CheckCopies::most_iterations);
}

TEST(CheckCopies, OfALoopGrowSlowlyWithItsIterations) {
  EXPECT_EQ(copies_of_iterations(0), 1u);
  EXPECT_EQ(copies_of_iterations(1), 1u);
  EXPECT_EQ(copies_of_iterations(2), 2u);
  EXPECT_EQ(copies_of_iterations(7), 3u);
  EXPECT_EQ(copies_of_iterations(8), 4u);
  EXPECT_EQ(copies_of_iterations(uint64_t{1} << 40), copies_of_iterations(64));
}

TEST(CheckCopies, CountIterationsOfLoopsUpwardsAndDownwards) {
  const auto of = [](const std::string& compare, const std::string& next = "OpIAdd %uint %i@ %one",
                     const std::string& first = "%zero") {
    return estimate(loop("1", load("2"), "Unroll", compare, next, first));
  };
  EXPECT_EQ(of("OpULessThanEqual %bool %i@ %eight"), copies_of_iterations(9));
  EXPECT_EQ(of("OpSLessThan %bool %i@ %int_three", "OpIAdd %uint %one %i@"), copies_of_iterations(3));
  EXPECT_EQ(of("OpULessThan %bool %i@ %eight", "OpIAdd %uint %i@ %five"), copies_of_iterations(2));
  EXPECT_EQ(of("OpUGreaterThan %bool %i@ %one", "OpISub %uint %i@ %workgroup", "%eight"),
            copies_of_iterations(4));
  EXPECT_EQ(of("OpSGreaterThanEqual %bool %i@ %zero", "OpIAdd %uint %i@ %minus", "%five"),
            copies_of_iterations(6));
  EXPECT_EQ(of("OpULessThan %bool %i@ %eight", "OpIAdd %uint %i@ %one", "%five"), copies_of_iterations(3));
  EXPECT_EQ(of("OpSLessThanEqual %bool %i@ %eight", "OpIAdd %uint %i@ %one", "%one"),
            copies_of_iterations(8));
  EXPECT_EQ(of("OpSGreaterThan %bool %i@ %five", "OpISub %uint %i@ %one", "%eight"), copies_of_iterations(3));
  EXPECT_EQ(of("OpUGreaterThanEqual %bool %i@ %one", "OpISub %uint %i@ %one", "%eight"),
            copies_of_iterations(8));
  EXPECT_EQ(of("OpULessThan %bool %i@ %zero"), 1u) << "never less than the code once";
}

TEST(CheckCopies, TakeAFixedNumberWhereTheIterationsAreNotSimplyKnown) {
  const auto of = [](const std::string& compare, const std::string& next) {
    return estimate(loop("1", load("2"), "Unroll", compare, next));
  };
  const std::string one_more = "OpIAdd %uint %i@ %one";
  EXPECT_EQ(of("OpULessThan %bool %i@ %x", one_more), copies_of_unknown_loop);
  EXPECT_EQ(of("OpULessThan %bool %i@ %special", one_more), copies_of_unknown_loop);
  EXPECT_EQ(of("OpULessThan %bool %i@ %one", "OpIMul %uint %i@ %workgroup"), copies_of_unknown_loop);
  EXPECT_EQ(of("OpINotEqual %bool %i@ %one", one_more), copies_of_unknown_loop);
  EXPECT_EQ(of("OpULessThan %bool %i@ %one", "OpISub %uint %i@ %one"), copies_of_unknown_loop);
  EXPECT_EQ(of("OpULessThan %bool %i@ %many_times", one_more), copies_of_iterations(1000000));
}

TEST(CheckCopies, AreMadeForEachCallOfAFunction) {
  EXPECT_EQ(estimate("%a = OpFunctionCall %uint %helper %x\n%b = OpFunctionCall %uint %helper %x\n"), 2u);
  EXPECT_EQ(estimate(loop("1", "%a = OpFunctionCall %uint %helper %x\n")), copies_of_iterations(8));
  EXPECT_EQ(estimate("%a = OpFunctionCall %uint %plain %x\n"), 0u) << "%helper is not called";
}

TEST(CheckCopies, StayBoundedInDeepNests) {
  std::string nest = load("0");
  for (int depth = 1; depth <= 20; ++depth) nest = loop(std::to_string(depth), nest);
  EXPECT_EQ(estimate(nest), uint64_t{1} << 32);
}

TEST(LoopHints, GoOnlyWhereLoopsContainChecks) {
  const std::string text =
      Counted(shader(loop("1", load("2")) + loop("3", "%a = OpIMul %uint %x %x\n") +
                     loop("4", "%b = OpFunctionCall %uint %helper %x\n") +
                     loop("5", "%c = OpFunctionCall %uint %plain %x\n") + loop("6", load("7"), "None") +
                     loop("8", loop("9", load("10"), "DontUnroll"))))
          .without_hints();
  EXPECT_EQ(count(text, " Unroll\n"), 2u) << text;
  EXPECT_EQ(count(text, " DontUnroll\n"), 4u) << text;
  EXPECT_EQ(count(text, " None\n"), 1u) << text;
}

TEST(LoopHints, GoWithTheirOperandsAndFactsStay) {
  const auto control_of = [](const std::string& control) {
    const std::string text =
        Counted(assemble(
                    [&] {
                      std::string with_version = disassemble(shader(loop("1", load("2"))));
                      const std::string hint = " Unroll\n";
                      with_version.replace(with_version.find(hint), hint.size(), " " + control + "\n");
                      return with_version;
                    }(),
                    SPV_ENV_VULKAN_1_2))
            .without_hints();
    const size_t at = text.find("OpLoopMerge");
    std::string line = text.substr(at, text.find('\n', at) - at);
    for (int operand = 0; operand < 3; ++operand) line.erase(0, line.find(' ') + 1);
    return line;
  };
  EXPECT_EQ(control_of("Unroll|DependencyInfinite"), "DontUnroll|DependencyInfinite");
  EXPECT_EQ(control_of("Unroll|MinIterations|MaxIterations 2 9"),
            "DontUnroll|MinIterations|MaxIterations 2 9");
  EXPECT_EQ(control_of("DependencyLength|IterationMultiple|PeelCount|PartialCount 3 4 1 2"),
            "DontUnroll|DependencyLength|IterationMultiple 3 4");
}

InstrumentOptions exact_options(SyncCalls calls) {
  InstrumentOptions options = sync_options();
  options.int64_atomics = true;
  options.sync.engine = SyncEngine::exact;
  options.sync.calls = calls;
  options.sync.loops = false;  // check_runs_test.cpp
  return options;
}

// Whether the shader calls its checks: then nothing of it is unrolled, and there is no second version.
bool calls(const Module& words, const InstrumentOptions& options) {
  const InstrumentResult result = instrument(words, options);
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_VULKAN_1_2), "");
  const std::string text = disassemble(result.words);
  const bool called = text.find("%sqa_access_set = OpFunction %void DontInline ") != std::string::npos;
  EXPECT_EQ(count(text, " DontInline "), called ? 1u : 0u) << text;
  if (called) {
    EXPECT_EQ(text.find("_unwatched = OpFunction"), std::string::npos);
    EXPECT_EQ(count(text, " Unroll\n"), 0u);
  }
  return called;
}

// A store, and loads that share no check.
Module of_copies(uint64_t copies) {
  std::string body = "%target = OpAccessChain %uint_pointer %out %zero %x\nOpStore %target %x\n";
  for (uint64_t load = 1; load < copies; ++load)
    body += with("%p@ = OpAccessChain %uint_pointer %in %zero %" +
                     (load > 1 ? "v" + std::to_string(load - 1) : "x") + "\n%v@ = OpLoad %uint %p@\n",
                 std::to_string(load));
  return shader(body);
}

TEST(Calls, AreMadeByLargeShadersAlone) {
  const Module small = of_copies(large_shader_copies), large = of_copies(large_shader_copies + 1);
  EXPECT_FALSE(calls(small, exact_options(SyncCalls::automatic)));
  EXPECT_TRUE(calls(large, exact_options(SyncCalls::automatic)));
  EXPECT_TRUE(calls(small, exact_options(SyncCalls::always)));
  EXPECT_FALSE(calls(large, exact_options(SyncCalls::never)));
  // What is below the limit does not change at all.
  EXPECT_EQ(instrument(small, exact_options(SyncCalls::automatic)).words,
            instrument(small, exact_options(SyncCalls::never)).words);
}

TEST(Calls, DependOnLoopsThatDriversUnroll) {
  const Module nest = shader(loop("1", loop("2", loop("3", load("4")))));
  EXPECT_TRUE(calls(nest, exact_options(SyncCalls::automatic)));
  EXPECT_FALSE(calls(shader(loop("1", loop("2", loop("3", load("4"), "None"), "None"), "None")),
                     exact_options(SyncCalls::automatic)));
  InstrumentOptions filter = exact_options(SyncCalls::automatic);
  filter.sync.engine = SyncEngine::bloom;
  EXPECT_TRUE(calls(nest, filter));
}

TEST(Calls, AreNotMadeByRayTracingStages) {
  const Module words = assemble(read_text(std::string(SOURCE_DIR) + "/golden/sync/launch_rgen.spvasm"));
  const auto never = instrument(words, exact_options(SyncCalls::never));
  ASSERT_EQ(never.status, InstrumentStatus::instrumented) << never.message;
  EXPECT_EQ(instrument(words, exact_options(SyncCalls::always)).words, never.words);
}

}  // namespace
}  // namespace shaderqa::test
