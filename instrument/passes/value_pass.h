// SPDX-License-Identifier: Apache-2.0
// Checks OpAssumeTrueKHR and OpExpectKHR, reports NonSemantic.DebugBreak, and removes from the module what
// was checked and what the driver does not support.
#ifndef SHADERQA_INSTRUMENT_PASSES_VALUE_PASS_H
#define SHADERQA_INSTRUMENT_PASSES_VALUE_PASS_H

#include <unordered_map>
#include <vector>

#include "instrument/passes/check_calls.h"
#include "source/opt/pass.h"

namespace shaderqa {

class ValuePass : public spvtools::opt::Pass {
 public:
  ValuePass(const InstrumentOptions& options, const std::vector<PlacedInstruction>& placed,
            CheckCalls& checks)
      : options_(options),
        placed_(placed),
        checks_(checks),
        breaks_(checks.module().view().imports("NonSemantic.DebugBreak")) {}

  const char* name() const override { return "shaderqa-values"; }
  Status Process() override;

 private:
  bool is_break(InstructionView instruction) const;
  bool is_break(const spvtools::opt::Instruction& instruction) const;
  void check_expectation(const PlacedInstruction& at);
  bool remove_instructions();
  bool remove_unused_declarations();

  const InstrumentOptions& options_;
  const std::vector<PlacedInstruction>& placed_;
  CheckCalls& checks_;
  const std::vector<uint32_t> breaks_;  // ids of the import
};

}  // namespace shaderqa
#endif
