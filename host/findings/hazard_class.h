// SPDX-License-Identifier: Apache-2.0
// Which class of hazard two accesses are, from what the filter's marks or the exact engine's cell say.
#ifndef SHADERQA_HOST_FINDINGS_HAZARD_CLASS_H
#define SHADERQA_HOST_FINDINGS_HAZARD_CLASS_H

#include <cstdint>

#include "host/findings/finding_types.h"
#include "host/order/cell.h"

namespace shaderqa {

struct Classified {
  HazardClass hazard_class = HazardClass::unknown;
  EarlierAccess earlier = EarlierAccess::unknown;
  bool operator==(const Classified&) const = default;
};

// marks: those of earlier accesses to these bytes, as the filter stores them.
Classified classify_hazard(Access access, uint32_t marks_low, uint32_t marks_high);

Classified classify_pair(Access access, EarlierAccess earlier, Missing missing);
// earlier: the cell that the access found. same_action: the cell is of the access's own action.
Classified classify_exact_hazard(Access access, const Cell& earlier, Missing missing, bool same_action);
// Whether an access conflicts not with the one that the cell names, but with what its workgroup had done
// before that.
bool precedes_cell(Access access, const Cell& earlier, bool same_action);

}  // namespace shaderqa
#endif
