// SPDX-License-Identifier: Apache-2.0
// Render pass objects: their subpass dependencies.
#ifndef SHADERQA_LAYER_RECORDING_RENDER_PASSES_H
#define SHADERQA_LAYER_RECORDING_RENDER_PASSES_H

#include <vulkan/vulkan_core.h>

#include <vector>

#include "layer/accesses/dependency.h"
#include "layer/recording/attachments.h"

namespace shaderqa::layer {

struct RenderPassEffects {
  std::vector<Dependency> before;  // explicit ones from VK_SUBPASS_EXTERNAL
  std::vector<Dependency> after;   // to VK_SUBPASS_EXTERNAL
  struct Inner {
    uint32_t source = 0, destination = 0;  // subpasses
    Dependency dependency;
  };
  std::vector<Inner> inner;
  PassAttachments attachments;
};

}  // namespace shaderqa::layer
#endif
