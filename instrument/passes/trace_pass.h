// SPDX-License-Identifier: Apache-2.0
// Lets every piece of the plan (trace_plan.h) write its record, if a selector names the invocation.
#ifndef SHADERQA_INSTRUMENT_PASSES_TRACE_PASS_H
#define SHADERQA_INSTRUMENT_PASSES_TRACE_PASS_H

#include <unordered_map>
#include <vector>

#include "instrument/instrument.h"
#include "instrument/ir/builtins.h"
#include "instrument/ir/placed_instructions.h"
#include "instrument/passes/untraced_version.h"
#include "instrument/runtime/runtime_import.h"
#include "source/opt/pass.h"

namespace shaderqa {

struct ChangeableVariable;
struct CheckedAccess;
struct TracePiece;
struct TracePlan;

// The first of all passes, since it records values that others replace. It adds no blocks and replaces
// nothing.
class TracePass : public spvtools::opt::Pass {
 public:
  TracePass(const InstrumentOptions& options, const EntryPoint& entry_point,
            const std::vector<PlacedInstruction>& placed, ModuleEditor& module, Builtins& builtins,
            RuntimeImport& runtime, ShaderRecord& record, TraceAdditions& additions)
      : options_(options),
        entry_point_(entry_point),
        placed_(placed),
        module_(module),
        builtins_(builtins),
        runtime_(runtime),
        record_(record),
        additions_(additions) {}

  const char* name() const override { return "shaderqa-trace"; }
  Status Process() override;

 private:
  uint32_t root_address();
  uint32_t stage_constant();
  bool begin(const TracePlan& plan);
  // A bool, true for all invocations that have to run the code with records. own: this one is traced. 0: all
  // invocations have to.
  uint32_t group_is_traced(SiteBuilder& site, const std::vector<uint32_t>& where, uint32_t own);
  uint32_t workgroup_is_traced(SiteBuilder& site, const std::vector<uint32_t>& where);
  // The eight dwords of abi::TraceSelector's location, in ids. Empty: a block holds an input that they need.
  std::vector<uint32_t> location(SiteBuilder& site);
  // Appends the components of an input of `count` uints. False: a block holds it.
  bool append_input(SiteBuilder& site, spv::BuiltIn builtin, uint32_t count, std::vector<uint32_t>& dwords);
  void write_record(SiteBuilder& site, uint32_t number, const TracePiece& piece);
  // Lets a debugger stop before the piece (docs/internals/debug.md).
  void write_stop(SiteBuilder& site, uint32_t number);
  // Says whether the access leaves its buffer, for the stop behind it.
  void write_check(SiteBuilder& site, const CheckedAccess& access);
  void load_before_store(uint32_t store, std::vector<uint32_t>& dwords);
  void write_change(SiteBuilder& site, uint32_t number, const ChangeableVariable& variable);

  const InstrumentOptions& options_;
  const EntryPoint& entry_point_;
  const std::vector<PlacedInstruction>& placed_;
  ModuleEditor& module_;
  Builtins& builtins_;
  RuntimeImport& runtime_;
  ShaderRecord& record_;
  TraceAdditions& additions_;
  std::unordered_map<uint32_t, spvtools::opt::Instruction*> instructions_;  // by word offset
};

}  // namespace shaderqa
#endif
