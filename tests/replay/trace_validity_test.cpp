// SPDX-License-Identifier: Apache-2.0
// Every shader that the validator accepts, it accepts with the code of a trace, alone and with every check.
#include <gtest/gtest.h>

#include <algorithm>

#include "instrument/ir/module_loader.h"
#include "instrument/passes/trace_plan.h"
#include "support.h"

namespace shaderqa::test {
namespace {

InstrumentOptions trace_only() {
  InstrumentOptions options = default_options();
  options.trace = true;
  options.printf = false;
  return options;
}

void expect_valid(const Module& words, const std::string& name, const InstrumentOptions& options) {
  const InstrumentResult result = instrument(words, options);
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << name << ": " << result.message;
  ASSERT_EQ(validation_error(result.words, environment_of(name)), "") << name << disassemble(result.words);
  EXPECT_NE(disassemble(result.words).find("sqa_trace_begin"), std::string::npos) << name;
}

TEST(TraceValidity, HoldsForEveryShader) {
  for (const std::string& name : shader_names()) {
    const Module words = load_shader(name);
    expect_valid(words, name, trace_only());
    InstrumentOptions all = default_options();
    all.trace = all.assume = all.expect = true;
    all.nan = NanCheck::full;
    expect_valid(words, name, all);
    all.nan = NanCheck::flush;
    all.record_invocation = true;
    expect_valid(words, name, all);
  }
}

TEST(TraceValidity, HoldsWithStopsForADebugger) {
  for (const bool sync : {false, true})
    for (const std::string& name : sync ? sync_shader_names() : shader_names()) {
      const Module words = sync ? load_sync_shader(name) : load_shader(name);
      InstrumentOptions options = trace_only();
      for (options.debug = DebugStops::ordered;; options.debug = DebugStops::unordered) {
        expect_valid(words, name, options);
        const bool barrier =
            disassemble(instrument(words, options).words).find("OpMemoryBarrier") != std::string::npos;
        EXPECT_TRUE(options.debug == DebugStops::ordered ? barrier : true) << name;
        options.debug_accesses = true;
        expect_valid(words, name, options);
        options.debug_accesses = false;
        if (options.debug == DebugStops::unordered) break;
      }
      InstrumentOptions all = default_options();
      all.trace = all.assume = all.expect = true;
      all.debug = DebugStops::ordered;
      all.nan = NanCheck::full;
      expect_valid(words, name, all);
    }
}

TEST(TraceValidity, HoldsWithTheCheckOfSynchronisation) {
  for (const std::string& name : sync_shader_names()) {
    const Module words = load_sync_shader(name);
    expect_valid(words, name, trace_only());
    InstrumentOptions options = sync_options();
    options.trace = true;
    options.sync.unwatched_version = false;
    expect_valid(words, name, options);
    options.sync.engine = SyncEngine::exact;
    expect_valid(words, name, options);
  }
}

TEST(TraceValidity, HoldsForAPartOfTheCode) {
  size_t less = 0;
  for (const std::string& name : shader_names()) {
    const Module words = load_shader(name);
    InstrumentOptions options = trace_only();
    const size_t whole = instrument(words, options).words.size();
    options.trace_code = "main";
    expect_valid(words, name, options);
    options.debug = DebugStops::ordered;
    expect_valid(words, name, options);
    options.debug = DebugStops::none;
    // Nothing is done to shaders without debug information, or without code in these lines.
    for (uint32_t line = 1; line < 40; line += 6) {
      options.trace_code = std::to_string(line) + "-" + std::to_string(line + 5);
      const InstrumentResult part = instrument(words, options);
      if (part.status == InstrumentStatus::untouched) continue;
      EXPECT_EQ(validation_error(part.words, environment_of(name)), "")
          << name << ", lines " << options.trace_code;
      EXPECT_LE(part.words.size(), whole) << name;
      less += part.words.size() < whole ? 1 : 0;
    }
  }
  EXPECT_NE(less, 0u);
}

TEST(TraceValidity, LeavesShadersAloneWithoutATrace) {
  const Module words = load_shader("silent.comp.vulkan1.2");
  EXPECT_EQ(instrument(words, default_options()).status, InstrumentStatus::untouched);
}

TEST(TraceValidity, IsTheSameEachTime) {
  for (const std::string& name : shader_names()) {
    const Module words = load_shader(name);
    EXPECT_EQ(instrument(words, trace_only()).words, instrument(words, trace_only()).words) << name;
  }
}

// Each instruction of the functions that are reached is in one piece, in order, and no anchor is a phi or a
// variable.
TEST(TracePlan, CoversEveryBlockOnce) {
  for (const std::string& name : shader_names()) {
    const Module words = load_shader(name);
    const LoadedModule loaded = load_module(words);
    ASSERT_TRUE(loaded.context) << loaded.error;
    for (const EntryPoint& entry : loaded.view.entry_points()) {
      for (const PlanKind stops : {PlanKind::trace, PlanKind::stops, PlanKind::stops_and_accesses}) {
        const TracePlan plan = plan_trace(loaded.view, entry.function, stops);
        ASSERT_FALSE(plan.pieces.empty());
        EXPECT_EQ(std::ranges::any_of(plan.pieces, [](const TracePiece& each) { return each.stop != 0; }),
                  stops != PlanKind::trace)
            << name;
        for (size_t i = 0; i < plan.pieces.size(); ++i) {
          const TracePiece& piece = plan.pieces[i];
          EXPECT_LE(piece.first, piece.anchor) << name;
          EXPECT_LE(piece.anchor, piece.end) << name;
          if (i != 0 && plan.pieces[i - 1].block == piece.block) {
            EXPECT_EQ(plan.pieces[i - 1].end, piece.first) << name;
          }
          const spv::Op anchor = loaded.view.at(piece.anchor).op();
          EXPECT_NE(anchor, spv::Op::OpPhi) << name;
          EXPECT_NE(anchor, spv::Op::OpVariable) << name;
          uint32_t dwords = 0;
          for (const TraceValue& value : piece.values) dwords += value.dwords;
          EXPECT_EQ(dwords, piece.dwords);
          if (piece.stop == 0) continue;
          EXPECT_LE(piece.first, piece.stop) << name;
          EXPECT_LE(piece.stop, piece.anchor) << name;
          EXPECT_NE(loaded.view.at(piece.stop).op(), spv::Op::OpPhi) << name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace shaderqa::test
