// SPDX-License-Identifier: Apache-2.0
// What an invocation read and stored.
#include <algorithm>

#include "instrument/passes/debug_accesses.h"
#include "replay/invocation.h"

namespace shaderqa {
namespace {

std::optional<uint64_t> combine(spv::Op op, uint64_t a, uint64_t b, bool wide) {
  const auto extended = [&](uint64_t number) {
    return wide ? static_cast<int64_t>(number) : int64_t{static_cast<int32_t>(number)};
  };
  switch (op) {
    case spv::Op::OpAtomicIIncrement:
      return a + 1;
    case spv::Op::OpAtomicIDecrement:
      return a - 1;
    case spv::Op::OpAtomicIAdd:
      return a + b;
    case spv::Op::OpAtomicISub:
      return a - b;
    case spv::Op::OpAtomicAnd:
      return a & b;
    case spv::Op::OpAtomicOr:
      return a | b;
    case spv::Op::OpAtomicXor:
      return a ^ b;
    case spv::Op::OpAtomicUMin:
      return std::min(a, b);
    case spv::Op::OpAtomicUMax:
      return std::max(a, b);
    case spv::Op::OpAtomicSMin:
      return extended(a) < extended(b) ? a : b;
    case spv::Op::OpAtomicSMax:
      return extended(a) > extended(b) ? a : b;
    default:
      return std::nullopt;  // floating point may be rounded in more than one way
  }
}

}  // namespace

// The result of a step's instruction, after it.
std::optional<std::vector<uint32_t>> Invocation::result(size_t step) const {
  return value(shader_.view().at(steps_[step].offset).word(2), steps_[step].frame, step + 1);
}

// before: what was there, where the trace has it.
void Invocation::add_access(size_t step, uint32_t pointer, bool writes,
                            std::optional<std::vector<uint32_t>> dwords,
                            std::optional<std::vector<uint32_t>> before) {
  const ModuleView& view = shader_.view();
  const InstructionView type = view.definition(view.type_of(pointer), spv::Op::OpTypePointer);
  if (static_cast<spv::StorageClass>(type.word(2)) == spv::StorageClass::PhysicalStorageBuffer) {
    const auto address = value(pointer, steps_[step].frame, step);
    if (address && address->size() == 2)
      address_accesses_.push_back(
          {static_cast<uint32_t>(step), writes, (*address)[0] | static_cast<uint64_t>((*address)[1]) << 32,
           shader_.bytes_of(type.word(3)), type.word(3), std::move(dwords), std::move(before)});
    return;
  }
  const auto at = place(pointer, steps_[step].frame, step);
  if (!at) return;
  const uint64_t size = shader_.size_of(at->type);
  if (dwords && dwords->size() != size) dwords.reset();
  std::vector<TraceAccess>& all = accesses_[at->variable];
  if (before && before->size() == size)
    all.push_back(
        {step == 0 ? 0 : static_cast<uint32_t>(step - 1), false, at->dword, size, std::move(before), true});
  all.push_back({static_cast<uint32_t>(step), writes, at->dword, size, std::move(dwords), false});
}

// Those made before the step, so that it sees them.
void Invocation::add_changes(size_t step, const std::vector<TraceChange>& changes, size_t& next) {
  const uint32_t entry = steps_[step].entry;
  const uint32_t record = entry < entries_.size() ? entries_[entry].record.number : segment_.count;
  for (; next < changes.size() && changes[next].record <= record; ++next) {
    const TraceChange& change = changes[next];
    if (change.record != record || change.variable >= shader_.plan().variables.size()) continue;
    const ChangeableVariable& variable = shader_.plan().variables[change.variable];
    const auto at = place(variable.pointer, steps_[step].frame, step);
    if (!at) continue;
    const uint32_t before = step == 0 ? 0 : static_cast<uint32_t>(step - 1);
    for (uint32_t i = 0; i < variable.dwords; ++i)
      if ((change.mask >> i & 1) != 0)
        accesses_[at->variable].push_back(
            {before, true, at->dword + variable.dword + i, 1, std::vector<uint32_t>{change.words[i]}});
  }
}

// What an atomic leaves behind. writes: whether it does.
std::optional<std::vector<uint32_t>> Invocation::after_atomic(size_t step, bool& writes) const {
  const InstructionView i = shader_.view().at(steps_[step].offset);
  const uint32_t frame = steps_[step].frame;
  const auto before = result(step);
  if (i.op() == spv::Op::OpAtomicCompareExchange) {
    const auto expected = value(i.word(8), frame, step);
    if (!before || !expected) return std::nullopt;
    writes = *before == *expected;
    return writes ? value(i.word(7), frame, step) : before;
  }
  const bool counts = i.op() == spv::Op::OpAtomicIIncrement || i.op() == spv::Op::OpAtomicIDecrement;
  const auto operand =
      counts ? std::vector<uint32_t>(before ? before->size() : 0) : value(i.word(6), frame, step);
  if (i.op() == spv::Op::OpAtomicExchange) return operand;
  if (!before || !operand || operand->size() != before->size()) return std::nullopt;
  const bool wide = before->size() == 2;
  const auto number = [&](const std::vector<uint32_t>& dwords) {
    return dwords[0] | (wide ? static_cast<uint64_t>(dwords[1]) << 32 : 0);
  };
  const auto after = combine(i.op(), number(*before), number(*operand), wide);
  if (!after) return std::nullopt;
  std::vector<uint32_t> dwords{static_cast<uint32_t>(*after)};
  if (wide) dwords.push_back(static_cast<uint32_t>(*after >> 32));
  return dwords;
}

void Invocation::read_accesses(const std::vector<TraceChange>& changes) {
  const ModuleView& view = shader_.view();
  size_t next_change = 0;
  for (size_t step = 0; step < steps_.size(); ++step) {
    add_changes(step, changes, next_change);
    const InstructionView i = view.at(steps_[step].offset);
    const uint32_t frame = steps_[step].frame;
    const auto before = [&] {
      return recorded(steps_[step].entry, TraceValue::Kind::before, steps_[step].offset);
    };
    if (i.op() == spv::Op::OpLoad || i.op() == spv::Op::OpAtomicLoad) {
      add_access(step, i.word(3), false, result(step));
    } else if (i.op() == spv::Op::OpStore) {
      add_access(step, i.word(1), true, value(i.word(2), frame, step), before());
    } else if (i.op() == spv::Op::OpCopyMemory) {
      add_access(step, i.word(1), true, std::nullopt);
    } else if (i.op() == spv::Op::OpAtomicStore) {
      add_access(step, i.word(1), true, value(i.word(4), frame, step), before());
    } else if (const uint32_t pointer = stored_pointer(i)) {
      bool writes = true;
      auto after = after_atomic(step, writes);
      add_access(step, pointer, writes, std::move(after), result(step));
    }
  }
}

}  // namespace shaderqa
