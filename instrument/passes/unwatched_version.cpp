// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/unwatched_version.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_report.h"
#include "source/opt/function.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

using spvtools::opt::Instruction;
using spvtools::opt::Operand;

// The bits of the slots in SQA_ACTION_WATCHED. Nothing: some slots have no bit.
std::optional<uint32_t> bits_of(const DescriptorSlots& slots, const IndexValue& element) {
  uint32_t first = slots.slot, count = slots.count;
  if (element.id == 0) {
    // Out of bounds: no check looks at it.
    if (element.constant >= count) return 0;
    first += element.constant;
    count = 1;
  }
  if (first >= SQA_WATCHED_SLOTS || count > SQA_WATCHED_SLOTS - first) return std::nullopt;
  return static_cast<uint32_t>((uint64_t{1} << count) - 1) << first;
}

uint32_t all_bits_of(const DescriptorSlots& slots) {
  uint32_t bits = 0;
  for (uint32_t slot = slots.slot; slot < SQA_WATCHED_SLOTS && slot - slots.slot < slots.count; ++slot)
    bits |= 1u << slot;
  return bits;
}

}  // namespace

bool UnwatchedVersion::is_wanted() const {
  const InstrumentOptions& options = checks_.options();
  return checks_.entry_point().stage == Stage::compute && options.sync.engine == SyncEngine::exact &&
         options.sync.unwatched_version && !options.sync.footprints;
}

void UnwatchedVersion::note(const BufferAccess& access, const DescriptorSlots* slots) {
  if (access.access == SQA_ACCESS_LOAD) return;
  if (slots)
    written_[slots->set] |= all_bits_of(*slots);
  else
    writes_anywhere_ = true;
}

// Memory that the shader itself writes is always watched. If it writes through an address, all memory is.
bool UnwatchedVersion::leave_out(uint32_t call, const BufferAccess& access, const DescriptorSlots* slots) {
  if (!is_wanted() || writes_anywhere_ || access.access != SQA_ACCESS_LOAD || !slots) return false;
  const auto bits = bits_of(*slots, access.place.array_element);
  if (!bits || (*bits & written_[slots->set])) return false;
  calls_.insert(call);
  looked_at_[slots->set] |= *bits;
  return true;
}

void UnwatchedVersion::keep_in_part(uint32_t call, const std::vector<uint32_t>& operands) {
  std::vector<Operand> ids;
  for (const uint32_t id : operands) ids.emplace_back(SPV_OPERAND_TYPE_ID, Operand::OperandData{id});
  replacements_[call] = std::make_unique<Instruction>(&module_.context(), spv::Op::OpFunctionCall,
                                                      module_.void_type(), call, ids);
}

uint32_t UnwatchedVersion::is_unwatched(BasicBlock& block) {
  const uint32_t bool_type = module_.bool_type();
  const uint32_t function = checks_.runtime().function("sqa_reads_unwatched");
  uint32_t all = 0;
  for (uint32_t set = 0; set < SQA_MAX_SETS; ++set) {
    if (looked_at_[set] == 0) continue;
    const uint32_t set_constant = module_.constant(set);
    const uint32_t slots = module_.constant(looked_at_[set]);
    const uint32_t unwatched = module_.take_id();
    append(module_, block, spv::Op::OpFunctionCall, bool_type, unwatched, {function, set_constant, slots});
    if (all == 0) {
      all = unwatched;
      continue;
    }
    const uint32_t both = module_.take_id();
    append(module_, block, spv::Op::OpLogicalAnd, bool_type, both, {all, unwatched});
    all = both;
  }
  return all;
}

void UnwatchedVersion::make() {
  if (!begin_ || calls_.empty()) return;
  SecondVersion::Plan plan;
  plan.leaves_out = [this](const Instruction& i) { return calls_.contains(i.result_id()); };
  plan.replacements = std::move(replacements_);
  plan.last = begin_;
  plan.takes_copy = [this](BasicBlock& block) { return is_unwatched(block); };
  plan.suffix = "_watched";
  plan.suffix_of_copy = "_unwatched";
  SecondVersion(module_, checks_.decorations(), checks_.entry_point()).make(std::move(plan));
}

}  // namespace shaderqa
