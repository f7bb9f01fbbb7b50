// SPDX-License-Identifier: Apache-2.0
// Replaces each DebugPrintf that the entry point reaches by a call of the runtime.
#ifndef SHADERQA_INSTRUMENT_PASSES_PRINTF_PASS_H
#define SHADERQA_INSTRUMENT_PASSES_PRINTF_PASS_H

#include <set>
#include <string>
#include <vector>

#include "instrument/instrument.h"
#include "instrument/ir/builtins.h"
#include "instrument/ir/function_scan.h"
#include "instrument/passes/check_copies.h"
#include "instrument/runtime/runtime_import.h"
#include "source/opt/pass.h"

namespace shaderqa {

class PrintfPass : public spvtools::opt::Pass {
 public:
  PrintfPass(const InstrumentOptions& options, const EntryPoint& entry_point, uint64_t shader_hash,
             ModuleEditor& module, Builtins& builtins, RuntimeImport& runtime, ShaderRecord& record)
      : options_(options),
        entry_point_(entry_point),
        shader_hash_(shader_hash),
        module_(module),
        runtime_(runtime),
        record_(record),
        builtins_(builtins),
        copies_(*module.context().module(), module.view()) {}

  const char* name() const override { return "shaderqa-printf"; }
  Status Process() override;

 private:
  // The site as the host knows it; empty format id or unprintable arguments give a note and false.
  bool describe(const PrintfInstruction& printf, PrintfSite& site);
  void replace(spvtools::opt::Instruction* printf, const PrintfSite& site);
  // A function of the runtime that reserves memory for a message.
  uint32_t reserving(const std::string& name);
  void call(SiteBuilder& site, uint32_t result, uint32_t function, std::vector<uint32_t> arguments);
  void remove_import(uint32_t left_alone);

  const InstrumentOptions& options_;
  const EntryPoint& entry_point_;
  const uint64_t shader_hash_;
  ModuleEditor& module_;
  RuntimeImport& runtime_;
  ShaderRecord& record_;
  Builtins& builtins_;
  CheckCopies copies_;            // of printing sites
  bool calls_ = false;            // the code of sites stands once, and they call it
  std::set<std::string> called_;  // which of it
  InvocationKind invocation_ = InvocationKind::none;
};

}  // namespace shaderqa
#endif
