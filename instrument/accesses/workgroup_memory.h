// SPDX-License-Identifier: Apache-2.0
// Variables in workgroup memory: how large they are, where in them a pointer leads, and how their parts are
// numbered. Most have no layout in bytes; their scalars are counted. Blocks
// (SPV_KHR_workgroup_memory_explicit _layout) are counted in bytes, since blocks may be aliased.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_WORKGROUP_MEMORY_H
#define SHADERQA_INSTRUMENT_ACCESSES_WORKGROUP_MEMORY_H

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "instrument/accesses/pipeline_constants.h"
#include "instrument/accesses/pointer_roots.h"
#include "instrument/instrument.h"
#include "instrument/ir/decorations.h"
#include "instrument/ir/memory_layout.h"

namespace shaderqa {

// Where a pointer leads.
struct WorkgroupPlace {
  uint32_t start = 0;  // a variable, or a parameter that callers pass different places in; 0: not known
  bool is_parameter = false;
  uint32_t offset = 0;  // scalars or bytes from there on
  std::vector<ScaledIndex> indices;
  uint32_t type = 0;  // what lies there
  bool in_bytes = false;
};

class WorkgroupMemory {
 public:
  WorkgroupMemory(const ModuleView& module, const Decorations& decorations,
                  const PipelineConstants& constants)
      : module_(module), decorations_(decorations), constants_(constants), bytes_(module, decorations) {}

  struct Variable {
    uint32_t id = 0;
    bool in_bytes = false;         // a block
    std::optional<uint32_t> size;  // scalars or bytes; nothing: not known
    uint32_t bytes = 0;            // that it takes of the stage's limit
    bool initialised = false;      // to zero
  };
  const std::vector<Variable>& find_variables();
  // Whether a type has an end: the functions below expect that.
  bool is_finite(uint32_t type) const;

  // In scalars or bytes; nothing: not known, or more than 2^24.
  std::optional<uint32_t> size_of(uint32_t type, bool in_bytes) const;
  // The parts of a value of this type without padding, in scalars or bytes.
  std::optional<std::vector<MemoryRun>> runs_of(uint32_t type, bool in_bytes) const;
  // Goes on to a member or element; false if that is not possible.
  bool step(WorkgroupPlace& place, uint32_t index) const;
  std::string shape_of(uint32_t type, bool in_bytes) const;
  // The size and alignment that Vulkan's limit counts; nothing: not known.
  struct Extent {
    uint64_t size = 0, alignment = 1;
  };
  std::optional<Extent> extent_of(uint32_t type) const;
  // Bits of the scalar in a type that consists of one kind of scalars; 0: other types.
  uint32_t scalar_bits(uint32_t type) const;

 private:
  bool is_finite(uint32_t type, uint32_t& budget, uint32_t depth) const;
  uint32_t length_of(InstructionView array) const;
  std::optional<uint32_t> size_of_member(uint32_t structure, uint32_t member, uint32_t type,
                                         bool in_bytes) const;
  std::optional<uint32_t> stride_of(uint32_t type, bool in_bytes) const;

  const ModuleView& module_;
  const Decorations& decorations_;
  const PipelineConstants& constants_;
  const MemoryLayout bytes_;
  std::vector<Variable> variables_;
};

}  // namespace shaderqa
#endif
