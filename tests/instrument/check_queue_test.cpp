// SPDX-License-Identifier: Apache-2.0
// Accesses that are noted in a queue, and where the code stands that checks them.
#include "instrument/passes/check_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "instrument/passes/check_copies.h"
#include "instrument/runtime/abi_exact.h"
#include "rewritten.h"

namespace shaderqa::test {
namespace {

Module shader(const std::string& body) {
  std::string text = fixture("unwatched", {{"CAPABILITY", "Shader"}, {"DECORATIONS", ""}, {"BODY", body}});
  text.replace(text.find("%zero = "), 0, "%memory_semantics = OpConstant %uint 72\n");
  // From SPIR-V 1.4 on, the interface lists all global variables.
  text.replace(text.find("%id\n"), 3, "%id %in %out %far %other %many");
  const Module words = assemble(text, SPV_ENV_VULKAN_1_2);
  EXPECT_EQ(validation_error(words, SPV_ENV_VULKAN_1_2), "") << text;
  return words;
}

InstrumentOptions options_with(SyncCalls calls) {
  InstrumentOptions options = sync_options();
  options.int64_atomics = true;
  options.sync.engine = SyncEngine::exact;
  options.sync.calls = calls;
  return options;
}

// Loads in selections of their own: each is a copy of a check.
std::string loads(const std::string& name, size_t count) {
  return in_selections(name, count, [](const std::string& n) {
    return "%p" + n + " = OpAccessChain %uint_pointer %in %zero %x\n%v" + n + " = OpLoad %uint %p" + n + "\n";
  });
}

// The name is a part of all its labels.
std::string looped(const std::string& control, int count = 8, const std::string& name = "") {
  std::string text =
      "OpBranch %before\n%before = OpLabel\nOpBranch %header\n%header = OpLabel\n"
      "%i = OpPhi %uint %zero %before %more %next\nOpLoopMerge %merge %next " +
      control +
      "\nOpBranch %test\n"
      "%test = OpLabel\n%inside = OpULessThan %bool %i %eight\n"
      "OpBranchConditional %inside %body %merge\n%body = OpLabel\n";
  const std::string end =
      "OpBranch %next\n%next = OpLabel\n%more = OpIAdd %uint %i %one\nOpBranch %header\n%merge = "
      "OpLabel\n";
  const auto renamed = [&](std::string part) {
    for (const char* label : {"before", "header", "i", "more", "next", "merge", "test", "inside", "body"}) {
      const std::string old = std::string("%") + label;
      for (size_t at = 0; (at = part.find(old, at)) != std::string::npos; at += old.size()) {
        const size_t behind = at + old.size();
        if (behind < part.size() && part[behind] != ' ' && part[behind] != '\n') continue;
        part.insert(behind, name);
      }
    }
    return part;
  };
  return renamed(std::move(text)) + loads("a" + name, count) + renamed(end);
}

std::string queued(const std::string& body) {
  const InstrumentResult result = instrument(shader(body), options_with(SyncCalls::queued));
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_VULKAN_1_2), "");
  return disassemble(result.words);
}

// An access with a slot of its own stores there; others call a function.
constexpr const char* kNoted = "OpAccessChain %_ptr_Private_uint %sqa_noted_values ";
constexpr const char* kInQueue = "OpFunctionCall %void %sqa_note_set ";
constexpr const char* kChecked = "OpFunctionCall %void %sqa_check_noted ";
constexpr const char* kCheck = "OpFunctionCall %void %sqa_access_set ";

TEST(CheckQueue, LargeShadersHaveOneCheck) {
  const std::string text = queued(loads("a", 8));
  EXPECT_EQ(count(text, kNoted), 8u);
  EXPECT_EQ(count(text, kChecked), 1u);
  EXPECT_EQ(count(text, kCheck), 0u);
  EXPECT_EQ(count(text, "OpFunctionCall %uint %sqa_check_access_noted "), 1u);
  EXPECT_LT(text.rfind(kNoted), text.find(kChecked)) << "at the end";
  EXPECT_EQ(text.find("%main_unwatched = OpFunction"), std::string::npos);
}

TEST(CheckQueue, SmallShadersCheckWhereTheyAccess) {
  const std::string text = queued(loads("a", queued_copies - 1));
  EXPECT_EQ(count(text, kNoted), 0u);
  EXPECT_EQ(text.find("%main_unwatched = OpFunction"), std::string::npos)
      << "the driver would compile both versions";
}

