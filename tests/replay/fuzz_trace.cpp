// SPDX-License-Identifier: Apache-2.0
// Feeds mutated traces and selectors to their readers, and walks through what they accept. Also traces of
// shaders with mutated debug information, whose records come in any order. Usage: fuzz_trace [ITERATIONS
// [SEED]]. A defect shows as a crash or a sanitizer's report.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "host/trace/trace_selector.h"
#include "instrument/ir/module_loader.h"
#include "instrument/passes/trace_plan.h"
#include "replay/debugger.h"
#include "spirv-tools/libspirv.hpp"
#include "trace_builder.h"

namespace {

using Random = std::mt19937_64;

std::string mutate(Random& random, std::string bytes) {
  for (size_t edits = 1 + random() % 6; edits > 0; --edits) {
    // Headers and the shader are what is read most.
    const size_t ranges[][2] = {{0, 40}, {shaderqa::kTracePage, 4 * 32}, {2 * shaderqa::kTracePage, 400}};
    const auto& [begin, size] = ranges[random() % 3];
    const size_t at = begin + random() % size;
    if (at >= bytes.size()) continue;
    switch (random() % 4) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] + 1);
        break;
      case 2:
        for (size_t i = at & ~size_t{3}; i < (at & ~size_t{3}) + 4 && i < bytes.size(); ++i)
          bytes[i] = static_cast<char>(random() % 2 != 0 ? 0xff : 0);
        break;
      default:
        if (random() % 8 == 0) bytes.resize(at);
    }
  }
  return bytes;
}

void walk(const std::string& bytes) {
  shaderqa::TraceContents contents;
  std::string error;
  if (!shaderqa::read_trace(std::as_bytes(std::span(bytes)), contents, error)) return;
  shaderqa::Debugger debugger(std::move(contents));
  debugger.greeting();
  for (const char* command : {"print %6", "stepi", "print %6", "next",   "info locals", "x %4", "who %6",
                              "bt",       "list",  "dis",      "c",      "rn",          "rs",   "rc",
                              "b main",   "c",     "p a[3].x", "goto 1", "info shader", "rfin", "watch %6"}) {
    const shaderqa::Reply reply = debugger.command(command);
    debugger.to_json(command, reply);
  }
}

std::vector<uint32_t> assembled(const std::string& name) {
  std::ifstream in(SHADERQA_REPLAY_FIXTURES "/" + name);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::vector<uint32_t> words;
  const spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_3);
  if (text.empty() || !tools.Assemble(text, &words))
    std::printf("%s cannot be assembled\n", name.c_str()), std::exit(1);
  return words;
}

void walk_debug_info(Random& random, std::vector<uint32_t> words) {
  std::vector<size_t> operands;  // of debug instructions, their numbers included
  for (size_t at = 5; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xffff) == 12)  // OpExtInst
      for (size_t operand = 4; operand < words[at] >> 16; ++operand) operands.push_back(at + operand);
  for (size_t edits = random() % 12; edits > 0; --edits) {
    uint32_t& word = words[operands[random() % operands.size()]];
    // A result id of another debug instruction is what hurts most.
    word = random() % 3 == 0 ? static_cast<uint32_t>(random() % words[3])
                             : words[operands[random() % operands.size()]];
  }
  shaderqa::TraceContents contents;
  shaderqa::TraceShader& shader = contents.shaders.emplace_back();
  shader.hash = 7;
  shader.stage = shaderqa::Stage::compute;
  shader.entry_point = "main";
  shader.words = words;
  const shaderqa::LoadedModule loaded = shaderqa::load_module(words);
  if (!loaded.context || loaded.view.entry_points().empty()) return;
  const auto plan = shaderqa::plan_trace(loaded.view, loaded.view.entry_points().front().function);
  if (plan.pieces.empty()) return;
  shaderqa::TraceSegment& segment = contents.segments.emplace_back();
  segment.stage = shaderqa::Stage::compute;
  segment.shader_hash = 7;
  segment.dwords.resize(SQA_TRACE_DATA);
  // Mostly in the order of the shader.
  size_t piece = 0;
  for (uint32_t count = 0; count < 60; ++count) {
    piece = random() % 4 != 0 ? (piece + 1) % plan.pieces.size() : random() % plan.pieces.size();
    segment.dwords.push_back(SQA_TRACE_RECORD | static_cast<uint32_t>(piece));
    for (uint32_t i = 0; i < plan.pieces[piece].dwords; ++i)
      segment.dwords.push_back(static_cast<uint32_t>(random() % 8));
    ++segment.count;
  }
  segment.parts.push_back({0, SQA_TRACE_DATA, static_cast<uint32_t>(segment.dwords.size())});
  shaderqa::Debugger debugger(std::move(contents));
  for (const char* command : {"info locals", "bt",        "b twice", "c",           "info locals",
                              "bt",          "watch sum", "c",       "p p",         "p p.position.x",
                              "p p.turn[1]", "rn",        "rs",      "fin",         "p i",
                              "x io",        "who io",    "goto 40", "info locals", "bt",
                              "p io[2]",     "watch p",   "c",       "rc"})
    debugger.to_json(command, debugger.command(command));
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned long iterations = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 3000;
  Random random(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1);
  const std::string trace = shaderqa::small_trace_with_action();
  const std::string selector = "compute:GlobalInvocationID=5,0,*;match=2|vertex:VertexIndex=1";
  walk(trace);
  for (unsigned long i = 0; i < iterations; ++i) {
    walk(mutate(random, trace));
    std::string text = selector, error;
    for (int edits = 0; edits < 3; ++edits) text[random() % text.size()] = static_cast<char>(random());
    shaderqa::parse_trace_selectors(text, error);
  }
  for (const char* name : {"blocks.spvasm", "inlined.spvasm", "taken_apart.spvasm"}) {
    const std::vector<uint32_t> words = assembled(name);
    for (unsigned long i = 0; i < iterations / 10; ++i) walk_debug_info(random, words);
  }
  std::puts("ok");
  return 0;
}
