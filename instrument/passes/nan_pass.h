// SPDX-License-Identifier: Apache-2.0
// NaN and infinity: reported where they leave the shader or where they are computed, or made zero.
#ifndef SHADERQA_INSTRUMENT_PASSES_NAN_PASS_H
#define SHADERQA_INSTRUMENT_PASSES_NAN_PASS_H

#include <optional>
#include <vector>

#include "instrument/ir/value_bits.h"
#include "instrument/passes/check_calls.h"
#include "instrument/passes/value_origin.h"
#include "source/opt/pass.h"

namespace shaderqa {

class NanPass : public spvtools::opt::Pass {
 public:
  NanPass(NanCheck mode, const std::vector<PlacedInstruction>& placed, CheckCalls& checks)
      : mode_(mode), placed_(placed), checks_(checks), view_(checks.module().view()) {}

  const char* name() const override { return "shaderqa-nan"; }
  Status Process() override;

 private:
  // A scalar or vector inside a value, and where.
  struct Leaf {
    NumericType type;
    uint32_t type_id = 0;
    std::vector<uint32_t> path;
  };
  bool find_leaves(uint32_t type, std::vector<uint32_t>& path, uint32_t& parts,
                   std::vector<Leaf>& leaves) const;
  // The value that the instruction makes visible outside the invocation, as an id; 0 for none.
  uint32_t written_value(InstructionView instruction) const;
  bool is_visible(uint32_t pointer) const;
  // Whether the instruction computes a floating-point result, rather than moving one.
  NumericType computed_type(InstructionView instruction) const;

  void check(const PlacedInstruction& at, uint32_t value, spvtools::opt::Instruction* before);
  // A uvec3: the operands of what made each component. 0: they are not known.
  uint32_t operands(SiteBuilder& site, uint32_t value, const Leaf& leaf, const std::vector<uint32_t>& finite,
                    std::vector<ValueOrigin>& origins);
  Status check_writes();
  Status check_results();
  Status flush();

  const NanCheck mode_;
  const std::vector<PlacedInstruction>& placed_;
  CheckCalls& checks_;
  const ModuleView& view_;
  std::optional<ValueOrigins> origins_;  // computed when first asked for
  bool noted_ = false;
};

}  // namespace shaderqa
#endif
