// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_INSTRUMENT_IR_WORKGROUP_SIZE_H
#define SHADERQA_INSTRUMENT_IR_WORKGROUP_SIZE_H

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "instrument/ir/decorations.h"
#include "instrument/ir/module_view.h"

namespace shaderqa {

// The number of invocations of a workgroup along x, y and z; all are 0 where one of them is not known, or
// where they are more than any device has. constant: what is known of an integer.
std::array<uint32_t, 3> workgroup_size(const ModuleView& module, const Decorations& decorations,
                                       uint32_t entry_function,
                                       const std::function<std::optional<uint32_t>(uint32_t id)>& constant);

}  // namespace shaderqa
#endif
