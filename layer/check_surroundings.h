// What the layer knows of a failed check beside its record: the buffer at the address, and the action.
#ifndef SHADERQA_LAYER_CHECK_SURROUNDINGS_H
#define SHADERQA_LAYER_CHECK_SURROUNDINGS_H

#include "host/check_finding.h"
#include "instrument/runtime/abi.h"

namespace shaderqa::layer {

class Device;

CheckSurroundings surroundings_of(const Device& device, const abi::Report& record);

}  // namespace shaderqa::layer
#endif
