// One triangle through the graphics stages given, into a 64 x 64 image. Prints how many pixels it covers.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "runner.h"

namespace runner {
namespace {

constexpr VkExtent2D kExtent{64, 64};
constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;

VkShaderStageFlagBits stage_of(const std::string& file) {
  const auto has = [&](const char* part) { return file.find(part) != std::string::npos; };
  if (has(".vert")) return VK_SHADER_STAGE_VERTEX_BIT;
  if (has(".tesc")) return VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT;
  if (has(".tese")) return VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
  if (has(".geom")) return VK_SHADER_STAGE_GEOMETRY_BIT;
  return VK_SHADER_STAGE_FRAGMENT_BIT;
}

VkRenderPass make_pass(kit::Device& device) {
  VkAttachmentDescription attachment{};
  attachment.format = kFormat;
  attachment.samples = VK_SAMPLE_COUNT_1_BIT;
  attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  attachment.finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  const VkAttachmentReference colour{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass{};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &colour;
  const VkSubpassDependency to_copy{0,
                                    VK_SUBPASS_EXTERNAL,
                                    VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                    VK_PIPELINE_STAGE_TRANSFER_BIT,
                                    VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                    VK_ACCESS_TRANSFER_READ_BIT,
                                    0};
  VkRenderPassCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
  info.attachmentCount = 1;
  info.pAttachments = &attachment;
  info.subpassCount = 1;
  info.pSubpasses = &subpass;
  info.dependencyCount = 1;
  info.pDependencies = &to_copy;
  VkRenderPass pass;
  kit::check(vkCreateRenderPass(device.handle, &info, nullptr, &pass), "vkCreateRenderPass");
  device.later([&device, pass] { vkDestroyRenderPass(device.handle, pass, nullptr); });
  return pass;
}

// All fixed-function state that any part of the pipeline can need; parts ignore what is not theirs.
struct PipelineState {
  VkPipelineVertexInputStateCreateInfo vertex_input{};
  VkPipelineInputAssemblyStateCreateInfo assembly{};
  VkPipelineTessellationStateCreateInfo tessellation{};
  VkViewport viewport{0, 0, kExtent.width, kExtent.height, 0, 1};
  VkRect2D scissor{{0, 0}, kExtent};
  VkPipelineViewportStateCreateInfo viewports{};
  VkPipelineRasterizationStateCreateInfo raster{};
  VkPipelineMultisampleStateCreateInfo samples{};
  VkPipelineColorBlendAttachmentState write_all{};
  VkPipelineColorBlendStateCreateInfo blend{};
  VkGraphicsPipelineCreateInfo info{};

  explicit PipelineState(bool tessellated) {
    vertex_input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
    assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
    assembly.topology = tessellated ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    tessellation.sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO;
    tessellation.patchControlPoints = 3;
    viewports.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
    viewports.viewportCount = viewports.scissorCount = 1;
    viewports.pViewports = &viewport;
    viewports.pScissors = &scissor;
    raster.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
    raster.lineWidth = 1.0f;
    samples.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    write_all.colorWriteMask = 0xF;
    blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
    blend.attachmentCount = 1;
    blend.pAttachments = &write_all;
    info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
    info.pVertexInputState = &vertex_input;
    info.pInputAssemblyState = &assembly;
    info.pTessellationState = tessellated ? &tessellation : nullptr;
    info.pViewportState = &viewports;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pColorBlendState = &blend;
  }
  PipelineState(const PipelineState&) = delete;
  PipelineState& operator=(const PipelineState&) = delete;
};

VkPipeline create(kit::Device& device, const VkGraphicsPipelineCreateInfo& info) {
  VkPipeline pipeline;
  kit::check(vkCreateGraphicsPipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
             "vkCreateGraphicsPipelines");
  device.later([&device, pipeline] { vkDestroyPipeline(device.handle, pipeline, nullptr); });
  return pipeline;
}

// The pipeline as an engine with graphics pipeline libraries makes it: four parts, then linked.
VkPipeline create_from_libraries(kit::Device& device, const VkGraphicsPipelineCreateInfo& whole) {
  const VkGraphicsPipelineLibraryFlagsEXT parts[] = {
      VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT,
      VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT,
      VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT,
      VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT};
  std::vector<VkPipeline> libraries;
  for (const auto part : parts) {
    VkGraphicsPipelineLibraryCreateInfoEXT library{};
    library.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT;
    library.flags = part;
    std::vector<VkPipelineShaderStageCreateInfo> stages;
    for (uint32_t i = 0; i < whole.stageCount; ++i) {
      const bool fragment = whole.pStages[i].stage == VK_SHADER_STAGE_FRAGMENT_BIT;
      if (part == (fragment ? VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT
                            : VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT))
        stages.push_back(whole.pStages[i]);
    }
    VkGraphicsPipelineCreateInfo info = whole;
    info.pNext = &library;
    info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    info.stageCount = static_cast<uint32_t>(stages.size());
    info.pStages = stages.data();
    libraries.push_back(create(device, info));
  }
  VkPipelineLibraryCreateInfoKHR link{};
  link.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR;
  link.libraryCount = static_cast<uint32_t>(libraries.size());
  link.pLibraries = libraries.data();
  VkGraphicsPipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info.pNext = &link;
  info.layout = whole.layout;
  return create(device, info);
}

}  // namespace

int run_graphics(const Arguments& arguments) {
  const bool from_libraries = arguments.number("library", 0) != 0;
  VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT library_features{};
  library_features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT;
  library_features.graphicsPipelineLibrary = VK_TRUE;
  std::vector<const char*> extensions;
  if (from_libraries)
    extensions = {VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME};
  RunnerDevice device(arguments, {}, extensions, from_libraries ? &library_features : nullptr);
  const kit::Buffer io = device->buffer(kIoWords * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                             VK_SHADER_STAGE_FRAGMENT_BIT, nullptr};
  const VkDescriptorSetLayout set_layout = device->set_layout({&binding, 1});
  const VkDescriptorSet set = device->descriptor_set(set_layout, {&binding, 1});
  device->write_buffer(set, 0, io);
  const VkPipelineLayout layout = device->pipeline_layout({&set_layout, 1}, VK_SHADER_STAGE_FRAGMENT_BIT, 0);
  const kit::Image image =
      device->image(kFormat, kExtent, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                    VK_IMAGE_ASPECT_COLOR_BIT);
  const VkRenderPass pass = make_pass(*device);
  VkFramebufferCreateInfo framebuffer_info{};
  framebuffer_info.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO;
  framebuffer_info.renderPass = pass;
  framebuffer_info.attachmentCount = 1;
  framebuffer_info.pAttachments = &image.view;
  framebuffer_info.width = kExtent.width;
  framebuffer_info.height = kExtent.height;
  framebuffer_info.layers = 1;
  VkFramebuffer framebuffer;
  kit::check(vkCreateFramebuffer(device->handle, &framebuffer_info, nullptr, &framebuffer),
             "vkCreateFramebuffer");
  device->later([&device, framebuffer] { vkDestroyFramebuffer(device->handle, framebuffer, nullptr); });

  std::vector<VkPipelineShaderStageCreateInfo> stages;
  for (const auto& file : arguments.files) {
    VkPipelineShaderStageCreateInfo stage{};
    stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    stage.stage = stage_of(file);
    stage.module = device->shader(kit::read_spirv(file));
    stage.pName = "main";
    stages.push_back(stage);
  }
  const bool tessellated = std::any_of(stages.begin(), stages.end(), [](const auto& stage) {
    return stage.stage == VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT;
  });
  PipelineState state(tessellated);
  state.info.stageCount = static_cast<uint32_t>(stages.size());
  state.info.pStages = stages.data();
  state.info.layout = layout;
  state.info.renderPass = pass;
  const VkPipeline pipeline =
      from_libraries ? create_from_libraries(*device, state.info) : create(*device, state.info);

  const kit::Buffer pixels =
      device->buffer(kExtent.width * kExtent.height * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  VkCommandBuffer commands = device->begin();
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
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
  vkCmdDraw(commands, 3, 1, 0, 0);
  vkCmdEndRenderPass(commands);
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = {kExtent.width, kExtent.height, 1};
  vkCmdCopyImageToBuffer(commands, image.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, pixels.handle, 1,
                         &region);
  device->run(commands);

  const auto drawn = pixels.as<uint32_t>();
  std::printf("covered: %td\n",
              std::count_if(drawn.begin(), drawn.end(), [](uint32_t pixel) { return pixel != 0; }));
  print_result(pixels);
  end_as_asked(arguments);
  return EXIT_SUCCESS;
}

}  // namespace runner
