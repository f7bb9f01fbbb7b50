// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/engine.h"

#include "host/findings/check_details.h"

namespace shaderqa::layer {

std::optional<OtherAccess> Engine::other_access(const CheckReport&) const { return std::nullopt; }

}  // namespace shaderqa::layer
