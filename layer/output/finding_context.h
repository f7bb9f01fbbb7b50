// SPDX-License-Identifier: Apache-2.0
// What the layer knows of a failed check beside its record: the buffer at the address, and the action.
#ifndef SHADERQA_LAYER_OUTPUT_FINDING_CONTEXT_H
#define SHADERQA_LAYER_OUTPUT_FINDING_CONTEXT_H

#include "host/findings/check_finding.h"
#include "instrument/runtime/abi.h"

namespace shaderqa::layer {

class Device;

FindingContext surroundings_of(const Device& device, const abi::Report& record);

}  // namespace shaderqa::layer
#endif
