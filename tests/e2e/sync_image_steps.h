// SPDX-License-Identifier: Apache-2.0
// What the cases of images share.
#ifndef SHADERQA_TESTS_E2E_SYNC_IMAGE_STEPS_H
#define SHADERQA_TESTS_E2E_SYNC_IMAGE_STEPS_H

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sync_steps.h"

namespace sync_cases {

inline const std::string kHeader = R"(
layout(local_size_x = 64) in;
uint i = gl_GlobalInvocationID.x;
uint l = gl_LocalInvocationID.x;
ivec2 t = ivec2(int(i % 16u), int(i / 16u));
layout(set = 0, binding = 1, std430) buffer Result { uint result[]; };
)";
inline const std::string kImage = kHeader + R"(
layout(set = 0, binding = 0, r32ui) coherent uniform uimage2D img;
)";
inline const std::string kWrite = kImage + R"(
void main() { imageStore(img, t, uvec4(i * 3u + 1u)); }  //!
)";
inline const std::string kRead = kImage + R"(
void main() { result[i] = imageLoad(img, t).x + 1u; }  //!
)";

// About half of the texels, by a hash.
inline const std::string kChosen = R"(
bool chosen(ivec2 at) {
  uint h = uint(at.x) * 2654435761u ^ uint(at.y) * 2246822519u;
  h = (h ^ h >> 15) * 2246822519u;
  return (h >> 13 & 1u) != 0u;
}
)";

// The second one is for copies.
inline const std::vector<BufferSpec> kResult = {{.name = "result", .bytes = 16384},
                                                {.name = "copied", .bytes = 1024}};

inline Binding storage(uint32_t binding, std::vector<int> images = {0}) {
  return {.binding = binding, .type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .buffers = std::move(images)};
}
inline Binding texture(uint32_t binding, std::vector<int> images = {0}) {
  Binding one = storage(binding, std::move(images));
  one.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  return one;
}
inline const Binding kResultBinding = {.binding = 1, .buffers = {0}};

struct ImageBarrier {
  VkPipelineStageFlags from = kCompute;
  VkAccessFlags made = kWrites;
  VkPipelineStageFlags to = kCompute;
  VkAccessFlags seen = kBoth;
  uint32_t image = 0;
  VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                   VK_REMAINING_ARRAY_LAYERS};
  VkImageLayout old_layout = VK_IMAGE_LAYOUT_GENERAL;
};

inline Step image_barrier(ImageBarrier spec = {}) {
  return {[=](Context& context) {
    VkImageMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.srcAccessMask = spec.made;
    barrier.dstAccessMask = spec.seen;
    barrier.oldLayout = spec.old_layout;
    barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = context.images[spec.image];
    barrier.subresourceRange = spec.range;
    vkCmdPipelineBarrier(context.commands(), spec.from, spec.to, 0, 0, nullptr, 0, nullptr, 1, &barrier);
  }};
}

