// SPDX-License-Identifier: Apache-2.0
// What the layer knows about a failed check beside its report: the buffer at the address, the action, and the
// names that the application gave.
#ifndef SHADERQA_LAYER_OUTPUT_FINDING_CONTEXT_H
#define SHADERQA_LAYER_OUTPUT_FINDING_CONTEXT_H

#include "host/findings/check_finding.h"

namespace shaderqa::layer {

class Device;

FindingContext surroundings_of(const Device& device, const CheckReport& report);

}  // namespace shaderqa::layer
#endif
