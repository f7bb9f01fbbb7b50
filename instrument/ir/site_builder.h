// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_INSTRUMENT_IR_SITE_BUILDER_H
#define SHADERQA_INSTRUMENT_IR_SITE_BUILDER_H

#include <cstdint>
#include <initializer_list>

#include "instrument/ir/module_editor.h"

namespace shaderqa {

// Inserts instructions before one of the module's.
class SiteBuilder {
 public:
  SiteBuilder(ModuleEditor& module, spvtools::opt::Instruction* before) : module_(module), before_(before) {}

  ModuleEditor& module() { return module_; }
  // Operands are ids; literals follow them. Returns the result id.
  uint32_t emit(spv::Op op, uint32_t type, std::initializer_list<uint32_t> ids,
                std::initializer_list<uint32_t> literals = {});
  void emit_as(uint32_t result, spv::Op op, uint32_t type, Words ids, Words literals = {});
  // The instruction that was emitted last.
  spvtools::opt::Instruction* last() const { return before_->PreviousNode(); }

 private:
  ModuleEditor& module_;
  spvtools::opt::Instruction* before_;
};

}  // namespace shaderqa
#endif