// All of it.
inline Step image_barrier2(VkPipelineStageFlags2 from, VkAccessFlags2 made, VkPipelineStageFlags2 to,
                           VkAccessFlags2 seen, uint32_t image = 0,
                           VkImageAspectFlags aspects = VK_IMAGE_ASPECT_COLOR_BIT,
                           VkImageLayout old_layout = VK_IMAGE_LAYOUT_GENERAL) {
  return {[=](Context& context) {
    VkImageMemoryBarrier2 barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2;
    barrier.srcStageMask = from;
    barrier.srcAccessMask = made;
    barrier.dstStageMask = to;
    barrier.dstAccessMask = seen;
    barrier.oldLayout = old_layout;
    barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = context.images[image];
    barrier.subresourceRange = {aspects, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
    VkDependencyInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
    info.imageMemoryBarrierCount = 1;
    info.pImageMemoryBarriers = &barrier;
    vkCmdPipelineBarrier2(context.commands(), &info);
  }};
}

inline VkImageSubresourceRange part(uint32_t mip, uint32_t layer, uint32_t mips = 1, uint32_t layers = 1) {
  return {VK_IMAGE_ASPECT_COLOR_BIT, mip, mips, layer, layers};
}

inline Expected raced(const char* hazard_class, const char* access, const char* image = "image") {
  return {.hazard_class = hazard_class, .access = access, .buffer = image};
}

// Both twins have these bindings: image 0 and the result buffer.
inline Case between(const char* name, std::vector<Step> steps,
                    Expected expected = raced("read after write", "load"),
                    std::vector<Shader> shaders = {{"comp", kWrite}, {"comp", kRead}}) {
  return {.group = "images",
          .name = name,
          .shaders = std::move(shaders),
          .buffers = kResult,
          .steps = std::move(steps),
          .expected = expected,
          .bindings = {storage(0), kResultBinding},
          .exact_only = true,
          .images = {{.name = "image"}}};
}

inline Case with(Case test, const std::function<void(Case&)>& change) {
  change(test);
  return test;
}

// Those of other files.
Step copy_in(uint32_t image, VkOffset3D offset = {0, 0, 0}, VkExtent3D extent = {16, 16, 1},
             bool out = false);
// To the next level.
Step blit_down(uint32_t image, uint32_t level, int32_t size, VkFilter filter = VK_FILTER_NEAREST);
Step clear_image(uint32_t image, VkImageSubresourceRange range = part(0, 0));
// Clears, draws nothing, stores.
Step render(uint32_t image, VkAttachmentLoadOp load = VK_ATTACHMENT_LOAD_OP_CLEAR,
            VkAttachmentStoreOp store = VK_ATTACHMENT_STORE_OP_STORE);
// The same with a depth attachment.
Step render_depth(uint32_t image, VkAttachmentLoadOp load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                  VkAttachmentStoreOp store = VK_ATTACHMENT_STORE_OP_STORE,
                  VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL);
// A render pass object with one subpass, which clears an image as a colour attachment and draws nothing.
struct PassDependency {
  bool before = true;  // from outside to the subpass; else from the subpass to outside
  VkPipelineStageFlags2 from = 0;
  VkAccessFlags2 made = 0;
  VkPipelineStageFlags2 to = 0;
  VkAccessFlags2 seen = 0;
};
struct PassSpec {
  std::vector<PassDependency> dependencies = {};
  VkImageLayout initial = VK_IMAGE_LAYOUT_UNDEFINED;
  VkRect2D area = {{0, 0}, {16, 16}};
  VkAttachmentLoadOp load = VK_ATTACHMENT_LOAD_OP_CLEAR;
};
Step pass(uint32_t image, PassSpec spec = {});
std::vector<Case> image_pass_cases();
std::vector<Case> image_pass_patterns();
LayoutCase drawn_input_case();
LayoutCase stencil_layout_case();
std::vector<Case> local_read_cases();
std::vector<Case> local_read_patterns();
LayoutCase local_read_layout_case();
std::vector<Case> host_copy_patterns();
LayoutCase host_copy_layout_case();
std::vector<Case> image_presented_cases();
std::vector<LayoutCase> presented_layout_cases();
std::vector<Case> presented_layout_patterns();
std::vector<Case> image_sampling_cases();
std::vector<Case> image_sampling_patterns();
std::vector<Case> image_logged_cases();
std::vector<Case> image_alias_cases();
std::vector<Case> image_alias_patterns();
std::vector<Case> image_command_cases();
std::vector<Case> image_attachment_cases();
std::vector<Case> image_attachment_patterns();
std::vector<Case> image_frame_cases();
std::vector<Case> image_last_access_cases();
std::vector<Case> image_own_texel_cases();
std::vector<Case> image_plane_cases();
std::vector<Case> image_plane_patterns();
std::vector<Case> image_layout_cases();
std::vector<Case> image_layout_patterns();

}  // namespace sync_cases
#endif
