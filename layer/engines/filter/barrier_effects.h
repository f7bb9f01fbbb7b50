// SPDX-License-Identifier: Apache-2.0
// What a synchronisation command means for the filter (docs/internals/filter.md, "Barriers"). Pure functions:
// no Vulkan objects, no state but what is passed in.
#ifndef SHADERQA_LAYER_ENGINES_FILTER_BARRIER_EFFECTS_H
#define SHADERQA_LAYER_ENGINES_FILTER_BARRIER_EFFECTS_H

#include <vulkan/vulkan_core.h>

#include <cstdint>

#include "layer/accesses/dependency.h"

namespace shaderqa::layer {

enum class BarrierEffect : uint8_t {
  nothing,
  reads_ordered,     // an execution dependency between accesses that are checked: writes after reads are fine
  writes_available,  // the same, which makes writes available but not visible: writes after writes are, too
  clear              // a memory dependency between them: what was marked before does not count any more
};

// Dependencies chain through stages that the check does not watch: compute -> transfer, transfer -> compute.
// What earlier dependencies of the same command buffer ordered behind checked accesses.
struct BarrierChain {
  VkPipelineStageFlags2 ordered = 0;  // these stages come after checked accesses
  bool available = false;             // and what those wrote is available
  // Nothing checked has happened in this command buffer yet: earlier ones may have begun the chain at any
  // stage.
  bool at_start = true;
};

// Accesses by these stages are checked: shaders, and the reads of indirect commands.
bool covers_checked(VkPipelineStageFlags2 stages);

// What the dependency does now; `chain` learns what it does for later ones.
BarrierEffect barrier_effect(const Dependency& dependency, BarrierChain& chain);

// The dependencies of one command, a barrier's or those where a subpass begins: they apply together, and none
// chains to another of them. Those of successive commands chain.
class CommandDependencies {
 public:
  explicit CommandDependencies(const BarrierChain& chain) : before_(chain) {}
  void add(const Dependency& dependency);
  // What all of them do; `chain`, that of the constructor, learns what they do for later ones.
  BarrierEffect apply(BarrierChain& chain) const;

 private:
  const BarrierChain before_;
  BarrierChain after_{0, false, false};
  BarrierEffect effect_ = BarrierEffect::nothing;
};

}  // namespace shaderqa::layer
#endif
