// SPDX-License-Identifier: Apache-2.0
// Scopes of SPIR-V, which are ids of constants.
#ifndef SHADERQA_INSTRUMENT_IR_SCOPES_H
#define SHADERQA_INSTRUMENT_IR_SCOPES_H

#include <cstdint>

#include "instrument/ir/module_view.h"

namespace shaderqa {

// Whether the scope is certainly the subgroup: a specialisation constant may have any value.
inline bool is_subgroup_scope(const ModuleView& module, uint32_t scope) {
  const auto known = module.constant(scope);
  return known && static_cast<spv::Scope>(*known) == spv::Scope::Subgroup;
}

}  // namespace shaderqa
#endif
