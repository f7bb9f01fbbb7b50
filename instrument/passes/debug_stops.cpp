// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/debug_stops.h"

#include <algorithm>
#include <map>
#include <set>

#include "NonSemanticShaderDebugInfo100.h"
#include "instrument/passes/trace_plan.h"

namespace shaderqa {
namespace {

// Each is some code at each stop of its function, which drivers inline.
constexpr size_t kMostChanges = 4096;
constexpr size_t kMostParts = 16;  // of one variable

bool is_part_of_statement(InstructionView i) {
  switch (i.op()) {
    case spv::Op::OpLabel:
    case spv::Op::OpNop:
    case spv::Op::OpPhi:
    case spv::Op::OpVariable:
      return false;
    default:
      return true;
  }
}

bool stores(spv::Op op) {
  return op == spv::Op::OpStore || op == spv::Op::OpCopyMemory || op == spv::Op::OpImageWrite ||
         op == spv::Op::OpFunctionCall || (op >= spv::Op::OpAtomicStore && op <= spv::Op::OpAtomicXor);
}

bool only_flows(spv::Op op) {
  return op == spv::Op::OpSelectionMerge || op == spv::Op::OpLoopMerge || op == spv::Op::OpBranch;
}

// The parts of variables that can be changed.
class Changeable {
 public:
  explicit Changeable(const ModuleView& module) : module_(module) {
    find_fixed();
    find_stored();
  }

  std::vector<ChangeableVariable> find();

 private:
  void find_fixed();
  void find_stored();
  void add(uint32_t function, uint32_t pointer, uint32_t type);
  // Returns the dwords of the type as records flatten it, 0 where it cannot be taken apart here.
  uint32_t add_parts(ChangeableVariable part, uint32_t type, std::vector<ChangeableVariable>& parts) const;

