// SPDX-License-Identifier: Apache-2.0
// Where memory and cells of an action's first storage buffers lie (SQA_ACTION_DIRECT): its shaders
// need no table and no page table for them (docs/internals/exact.md).
#ifndef SHADERQA_LAYER_ENGINES_EXACT_DIRECT_SLOTS_H
#define SHADERQA_LAYER_ENGINES_EXACT_DIRECT_SLOTS_H

#include <cstdint>

namespace shaderqa::layer {

class Device;
class ExactEngine;
struct Binds;
struct BoundSlots;

// For compute. row: workgroups in a row, so few that GlobalInvocationId.x tells invocations apart. dwords: of
// the record.
void write_direct_slots(const ExactEngine& engine, const Device& device, const Binds& bound,
                        BoundSlots& slots, bool row, uint32_t* dwords);

}  // namespace shaderqa::layer
#endif
