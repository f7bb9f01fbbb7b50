// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/source_frames.h"

#include <algorithm>

#include "NonSemanticShaderDebugInfo100.h"

namespace shaderqa {
namespace {

// Scopes that are nested deeper are damage.
constexpr uint32_t kMostDepth = 64;

constexpr uint32_t kFunction = NonSemanticShaderDebugInfo100DebugFunction;
constexpr uint32_t kBlock = NonSemanticShaderDebugInfo100DebugLexicalBlock;
constexpr uint32_t kDiscriminator = NonSemanticShaderDebugInfo100DebugLexicalBlockDiscriminator;
constexpr uint32_t kInlinedAt = NonSemanticShaderDebugInfo100DebugInlinedAt;
constexpr uint32_t kSource = NonSemanticShaderDebugInfo100DebugSource;

}  // namespace

SourceFrames::SourceFrames(const ModuleView& module)
    : module_(module), sets_(module.shader_debug_sets()), old_sets_(module.imports("OpenCL.DebugInfo.100")) {}

InstructionView SourceFrames::find(uint32_t id, uint32_t number) const {
  const InstructionView i = module_.definition(id, spv::Op::OpExtInst);
  if (!i || i.word(4) != number) return {};
  const auto is_of = [&](const std::vector<uint32_t>& sets) {
    return std::ranges::find(sets, i.word(3)) != sets.end();
  };
  return is_of(sets_) || is_of(old_sets_) ? i : InstructionView{};
}

// Operands begin at word 5: of a function name, type, source, line, column, parent; of a block source, line,
// column, parent; of a discriminator source, number, parent.
std::string SourceFrames::function(uint32_t scope) const {
  for (uint32_t depth = 0; depth < kMostDepth && scope != 0; ++depth) {
    if (const InstructionView i = find(scope, kFunction)) {
      const std::string name = module_.string(i.word(5)).value_or("");
      return name.substr(0, name.find('('));
    }
    if (const InstructionView i = find(scope, kBlock)) {
      scope = i.word(8);
    } else if (const InstructionView discriminator = find(scope, kDiscriminator)) {
      scope = discriminator.word(7);
    } else {
      break;
    }
  }
  return {};
}

std::string SourceFrames::file(uint32_t scope) const {
  InstructionView i = find(scope, kFunction);
  uint32_t source = i.word(7);
  if (!i) {
    i = find(scope, kBlock);
    if (!i) i = find(scope, kDiscriminator);
    source = i.word(5);
  }
  const InstructionView found = find(source, kSource);
  return found ? module_.string(found.word(5)).value_or("") : std::string();
}

std::vector<SourceFrame> SourceFrames::at(uint32_t scope_offset) const {
  std::vector<SourceFrame> frames;
  if (scope_offset == 0) return frames;
  const InstructionView scope = module_.at(scope_offset);
  SourceFrame frame;
  frame.function = function(scope.word(5));
  uint32_t inlined_at = scope.word(6);
  while (!frame.function.empty() && frames.size() < kMostDepth) {
    frames.push_back(std::move(frame));
    // Line, scope, and where that was inlined.
    const InstructionView call = find(inlined_at, kInlinedAt);
    if (!call) break;
    const bool is_old = std::ranges::find(old_sets_, call.word(3)) != old_sets_.end();
    frame = {function(call.word(6)), file(call.word(6)),
             is_old ? call.word(5) : module_.constant(call.word(5)).value_or(0)};
    inlined_at = call.word(7);
  }
  return frames;
}

}  // namespace shaderqa