  const ModuleView& module_;
  // Variables that are built-ins, or that a patch's invocations share, and structures with such members.
  std::set<uint32_t> fixed_;
  std::set<uint32_t> stored_;  // variables that the shader stores to
  std::vector<ChangeableVariable> found_;
};

void Changeable::find_fixed() {
  const auto fixes = [](uint32_t decoration) {
    return decoration == static_cast<uint32_t>(spv::Decoration::BuiltIn) ||
           decoration == static_cast<uint32_t>(spv::Decoration::Patch);
  };
  for_each_instruction(module_.words(), header_words, [&](InstructionView i, uint32_t offset) {
    if (offset >= module_.functions_offset()) return false;
    if (i.op() == spv::Op::OpDecorate && fixes(i.word(2))) fixed_.insert(i.word(1));
    if (i.op() == spv::Op::OpMemberDecorate && fixes(i.word(3))) fixed_.insert(i.word(1));
    return true;
  });
}

void Changeable::find_stored() {
  for_each_instruction(module_.words(), module_.functions_offset(), [&](InstructionView i, uint32_t) {
    if (i.op() == spv::Op::OpStore) stored_.insert(i.word(1));
    if (i.op() == spv::Op::OpAccessChain || i.op() == spv::Op::OpInBoundsAccessChain)
      stored_.insert(i.word(3));
    return true;
  });
}

uint32_t Changeable::add_parts(ChangeableVariable part, uint32_t type,
                               std::vector<ChangeableVariable>& parts) const {
  const InstructionView i = module_.definition(type);
  if (!i || parts.size() > kMostParts) return 0;
  const bool number = i.op() == spv::Op::OpTypeInt || i.op() == spv::Op::OpTypeFloat;
  if (number && i.word(2) != 32) return 0;
  part.type = type;
  part.dwords = 1;
  if (number || i.op() == spv::Op::OpTypeBool) {
    parts.push_back(part);
    return 1;
  }
  if (i.op() == spv::Op::OpTypeVector) {
    const InstructionView component = module_.definition(i.word(2));
    const bool fits = component.op() == spv::Op::OpTypeBool || component.word(2) == 32;
    if (!fits || i.word(3) > 4) return 0;
    part.dwords = i.word(3);
    parts.push_back(part);
    return part.dwords;
  }
  if (i.op() != spv::Op::OpTypeStruct || fixed_.contains(type)) return 0;
  uint32_t dwords = 0;
  for (uint32_t member = 0; member + 2 < i.size(); ++member) {
    ChangeableVariable inner = part;
    inner.members.push_back(member);
    inner.dword += dwords;
    const uint32_t size = add_parts(std::move(inner), i.word(2 + member), parts);
    if (size == 0) return 0;
    dwords += size;
  }
  return dwords;
}

void Changeable::add(uint32_t function, uint32_t pointer, uint32_t type) {
  ChangeableVariable whole;
  whole.function = function;
  whole.pointer = pointer;
  std::vector<ChangeableVariable> parts;
  if (add_parts(whole, type, parts) == 0 || parts.size() > kMostParts) return;
  std::ranges::move(parts, std::back_inserter(found_));
}

std::vector<ChangeableVariable> Changeable::find() {
  uint32_t function = 0;
  for_each_instruction(module_.words(), header_words, [&](InstructionView i, uint32_t) {
    if (i.op() == spv::Op::OpFunction) function = i.word(2);
    if (i.op() != spv::Op::OpVariable && i.op() != spv::Op::OpFunctionParameter) return true;
    const InstructionView pointer = module_.definition(i.word(1), spv::Op::OpTypePointer);
    if (!pointer || fixed_.contains(i.word(2))) return true;
    const auto storage = static_cast<spv::StorageClass>(pointer.word(2));
    if (storage == spv::StorageClass::Function || storage == spv::StorageClass::Private ||
        (storage == spv::StorageClass::Output && stored_.contains(i.word(2))))
      add(function, i.word(2), pointer.word(3));
    return true;
  });
  return std::move(found_);
}

}  // namespace

DebugLines::DebugLines(const ModuleView& module)
    : module_(module),
      debug_sets_(module.shader_debug_sets()),
      break_sets_(module.imports("NonSemantic.DebugBreak")) {
  for_each_instruction(module.words(), module.functions_offset(), [&](InstructionView i, uint32_t) {
    has_lines_ = read_line(i) && line_ != 0;
    return !has_lines_;
  });
  line_ = 0;
}

bool DebugLines::read_line(InstructionView i) {
  if (i.op() == spv::Op::OpLine) {
    line_ = static_cast<uint64_t>(i.word(1)) << 32 | i.word(2);
    return true;
  }
  if (i.op() == spv::Op::OpNoLine) {
    line_ = 0;
    return true;
  }
  if (i.op() != spv::Op::OpExtInst || std::ranges::find(debug_sets_, i.word(3)) == debug_sets_.end())
    return false;
  if (i.word(4) == NonSemanticShaderDebugInfo100DebugLine && i.size() > 6)
    line_ = static_cast<uint64_t>(i.word(5)) << 32 | module_.constant(i.word(6)).value_or(0);
  if (i.word(4) == NonSemanticShaderDebugInfo100DebugNoLine) line_ = 0;
  return true;
}

void DebugLines::begin_block() {
  line_ = last_line_ = 0;
  after_store_ = false;
}

bool DebugLines::asks_for_stop(InstructionView i) const {
  if (i.op() == spv::Op::OpAssumeTrueKHR) return true;
  return i.op() == spv::Op::OpExtInst && std::ranges::find(break_sets_, i.word(3)) != break_sets_.end();
}

DebugLines::Step DebugLines::enter(InstructionView i) {
  if (read_line(i) || !is_part_of_statement(i)) return Step::none;
  const bool asks = asks_for_stop(i);
  if (!asks && module_.is_non_semantic(i)) return Step::none;
  const bool after_store = after_store_;
  after_store_ = stores(i.op());
  if (asks) {
    last_line_ = line_;
    return Step::begins;
  }
  if (!has_lines_) {
    if (only_flows(i.op())) return Step::none;
    return after_store ? Step::begins : Step::goes_on;
  }
  if (line_ == 0) return Step::none;
  const bool begins = line_ != last_line_;
  last_line_ = line_;
  return begins ? Step::begins : Step::goes_on;
}

void find_changeable(const ModuleView& module, TracePlan& plan) {
  std::map<uint32_t, size_t> stops;  // by function
  size_t all = 0;
  for (const TracePiece& piece : plan.pieces)
    if (piece.stop != 0) {
      ++stops[piece.function];
      ++all;
    }
  size_t changes = 0;
  for (ChangeableVariable& variable : Changeable(module).find()) {
    const auto own = stops.find(variable.function);
    const size_t count = variable.function == 0 ? all : own == stops.end() ? 0 : own->second;
    if (count == 0) continue;
    changes += count;
    plan.variables.push_back(std::move(variable));
  }
  if (changes <= kMostChanges) return;
  plan.variables.clear();
  plan.too_many_changes = true;
}

}  // namespace shaderqa
