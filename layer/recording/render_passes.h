// SPDX-License-Identifier: Apache-2.0
// Render pass objects: what their subpass dependencies do to the filter.
#ifndef SHADERQA_LAYER_RECORDING_RENDER_PASSES_H
#define SHADERQA_LAYER_RECORDING_RENDER_PASSES_H

#include <vulkan/vulkan_core.h>

#include <vector>

#include "layer/engines/filter/barrier_effects.h"

namespace shaderqa::layer {

struct RenderPassEffects {
  std::vector<Dependency> before;  // explicit ones from VK_SUBPASS_EXTERNAL
  std::vector<Dependency> after;   // to VK_SUBPASS_EXTERNAL
  struct Inner {
    uint32_t source = 0, destination = 0;  // subpasses
    Dependency dependency;
  };
  std::vector<Inner> inner;
};

}  // namespace shaderqa::layer
#endif
