// The program of many draws.
#include <algorithm>

#include "sync_bench.h"
#include "sync_draw_spv.h"
#include "sync_plain_spv.h"
#include "sync_reading_spv.h"

namespace sync_bench {
namespace {

constexpr VkExtent2D kExtent{16, 16};
constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;
constexpr uint32_t kSets = 64;

VkRenderPass make_pass(kit::Device& device) {
  VkAttachmentDescription attachment{};
  attachment.format = kFormat;
  attachment.samples = VK_SAMPLE_COUNT_1_BIT;
  attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  attachment.finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  const VkAttachmentReference colour{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass{};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &colour;
  VkRenderPassCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
  info.attachmentCount = 1;
  info.pAttachments = &attachment;
  info.subpassCount = 1;
  info.pSubpasses = &subpass;
  VkRenderPass pass;
  kit::check(vkCreateRenderPass(device.handle, &info, nullptr, &pass), "vkCreateRenderPass");
  device.later([&device, pass] { vkDestroyRenderPass(device.handle, pass, nullptr); });
  return pass;
}

VkPipeline make_pipeline(kit::Device& device, VkPipelineLayout layout, VkRenderPass pass,
                         std::span<const uint32_t> fragment) {
  VkPipelineShaderStageCreateInfo stages[2] = {};
  const VkShaderModule modules[] = {device.shader(sync_draw_spv), device.shader(fragment)};
  for (int i = 0; i < 2; ++i) {
    stages[i].sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    stages[i].stage = i == 0 ? VK_SHADER_STAGE_VERTEX_BIT : VK_SHADER_STAGE_FRAGMENT_BIT;
    stages[i].module = modules[i];
    stages[i].pName = "main";
  }
  VkPipelineVertexInputStateCreateInfo vertex_input{};
  vertex_input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
  VkPipelineInputAssemblyStateCreateInfo assembly{};
  assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  const VkViewport viewport{0, 0, kExtent.width, kExtent.height, 0, 1};
  const VkRect2D scissor{{0, 0}, kExtent};
  VkPipelineViewportStateCreateInfo viewports{};
  viewports.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
  viewports.viewportCount = viewports.scissorCount = 1;
  viewports.pViewports = &viewport;
  viewports.pScissors = &scissor;
  VkPipelineRasterizationStateCreateInfo raster{};
  raster.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
  raster.lineWidth = 1.0f;
  VkPipelineMultisampleStateCreateInfo samples{};
  samples.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  VkPipelineColorBlendAttachmentState write_all{};
  write_all.colorWriteMask = 0xF;
  VkPipelineColorBlendStateCreateInfo blend{};
  blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
  blend.attachmentCount = 1;
  blend.pAttachments = &write_all;
  VkGraphicsPipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info.stageCount = 2;
  info.pStages = stages;
  info.pVertexInputState = &vertex_input;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &viewports;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pColorBlendState = &blend;
  info.layout = layout;
  info.renderPass = pass;
  VkPipeline pipeline;
  kit::check(vkCreateGraphicsPipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
             "vkCreateGraphicsPipelines");
  device.later([&device, pipeline] { vkDestroyPipeline(device.handle, pipeline, nullptr); });
  return pipeline;
}

}  // namespace

DrawTimes time_draws(kit::Device& device, bool reading, uint32_t draws) {
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (uint32_t i = 0; i < 4; ++i)
    bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr});
  const VkDescriptorSetLayout set_layout = device.set_layout(bindings);
  const VkPipelineLayout layout = device.pipeline_layout({&set_layout, 1}, VK_SHADER_STAGE_FRAGMENT_BIT, 0);
  const kit::Buffer buffer = device.buffer(4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  std::vector<VkDescriptorSet> sets;
  for (uint32_t i = 0; i < kSets; ++i) sets.push_back(device.descriptor_set(set_layout, bindings));
  const auto update = [&] {
    for (const VkDescriptorSet set : sets)
      for (uint32_t i = 0; i < 4; ++i) device.write_buffer(set, i, buffer);
  };
  const VkRenderPass pass = make_pass(device);
  const VkPipeline pipeline = make_pipeline(
      device, layout, pass,
      reading ? std::span<const uint32_t>(sync_reading_spv) : std::span<const uint32_t>(sync_plain_spv));
  const kit::Image image =
      device.image(kFormat, kExtent, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_IMAGE_ASPECT_COLOR_BIT);
  VkFramebufferCreateInfo framebuffer_info{};
  framebuffer_info.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO;
  framebuffer_info.renderPass = pass;
  framebuffer_info.attachmentCount = 1;
  framebuffer_info.pAttachments = &image.view;
  framebuffer_info.width = kExtent.width;
  framebuffer_info.height = kExtent.height;
  framebuffer_info.layers = 1;
  VkFramebuffer framebuffer;
  kit::check(vkCreateFramebuffer(device.handle, &framebuffer_info, nullptr, &framebuffer),
             "vkCreateFramebuffer");
  device.later([&device, framebuffer] { vkDestroyFramebuffer(device.handle, framebuffer, nullptr); });

  DrawTimes best{1e30, 1e30, best_of(20, update) / kSets};
  for (int round = 0; round < 7; ++round) {
    VkCommandBuffer commands = device.begin();
    const double record = best_of(1, [&] {
      const VkClearValue clear{};
      VkRenderPassBeginInfo begin{};
      begin.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
      begin.renderPass = pass;
      begin.framebuffer = framebuffer;
      begin.renderArea = {{0, 0}, kExtent};
      begin.clearValueCount = 1;
      begin.pClearValues = &clear;
      vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
      vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      for (uint32_t i = 0; i < draws; ++i) {
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &sets[i % kSets], 0,
                                nullptr);
        vkCmdDraw(commands, 3, 1, 0, 0);
      }
      vkCmdEndRenderPass(commands);
    });
    const double execute = best_of(1, [&] { device.run(commands); });
    best.record = std::min(best.record, record / draws);
    best.execute = std::min(best.execute, execute / draws);
  }
  return best;
}

}  // namespace sync_bench
