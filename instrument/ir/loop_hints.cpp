// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/loop_hints.h"

namespace shaderqa {
namespace {

using spvtools::opt::Instruction;

constexpr uint32_t bits(spv::LoopControlMask mask) { return static_cast<uint32_t>(mask); }
using Control = spv::LoopControlMask;
constexpr uint32_t unroll_bits =
    bits(Control::Unroll) | bits(Control::PeelCount) | bits(Control::PartialCount);
constexpr uint32_t control_operand = 2;

}  // namespace

bool has_unroll_hint(const Instruction& merge) {
  return (merge.GetSingleWordInOperand(control_operand) & unroll_bits) != 0;
}

// From DependencyLength to PartialCount each control has one operand, and they stand in the order of the
// bits.
void remove_unroll_hint(Instruction& merge) {
  const uint32_t control = merge.GetSingleWordInOperand(control_operand);
  uint32_t operand = control_operand + 1;
  for (uint32_t bit = bits(Control::DependencyLength); bit <= bits(Control::PartialCount); bit <<= 1) {
    if ((control & bit) == 0) continue;
    if ((unroll_bits & bit) != 0 && operand < merge.NumInOperands())
      merge.RemoveInOperand(operand);
    else
      ++operand;
  }
  merge.SetInOperand(control_operand, {(control & ~unroll_bits) | bits(Control::DontUnroll)});
}

}  // namespace shaderqa
