// SPDX-License-Identifier: Apache-2.0
// Reads and edits VkSubmitInfo and VkSubmitInfo2 by the same functions.
#ifndef SHADERQA_LAYER_VK_SUBMIT_INFOS_H
#define SHADERQA_LAYER_VK_SUBMIT_INFOS_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <vector>

#include "layer/vk/arena.h"

namespace shaderqa::layer {

inline uint32_t command_buffer_count(const VkSubmitInfo& info) { return info.commandBufferCount; }
inline uint32_t command_buffer_count(const VkSubmitInfo2& info) { return info.commandBufferInfoCount; }
inline VkCommandBuffer command_buffer(const VkSubmitInfo& info, uint32_t i) {
  return info.pCommandBuffers[i];
}
inline VkCommandBuffer command_buffer(const VkSubmitInfo2& info, uint32_t i) {
  return info.pCommandBufferInfos[i].commandBuffer;
}

struct SemaphoreUse {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  uint64_t value = 0;  // only of timeline semaphores
  VkPipelineStageFlags2 stages = 0;
};
std::vector<SemaphoreUse> waits_of(const VkSubmitInfo& info);
std::vector<SemaphoreUse> waits_of(const VkSubmitInfo2& info);
std::vector<SemaphoreUse> waits_of(const VkBindSparseInfo& info);
std::vector<SemaphoreUse> signals_of(const VkSubmitInfo& info);
std::vector<SemaphoreUse> signals_of(const VkSubmitInfo2& info);
std::vector<SemaphoreUse> signals_of(const VkBindSparseInfo& info);

// Whether its chain stays valid if a command buffer is inserted.
bool may_be_edited(const VkSubmitInfo& info);
bool may_be_edited(const VkSubmitInfo2& info);

// A command buffer of the layer's own, inserted before the application's at index `before`. Sorted by that.
struct InsertedCommands {
  uint32_t before = 0;
  VkCommandBuffer commands = VK_NULL_HANDLE;
};
void insert_commands(VkSubmitInfo& copy, const std::vector<InsertedCommands>& inserted, Arena& arena);
void insert_commands(VkSubmitInfo2& copy, const std::vector<InsertedCommands>& inserted, Arena& arena);

}  // namespace shaderqa::layer
#endif
