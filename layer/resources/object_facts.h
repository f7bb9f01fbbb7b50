// SPDX-License-Identifier: Apache-2.0
// What commands need to know of images, query pools and acceleration structures.
#ifndef SHADERQA_LAYER_RESOURCES_OBJECT_FACTS_H
#define SHADERQA_LAYER_RESOURCES_OBJECT_FACTS_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <mutex>
#include <vector>

#include "layer/vk/handle_table.h"

namespace shaderqa::layer {

struct ImageFacts {
  VkFormat format = VK_FORMAT_UNDEFINED;
  uint32_t layers = 0;
};
// info: of its images.
struct SwapchainFacts {
  VkImageCreateInfo info{};
  std::mutex mutex;
  std::vector<VkImage> images;  // those that the program asked for; guarded by mutex
};
struct FramebufferFacts {
  std::vector<VkImageView> views;  // none: they come with the render pass
  uint32_t layers = 1;
};
struct QueryPoolFacts {
  uint32_t values = 0;          // of a query's result; 0: not known
  bool counts_compute = false;  // dispatches of the layer's own would show in its results
};
// Where an acceleration structure is.
struct StructureFacts {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0, size = 0;
};

// Thread-safe. Filled if EngineNeeds::command_accesses.
struct ObjectFacts {
  HandleTable<VkImage, ImageFacts> images;
  HandleTable<VkSwapchainKHR, SwapchainFacts> swapchains;
  HandleTable<VkFramebuffer, FramebufferFacts> framebuffers;  // only if EngineNeeds::images
  HandleTable<VkQueryPool, QueryPoolFacts> query_pools;
  HandleTable<VkAccelerationStructureKHR, StructureFacts> structures;
};

}  // namespace shaderqa::layer
#endif
