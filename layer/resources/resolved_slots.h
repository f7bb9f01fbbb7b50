// SPDX-License-Identifier: Apache-2.0
// Which descriptors in descriptor buffers a shader of the exact engine's own looks up in front of an action
// (docs/internals/descriptor-buffers.md#resolved-descriptors).
#ifndef SHADERQA_LAYER_RESOURCES_RESOLVED_SLOTS_H
#define SHADERQA_LAYER_RESOURCES_RESOLVED_SLOTS_H

#include <cstdint>
#include <vector>

#include "instrument/runtime/abi_resolve.h"

namespace shaderqa::layer {

struct PipelineLayout;
struct SetLayout;

// Numbers the layout's single descriptors that can lead to buffers (DescriptorSlots::direct). Storage buffers
// come first.
void number_resolved(PipelineLayout& layout);

// Whether a set that was laid out as `one` has its descriptors where `other` says.
bool lie_alike(const SetLayout& one, const SetLayout& other);

// The list of what is resolved (abi_resolve.h), with what is written through the layout so far.
struct ResolvedList {
  std::vector<uint32_t> dwords;
  bool all = true;      // SQA_RESOLVE_ALL
  bool writes = false;  // some of them
};
ResolvedList resolved_list(const PipelineLayout& layout);

}  // namespace shaderqa::layer
#endif