// From two checks on, the code of a report stands once.
TEST(CheckQueue, FindingsAreReportedAtTheEnd) {
  constexpr const char* kReports = "OpFunctionCall %void %sqa_report_findings ";
  for (const int on_each_side : {2, 8}) {
    const std::string text = queued(loads("a", on_each_side) + "OpMemoryBarrier %one %memory_semantics\n" +
                                    loads("b", on_each_side));
    EXPECT_EQ(count(text, kReports), 1u);
    EXPECT_GT(text.find(kReports), std::max(text.rfind(kChecked) + 1, text.rfind("%sqa_passed_fence ") + 1));
    EXPECT_EQ(text.find("%sqa_report_hazard"), std::string::npos);
  }
  EXPECT_EQ(count(queued(loads("a", 1)), kReports), 0u);
}

// Fewer share loops, more are called.
TEST(CheckQueue, WithoutBeingAskedForBetweenLoopsAndCalls) {
  const auto noted = [](uint64_t runs) {
    const InstrumentResult result = instrument(shader(loads("a", runs)), options_with(SyncCalls::automatic));
    return count(disassemble(result.words), kNoted);
  };
  EXPECT_EQ(noted(runs_before_queue), 0u);
  EXPECT_EQ(noted(runs_before_queue + 1), runs_before_queue + 1);
  EXPECT_EQ(noted(most_runs), most_runs);
  EXPECT_EQ(noted(most_runs + 1), 0u);
}

// What was noted before a barrier must not be checked behind it.
TEST(CheckQueue, IsEmptiedBeforeABarrier) {
  const std::string text = queued(loads("a", 8) + "OpMemoryBarrier %one %memory_semantics\n" + loads("b", 8));
  EXPECT_EQ(count(text, kChecked), 2u);
  const size_t barrier = text.find("OpMemoryBarrier");
  EXPECT_LT(text.find(kChecked), barrier);
  EXPECT_GT(text.rfind(kChecked), barrier);
}

// An atomic orders accesses only together with fences.
TEST(CheckQueue, AtomicsAreNotedWhereNothingIsOrderedByThem) {
  const std::string atomic =
      "%there = OpAccessChain %uint_pointer %out %zero %zero\n"
      "%old = OpAtomicIAdd %uint %there %one %zero %one\n";
  const std::string alone = queued(loads("a", 4) + atomic + loads("b", 4));
  EXPECT_EQ(count(alone, kNoted), 9u);
  EXPECT_EQ(count(alone, kChecked), 1u);
  EXPECT_EQ(count(alone, kCheck), 0u);
  const std::string fenced =
      queued(loads("a", 4) + atomic + loads("b", 4) + "OpMemoryBarrier %one %memory_semantics\n");
  EXPECT_EQ(count(fenced, kNoted), 8u);
  EXPECT_EQ(count(fenced, kChecked), 2u) << "in front of the atomic, and of the barrier";
  EXPECT_EQ(count(fenced, kCheck), 1u);
}

TEST(CheckQueue, TooManyBarriersLeaveNothingToGain) {
  std::string body;
  for (int i = 0; i < 8; ++i)
    body += loads("a" + std::to_string(i), 1) + "OpMemoryBarrier %one %memory_semantics\n";
  EXPECT_EQ(count(queued(body), kNoted), 0u);
}

// Some invocations return early.
constexpr const char* kLeave =
    "%too_many = OpUGreaterThan %bool %x %eight\nOpSelectionMerge %stay None\n"
    "OpBranchConditional %too_many %leave %stay\n%leave = OpLabel\nOpReturn\n%stay = OpLabel\n";

// Nothing is noted where an invocation that has nothing to do returns. Later returns have one check, behind a
// call of the entry point's code.
TEST(CheckQueue, ReturnsHaveOneCheck) {
  EXPECT_EQ(count(queued(kLeave + loads("a", 8)), kChecked), 1u);
  const std::string late = queued(loads("b", 1) + kLeave + loads("a", 8));
  EXPECT_EQ(count(late, kChecked), 1u);
  EXPECT_EQ(count(late, "OpFunctionCall %void %main_code"), 1u);
  EXPECT_LT(late.find("OpFunctionCall %void %main_code"), late.find(kChecked));
  EXPECT_EQ(count(queued(loads("a", 8)), "%main_code"), 0u) << "one return needs no function";
}

// What they have noted is checked behind the call, as at any other return: not once for each of them.
TEST(CheckQueue, ReturnsInFrontOfABarrierEndTheFunction) {
  const std::string text = queued(loads("b", 4) + kLeave + loads("c", 4) +
                                  "OpControlBarrier %workgroup %workgroup %semantics\n" + loads("a", 8));
  EXPECT_EQ(count(text, "OpFunctionCall %void %main_code"), 1u);
  EXPECT_EQ(count(text, kChecked), 2u) << "in front of the barrier, and at the end";
}

