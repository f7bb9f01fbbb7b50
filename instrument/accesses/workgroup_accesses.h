// SPDX-License-Identifier: Apache-2.0
// Finds the instructions that access workgroup memory, and what orders them.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_WORKGROUP_ACCESSES_H
#define SHADERQA_INSTRUMENT_ACCESSES_WORKGROUP_ACCESSES_H

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "instrument/accesses/cooperative_matrix.h"
#include "instrument/accesses/workgroup_memory.h"
#include "instrument/ir/placed_instructions.h"

namespace shaderqa {

struct WorkgroupAccess {
  PlacedInstruction at;
  uint32_t access = 0;      // SQA_ACCESS_*
  bool only_reads = false;  // an atomic load
  WorkgroupPlace place;
  std::vector<MemoryRun> runs;    // from `place` on
  uint32_t bytes = 0;             // of the value
  uint32_t tag = 0;               // from 1, in module order
  bool passed_on = false;         // a read: a subgroup operation passes its value on
  bool follows_exchange = false;  // a store or atomic: it depends on what a subgroup operation returned
  // Nothing can race with it (WorkgroupPhases), or it is a read that another check covers (covered_reads.h).
  bool needs_no_check = false;
};

struct WorkgroupAccesses {
  std::vector<WorkgroupAccess> accesses;  // in module order; a copy's load before its store
  uint32_t unknown_place = 0;             // accesses that are left out: pointer not followed
  uint32_t unknown_layout = 0;            // or what they touch is not known
  bool matrices = false;                  // cooperative matrices are loaded or stored there
  uint32_t exchange_width = 0;            // see find_passed_on_reads

  struct Barrier {
    PlacedInstruction at;
    bool ordering = false;  // of workgroup memory, by its own semantics, as far as they release
    bool acquires = false;
    // Whether all accesses before it are ordered before all behind it, by itself.
    bool orders(bool strict) const { return ordering && (acquires || !strict); }
  };
  std::vector<Barrier> barriers;
  std::vector<PlacedInstruction> subgroup_barriers;
  // Memory barriers for workgroup memory.
  struct Fence {
    PlacedInstruction at;
    bool wide = true;    // false: its scope is the subgroup
    bool early = false;  // right behind a control barrier, and common: what follows is not behind it
  };
  std::vector<Fence> fences;
  bool common_fences = false;  // are_fences_common of the wide ones and these barriers
  struct Atomic {
    PlacedInstruction at;
    bool releases = false;  // by its own semantics
    bool acquires = false;
    bool used = false;  // something may depend on its result
  };
  // On any memory. Empty where they cannot order accesses to workgroup memory.
  std::vector<Atomic> atomics;

  // A call that passes a pointer into workgroup memory to a parameter that is not the same everywhere.
  struct Argument {
    PlacedInstruction call;
    uint32_t parameter = 0;
    WorkgroupPlace place;
  };
  std::vector<Argument> arguments;

  bool all_barriers_order(bool strict) const;
  // Whether behind something (a memory barrier, what an atomic has acquired), what lies before one barrier
  // may be ordered, and what lies behind it is not.
  bool are_ordered_partly(bool strict) const;
};

class WorkgroupAccessFinder {
 public:
  WorkgroupAccessFinder(const ModuleView& module, spvtools::opt::IRContext& context,
                        const Decorations& decorations, const WorkgroupMemory& memory,
                        std::span<const PlacedInstruction> placed);
  WorkgroupAccesses find();

 private:
  WorkgroupPlace resolve(uint32_t pointer, uint32_t depth = 0) const;
  WorkgroupPlace parameter(uint32_t id, uint32_t type, uint32_t depth) const;
  bool is_workgroup(uint32_t pointer) const;
  void memory(const PlacedInstruction& at, uint32_t access, uint32_t pointer, bool only_reads = false);
  void atomic(const PlacedInstruction& at, InstructionView instruction);
  void arguments(const PlacedInstruction& at, InstructionView call);
  bool orders(uint32_t scope, uint32_t semantics, uint32_t ordering) const;
  void find_order(const PlacedInstruction& at, InstructionView instruction);
  void find_common_fences();
  void find_used_atomics();

  const ModuleView& module_;
  spvtools::opt::IRContext& context_;
  const Decorations& decorations_;
  const WorkgroupMemory& memory_;
  const MemoryLayout layout_;
  std::span<const PlacedInstruction> placed_;
  struct Parameter {
    uint32_t function = 0, index = 0;
  };
  std::unordered_map<uint32_t, Parameter> parameters_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> parameter_ids_;
  std::unordered_map<uint32_t, std::vector<InstructionView>> calls_;  // by callee
  WorkgroupAccesses found_;
  uint32_t count_ = 0;
};

}  // namespace shaderqa
#endif
