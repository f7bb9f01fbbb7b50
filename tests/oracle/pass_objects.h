// SPDX-License-Identifier: Apache-2.0
// VkRenderPass objects of an abstract program's passes with an attachment, and what of Vulkan else its
// images, barriers and passes stand for.
#ifndef SHADERQA_TESTS_ORACLE_PASS_OBJECTS_H
#define SHADERQA_TESTS_ORACLE_PASS_OBJECTS_H

#include "program.h"
#include "vulkan_kit.h"

namespace oracle {

constexpr VkFormat kImageFormat = VK_FORMAT_R32_UINT;
constexpr VkExtent2D kImageExtent{kRowTexels, kMemoryBytes / 4 / kRowTexels};

VkImageLayout layout_of(Layout layout);
// It is of all memory, whatever the barrier's range is.
VkMemoryBarrier2 memory_barrier_of(const Barrier& barrier);
VkAttachmentLoadOp load_of(const Command& begin_pass);
VkAttachmentStoreOp store_of(const Command& begin_pass);

// command: a begin_pass. Lives until the device goes.
VkRenderPass pass_object(kit::Device& device, const Program& program, uint32_t command);

// Barriers within passes are between shaders of vertices and what comes behind them.
constexpr VkPipelineStageFlags kBeforeInPass = VK_PIPELINE_STAGE_VERTEX_SHADER_BIT,
                               kBehindInPass = kBeforeInPass | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;
constexpr VkAccessFlags kAccessInPass = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;

}  // namespace oracle
#endif