TEST(CheckQueue, AccessesHaveSlotsOfTheirOwn) {
  const std::string text = queued(loads("a", 8));
  for (int slot = 0; slot < 8; ++slot)
    EXPECT_EQ(count(text, kNoted + ("%uint_" + std::to_string(slot) + " %uint_0\n")), 1u) << slot;
  EXPECT_EQ(text.find("%sqa_queue_length"), std::string::npos) << "nothing needs the queue";
}

// The driver inlines each call, and then knows where its slots begin.
TEST(CheckQueue, EachCallOfAFunctionHasSlots) {
  const auto calls = [](int first, int count) {
    std::string text;
    for (int i = first; i < first + count; ++i)
      text += "%h" + std::to_string(i) + " = OpFunctionCall %uint %helper %x\n";
    return text;
  };
  const std::string text = queued(loads("a", 2) + calls(0, 4));
  EXPECT_EQ(count(text, kNoted), 3u) << "two of the entry point, and the function's";
  for (int call = 0; call < 4; ++call)
    EXPECT_EQ(count(text, "OpStore %sqa_noted_base %uint_" + std::to_string(2 + call)), 1u) << call;
  EXPECT_EQ(count(text, "OpLoad %uint %sqa_noted_base"), 1u);
  const std::string once = queued(loads("a", 7) + calls(0, 1));
  EXPECT_EQ(once.find("%sqa_noted_base"), std::string::npos) << "one call: its slot is constant";
}

// Their iterations would note one over the other.
TEST(CheckQueue, LoopsThatHaveNoPlaceNoteInTheQueue) {
  std::string body;
  for (int i = 0; i < 6; ++i) body += looped("None", 8, "l" + std::to_string(i));
  const std::string text = queued(body);
  EXPECT_EQ(count(text, kChecked), 5u);
  EXPECT_EQ(count(text, kNoted), 4u * 8);
  EXPECT_EQ(count(text, kInQueue + std::string("%uint_256 ")), 2u * 8)
      << "nobody knows how often these loops repeat";
}

// A function that is called in such a loop executes its accesses again, too.
TEST(CheckQueue, FunctionsCalledInALoopWithoutPlaceNoteInTheQueue) {
  std::string body;
  for (int i = 0; i < 6; ++i) {
    std::string loop = looped("None", i == 5 ? 2 : 8, "l" + std::to_string(i));
    if (i == 5) loop.insert(loop.rfind("OpBranch %nextl5"), "%h = OpFunctionCall %uint %helper %x\n");
    body += loop;
  }
  EXPECT_EQ(count(queued(body), kInQueue), 8u + 2 + 1);
}

// A driver fills the queue with zeros, so it has as much room as one execution of each access needs, or twice
// as much where loops check it once half of it is in use.
TEST(CheckQueue, HasAsMuchRoomAsItNeeds) {
  const auto room = [](const std::string& body) {
    const std::string text = queued(body);
    EXPECT_EQ(count(text, kNoted), NotedSlots::most);
    for (const char* const size : {"few", "some", "many"})
      EXPECT_NE(text.find(std::string("%sqa_noted_") + size + " = OpVariable"), std::string::npos);
    const size_t call = text.find(kInQueue) + std::string_view(kInQueue).size();
    return text.substr(call, text.find(' ', call) - call);
  };
  constexpr int most = NotedSlots::most;
  EXPECT_EQ(room(loads("a", most + SQA_QUEUE_FEW - 2)), "%uint_64");
  EXPECT_EQ(room(loads("a", most + SQA_QUEUE_FEW - 1)), "%uint_128");
  EXPECT_EQ(room(looped("None", most + SQA_QUEUE_FEW / 2 - 2)), "%uint_64");
  EXPECT_EQ(room(looped("None", most + SQA_QUEUE_FEW / 2 - 1)), "%uint_128");
  EXPECT_EQ(room(loads("a", most + SQA_QUEUE_SOME)), "%uint_256");
}

