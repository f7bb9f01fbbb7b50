// SPDX-License-Identifier: Apache-2.0
// How a command buffer of either level is begun.
#ifndef SHADERQA_TESTS_SUPPORT_BEGIN_INFO_H
#define SHADERQA_TESTS_SUPPORT_BEGIN_INFO_H

#include <vulkan/vulkan_core.h>

namespace shaderqa::testing {

// `info` points into the structure itself.
struct BeginInfo {
  explicit BeginInfo(VkCommandBufferUsageFlags flags = 0, VkQueryPipelineStatisticFlags statistics = 0) {
    inheritance.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO;
    inheritance.pipelineStatistics = statistics;
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    info.flags = flags;
    info.pInheritanceInfo = &inheritance;
  }
  BeginInfo(const BeginInfo&) = delete;
  BeginInfo& operator=(const BeginInfo&) = delete;

  VkCommandBufferInheritanceInfo inheritance{};
  VkCommandBufferBeginInfo info{};
};

}  // namespace shaderqa::testing
#endif
