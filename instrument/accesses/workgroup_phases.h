// SPDX-License-Identifier: Apache-2.0
// Finds accesses to workgroup memory that cannot be part of a race: on no path between two control barriers
// that order the memory is there another access to it that could conflict, as a write beside a read does,
// unless different invocations never touch the same element with the two (workgroup_elements.h). All
// invocations of a workgroup begin a phase at the same barrier (Vulkan, "Control Flow": control barriers are
// executed in uniform control flow), so they see the same paths.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_WORKGROUP_PHASES_H
#define SHADERQA_INSTRUMENT_ACCESSES_WORKGROUP_PHASES_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "instrument/accesses/workgroup_accesses.h"
#include "instrument/accesses/workgroup_elements.h"
#include "instrument/ir/module_view.h"

namespace shaderqa {

class WorkgroupPhases {
 public:
  // All outlive the object. strict: barriers that do not acquire order nothing by themselves.
  WorkgroupPhases(const ModuleView& module, const WorkgroupAccesses& found, uint32_t entry_function,
                  bool strict);

  // By number of the access: whether nothing in any of its phases can race with it.
  std::vector<bool> without_conflicts(const WorkgroupElements& elements) const;

 private:
  // Code without a barrier or a call in it, which one path enters and leaves.
  struct Node {
    std::vector<size_t> accesses;
    std::vector<size_t> next;
    std::vector<uint32_t> labels;  // of the blocks that follow, before they are known
  };
  struct Code {
    size_t first = 0;                   // its first node
    std::vector<size_t> ends;           // nodes that return
    std::vector<size_t> continuations;  // nodes behind its calls
    std::vector<size_t> callers;        // nodes that end with its calls
  };

  void build();
  void split(size_t& node, InstructionView instruction, uint32_t offset);
  void connect();
  // What can be executed from `start` on until the next barrier.
  std::vector<size_t> accesses_from(size_t start) const;

  const ModuleView& module_;
  const WorkgroupAccesses& found_;
  const uint32_t entry_function_;
  std::unordered_map<uint32_t, std::vector<size_t>> accesses_;  // by offset
  std::unordered_set<uint32_t> barriers_;                       // offsets of those that order
  std::vector<Node> nodes_;
  std::unordered_map<uint32_t, size_t> blocks_;  // nodes by label
  std::map<uint32_t, Code> functions_;           // by id
  std::vector<size_t> starts_;
};

}  // namespace shaderqa
#endif
