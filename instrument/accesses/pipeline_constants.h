// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_INSTRUMENT_ACCESSES_PIPELINE_CONSTANTS_H
#define SHADERQA_INSTRUMENT_ACCESSES_PIPELINE_CONSTANTS_H

#include <cstdint>
#include <optional>

#include "instrument/instrument.h"
#include "instrument/ir/decorations.h"
#include "instrument/ir/module_view.h"

namespace shaderqa {

// Integers that are known when the pipeline is made.
class PipelineConstants {
 public:
  PipelineConstants(const ModuleView& module, const Decorations& decorations, const WorkgroupOptions& options)
      : module_(module), decorations_(decorations), options_(options) {}
  std::optional<uint32_t> value(uint32_t id) const { return value(id, 0); }

 private:
  std::optional<uint32_t> value(uint32_t id, uint32_t depth) const;
  std::optional<uint32_t> operation(InstructionView constant, uint32_t depth) const;
  std::optional<uint32_t> member(InstructionView extract, uint32_t depth) const;
  std::optional<uint32_t> specialised(InstructionView constant, uint32_t initial) const;

  const ModuleView& module_;
  const Decorations& decorations_;
  const WorkgroupOptions& options_;
};

}  // namespace shaderqa
#endif
