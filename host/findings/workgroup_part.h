// SPDX-License-Identifier: Apache-2.0
// From the cell of a report to the part of a variable that it stands for.
#ifndef SHADERQA_HOST_FINDINGS_WORKGROUP_PART_H
#define SHADERQA_HOST_FINDINGS_WORKGROUP_PART_H

#include <cstdint>
#include <string>

#include "instrument/shader_record.h"

namespace shaderqa {

// "tile[3].x"; "a.first or b.second" where blocks are aliased.
std::string workgroup_part(const WorkgroupLayout& layout, uint32_t cell);

}  // namespace shaderqa
#endif