TEST(CheckQueue, SamplesAreNotedWithOffsetsThatAreConstant) {
  InstrumentOptions options = options_with(SyncCalls::queued);
  options.sync.images = true;
  options.sync.unwatched_version = false;  // or they are logged (logged_reads_test.cpp)
  const std::string text = rewritten_sync_shader("samples.frag.vulkan1.1", options);
  EXPECT_EQ(count(text, "OpFunctionCall %v2uint %sqa_noted_position "), 20u);
  EXPECT_EQ(count(text, "%sqa_access_sampled "), 0u);
  // Buffers share the slots: each access that is noted sets a bit of a mask. All masks are cleared at the
  // begin, and taken where they are checked.
  constexpr size_t masks = (20 * 2 + 1 + 31) / 32;
  EXPECT_EQ(count(text, "OpAccessChain %_ptr_Private_uint %sqa_noted_bits "), 20u + 1 + 2 * masks);
  EXPECT_EQ(count(text, "OpFunctionCall %uint %sqa_check_access_noted "), 1u);
  EXPECT_EQ(count(text, kCheck), 0u);
}

TEST(CheckQueue, IsEmptiedInLoops) {
  const std::string alone = queued(looped("None"));
  EXPECT_EQ(count(alone, kNoted), 8u);
  EXPECT_EQ(count(alone, kChecked), 1u) << "the loop ends behind its header, so nothing is left for the end";
  EXPECT_LT(alone.find(kChecked), alone.find("OpLoopMerge"))
      << "also where its first iteration is always its last";
  EXPECT_EQ(count(queued(looped("None") + loads("b", 1)), kChecked), 2u);
}

std::string barrier() { return "OpMemoryBarrier %one %memory_semantics\n"; }

// Drivers unroll loops of few iterations without a hint, too, and each copy would note its own accesses.
TEST(CheckQueue, LoopsThatNoteAreNotUnrolled) {
  std::string text = queued(looped("None") + looped("None", 0, "empty"));
  text = text.substr(text.find("%main = OpFunction "));
  text = text.substr(0, text.find("OpFunctionEnd"));
  const size_t first = text.find("OpLoopMerge "), second = text.find("OpLoopMerge ", first + 1);
  const auto control = [&](size_t at) { return text.substr(text.rfind(' ', text.find('\n', at)) + 1, 4); };
  EXPECT_EQ(count(text, "OpLoopMerge "), 2u);
  EXPECT_EQ(control(first), "Dont");
  EXPECT_EQ(control(second), "None");
}

// Each iteration comes to a place in front of the barrier, which empties the queue as well as one at the
// header would.
TEST(CheckQueue, LoopsWithABarrierNeedNoPlaceOfTheirOwn) {
  std::string loop = looped("None");
  loop.insert(loop.rfind("OpBranch %next"), barrier());
  const std::string text = queued(loop);
  EXPECT_EQ(count(text, kChecked), 1u);
  EXPECT_GT(text.find(kChecked), text.find("OpLoopMerge"));
  EXPECT_EQ(text.find("%sqa_queue_length"), std::string::npos);
}

// Not each iteration comes to this one.
TEST(CheckQueue, LoopsThatMayLeaveOutABarrierNeedAPlace) {
  std::string loop = looped("None");
  loop.insert(loop.rfind("OpBranch %next"),
              "%may = OpUGreaterThan %bool %x %eight\nOpSelectionMerge %past None\n"
              "OpBranchConditional %may %wait %past\n%wait = OpLabel\n" +
                  barrier() + "OpBranch %past\n%past = OpLabel\n");
  EXPECT_EQ(count(queued(loop), kChecked), 2u);
}

// The inner loop's place empties the queue in each iteration of the outer one, too.
TEST(CheckQueue, OuterLoopsMayNeedNoPlace) {
  std::string outer = looped("None", 3, "o");
  outer.insert(outer.rfind("OpBranch %nexto"), looped("None", 5, "i"));
  const std::string text = queued(outer);
  EXPECT_EQ(count(text, kChecked), 1u);
  EXPECT_EQ(count(text, kNoted), 8u);
  // Behind the inner loop something is left when the outer one ends.
  outer.insert(outer.rfind("OpBranch %nexto"), loads("b", 1));
  EXPECT_EQ(count(queued(outer), kChecked), 2u);
}

// Nothing was noted since the first.
TEST(CheckQueue, OneBarrierBehindAnotherHasNoPlace) {
  EXPECT_EQ(count(queued(loads("a", 8) + barrier() + barrier()), kChecked), 1u);
  EXPECT_EQ(count(queued(barrier() + loads("a", 8)), kChecked), 1u);
}

// Each iteration of an unrolled loop would note its own.
TEST(CheckQueue, LoopsLoseTheirHintsToUnroll) {
  const std::string text = queued(looped("Unroll"));
  EXPECT_EQ(count(text, kNoted), 8u);
  EXPECT_EQ(count(text, " Unroll\n"), 0u);
}

}  // namespace
}  // namespace shaderqa::test
