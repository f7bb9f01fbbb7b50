// SPDX-License-Identifier: Apache-2.0
// For the mode `inputs` of the programs whose descriptors lie in a descriptor buffer or heap: a dispatch
// stores to an image, and the fragments of a draw read it as an input of their subpass. files: COMPUTE.spv
// FRAGMENT.spv VERTEX.spv. The racy twin's barrier does not name reads of inputs.
#ifndef SHADERQA_TESTS_E2E_DESCRIPTOR_INPUTS_H
#define SHADERQA_TESTS_E2E_DESCRIPTOR_INPUTS_H

#include <array>

#include "descriptor_program.h"

namespace descriptor_program {

// A render pass that draws to the canvas and has the image as its input.
class InputPass {
 public:
  InputPass(kit::Device& device, const kit::Canvas& canvas, const kit::Image& input) : canvas_(canvas) {
    std::array<VkAttachmentDescription, 2> attachments = {
        kit::attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL),
        kit::attachment(VK_FORMAT_R32_UINT, VK_IMAGE_LAYOUT_GENERAL)};
    attachments[1].initialLayout = VK_IMAGE_LAYOUT_GENERAL;
    attachments[1].loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
    const VkAttachmentReference colour = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                                read = {1, VK_IMAGE_LAYOUT_GENERAL};
    VkSubpassDescription subpass{};
    subpass.inputAttachmentCount = subpass.colorAttachmentCount = 1;
    subpass.pInputAttachments = &read;
    subpass.pColorAttachments = &colour;
    // In place of the implicit one, which would name all accesses.
    std::array<VkSubpassDependency, 2> dependencies{};
    dependencies[0].srcSubpass = VK_SUBPASS_EXTERNAL;
    dependencies[0].srcStageMask = dependencies[0].dstStageMask =
        VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
    dependencies[1] = kit::colours_to_copies();
    VkRenderPassCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
    info.attachmentCount = 2;
    info.pAttachments = attachments.data();
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    info.dependencyCount = 2;
    info.pDependencies = dependencies.data();
    kit::check(vkCreateRenderPass(device.handle, &info, nullptr, &pass), "vkCreateRenderPass");
    device.later([&device, made = pass] { vkDestroyRenderPass(device.handle, made, nullptr); });
    const std::array<VkImageView, 2> views = {canvas.image.view, input.view};
    target_ = kit::framebuffer(device, pass, views, kPixels);
  }

  void begin(VkCommandBuffer commands) const {
    const std::array<VkClearValue, 2> clears{};
    kit::begin_pass(commands, pass, target_, kPixels, clears);
  }
  void end(VkCommandBuffer commands) const { canvas_.end(commands); }
  static void order(VkCommandBuffer commands, bool racy) {
    kit::memory_barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                        VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
                        racy ? VK_ACCESS_SHADER_READ_BIT : VK_ACCESS_INPUT_ATTACHMENT_READ_BIT);
    // What the pass loads and stores.
    kit::memory_barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                        VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                        VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT);
  }

  VkRenderPass pass = VK_NULL_HANDLE;

 private:
  const kit::Canvas& canvas_;
  VkFramebuffer target_ = VK_NULL_HANDLE;
};

}  // namespace descriptor_program
#endif
