// SPDX-License-Identifier: Apache-2.0
// Which parts of workgroup memory the invocations of a workgroup touch with an access: those of their own
// index, those below a bound, one invocation alone. So that it is known of two accesses, executed between the
// same two barriers, that different invocations never touch the same with them. The usual patterns are a tile
// that each invocation stores its element of, a loop over elements by steps of the workgroup's size, the
// halves of a tree reduction, and what `if (gl_LocalInvocationIndex == 0)` guards.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_WORKGROUP_ELEMENTS_H
#define SHADERQA_INSTRUMENT_ACCESSES_WORKGROUP_ELEMENTS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "instrument/accesses/guards.h"
#include "instrument/accesses/invocation_indices.h"
#include "instrument/accesses/shared_steps.h"
#include "instrument/accesses/workgroup_accesses.h"
#include "instrument/ir/control_flow.h"

namespace shaderqa {

class WorkgroupElements {
 public:
  // All outlive the object. size: of the workgroup, 0 where it is not known.
  WorkgroupElements(const ModuleView& module, const Decorations& decorations,
                    const PipelineConstants& constants, const WorkgroupAccesses& found,
                    std::array<uint32_t, 3> size, uint32_t entry_function, bool strict);

  // By numbers of accesses to one variable, which may be the same: whether no two invocations touch the same
  // with them between two barriers that order workgroup memory. False: it is not known.
  bool are_apart(size_t a, size_t b) const;

 private:
  struct Elements {
    InvocationIndex first;  // scalars from the variable's start on
    uint32_t width = 0;     // how many from there on; 0: not known
    std::vector<Guard> guards;
    std::optional<uint32_t> only;  // the number of the one invocation that does it
  };
  // Numbers from `begin` on, below `end`.
  struct Range {
    int64_t begin = 0, end = 0;
  };
  // What the guards leave of a digit.
  Range limited(const IdDigit& digit, const std::vector<Guard>& guards) const;

  Elements elements_of(const WorkgroupAccess& access) const;
  InvocationIndex left_of(const Guard& guard) const;
  InvocationIndex right_of(const Guard& guard) const;
  std::optional<uint32_t> only_invocation(const Elements& elements) const;
  uint32_t digit_of(const IdDigit& digit, uint32_t invocation) const;
  uint32_t value_for(const InvocationIndex& index, uint32_t invocation) const;
  std::optional<Range> range_of(const Elements& elements) const;
  bool have_own(const Elements& a, const Elements& b) const;
  bool are_beside(const Elements& a, const Elements& b) const;
  bool is_below_step(const WorkgroupAccess& below, const Elements& elements,
                     const WorkgroupAccess& above) const;

  const ModuleView& module_;
  const WorkgroupAccesses& found_;
  const InvocationIds ids_;
  const ControlFlow flow_;
  const InvocationIndices indices_;
  const SharedSteps steps_;
  std::vector<Elements> elements_;
  mutable std::map<std::pair<size_t, size_t>, bool> apart_;
};

}  // namespace shaderqa
#endif
