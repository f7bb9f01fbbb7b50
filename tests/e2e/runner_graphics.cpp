// SPDX-License-Identifier: Apache-2.0
// Triangles through the graphics stages given, into a 64 x 64 image. Prints how many pixels they cover.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphics_kit.h"
#include "runner.h"

namespace runner {
namespace {

constexpr VkExtent2D kExtent{64, 64};

// By the file's last extension but one: triangle.vert.spv.
VkShaderStageFlagBits stage_of(const std::string& file) {
  const std::string stem = file.substr(0, file.rfind(".spv"));
  return kit::stage_of(std::string_view(stem).substr(stem.rfind('.') + 1));
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
    libraries.push_back(kit::graphics_pipeline(device, info));
  }
  VkPipelineLibraryCreateInfoKHR link{};
  link.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR;
  link.libraryCount = static_cast<uint32_t>(libraries.size());
  link.pLibraries = libraries.data();
  VkGraphicsPipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info.pNext = &link;
  info.layout = whole.layout;
  return kit::graphics_pipeline(device, info);
}

// What is drawn to: the canvas, with --depth together with a depth attachment.
struct Target {
  Target(kit::Device& device, const kit::Canvas& canvas, bool depth)
      : pass(canvas.pass), framebuffer(canvas.target) {
    clears.resize(depth ? 2 : 1);
    if (!depth) return;
    constexpr VkFormat format = VK_FORMAT_D32_SFLOAT;
    const kit::Image image =
        device.image(format, kExtent, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_ASPECT_DEPTH_BIT);
    const VkAttachmentDescription attachments[] = {
        kit::attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL),
        kit::attachment(format, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL)};
    const VkImageView views[] = {canvas.image.view, image.view};
    pass = kit::render_pass(device, attachments, {.dependencies = {kit::colours_to_copies()}});
    framebuffer = kit::framebuffer(device, pass, views, kExtent);
    clears[1].depthStencil.depth = 1;
  }
  VkRenderPass pass;
  VkFramebuffer framebuffer;
  std::vector<VkClearValue> clears;
};

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
  const kit::Canvas canvas(*device, kExtent, arguments.number("views", 1));

  std::vector<VkPipelineShaderStageCreateInfo> stages;
  for (const auto& file : arguments.files)
    stages.push_back(kit::stage(stage_of(file), device->shader(kit::read_spirv(file))));
  const bool depth = arguments.number("depth", 0) != 0;
  const Target target(*device, canvas, depth);
  kit::GraphicsState state(kExtent, std::move(stages), layout, target.pass);
  VkPipelineDepthStencilStateCreateInfo test{};
  test.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
  test.depthTestEnable = test.depthWriteEnable = VK_TRUE;
  test.depthCompareOp = VK_COMPARE_OP_LESS;
  if (depth) state.info.pDepthStencilState = &test;
  state.samples.alphaToCoverageEnable = arguments.number("alpha-to-coverage", 0) != 0 ? VK_TRUE : VK_FALSE;
  const VkPipeline pipeline = from_libraries ? create_from_libraries(*device, state.info)
                                             : kit::graphics_pipeline(*device, state.info);

  VkCommandBuffer commands = device->begin();
  kit::begin_pass(commands, target.pass, target.framebuffer, kExtent, target.clears);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
  vkCmdDraw(commands, 3 * arguments.number("triangles", 1), 1, 0, 0);
  canvas.end(commands);
  device->run(commands);

  const auto drawn = canvas.pixels.as<uint32_t>();
  std::printf("covered: %td\n",
              std::count_if(drawn.begin(), drawn.end(), [](uint32_t pixel) { return pixel != 0; }));
  print_result(canvas.pixels);
  end_as_asked(arguments);
  return EXIT_SUCCESS;
}

}  // namespace runner
