// SPDX-License-Identifier: Apache-2.0
// What removes a hazard, as code.
#ifndef SHADERQA_HOST_FINDINGS_HAZARD_CURE_H
#define SHADERQA_HOST_FINDINGS_HAZARD_CURE_H

#include <string>
#include <vector>

#include "host/findings/check_details.h"

namespace shaderqa {

// Lines to show under each other. Between actions: the barrier and the command before which it belongs.
// Within an action: what the shader has to do. Empty: not known.
std::vector<std::string> hazard_cure(const CheckDetails& details);

}  // namespace shaderqa
#endif
