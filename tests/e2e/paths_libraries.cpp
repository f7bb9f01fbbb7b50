// SPDX-License-Identifier: Apache-2.0
// Graphics pipelines: whole, and linked from libraries in the ways of VK_EXT_graphics_pipeline_library.
#include <utility>

#include "path_program.h"

namespace path_programs {
namespace {

// All state of a pipeline that draws into its buffer alone.
struct State {
  VkPipelineRenderingCreateInfo rendering{};
  VkPipelineVertexInputStateCreateInfo vertex_input{};
  VkPipelineInputAssemblyStateCreateInfo assembly{};
  VkViewport viewport{0, 0, kExtent.width, kExtent.height, 0, 1};
  VkRect2D scissor{{0, 0}, kExtent};
  VkPipelineViewportStateCreateInfo viewports{};
  VkPipelineRasterizationStateCreateInfo raster{};
  VkPipelineMultisampleStateCreateInfo samples{};
  VkPipelineDepthStencilStateCreateInfo depth{};
  VkPipelineColorBlendStateCreateInfo blend{};
  VkGraphicsPipelineCreateInfo info{};

  State() {
    rendering.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO;
    vertex_input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
    assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    viewports.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
    viewports.viewportCount = viewports.scissorCount = 1;
    viewports.pViewports = &viewport;
    viewports.pScissors = &scissor;
    raster.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
    raster.lineWidth = 1.0f;
    samples.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    depth.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
    blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
    info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
    info.pNext = &rendering;
    info.pVertexInputState = &vertex_input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewports;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pDepthStencilState = &depth;
    info.pColorBlendState = &blend;
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

VkPipeline create(Program& program, const VkGraphicsPipelineCreateInfo& info) {
  VkPipeline pipeline = VK_NULL_HANDLE;
  kit::check(vkCreateGraphicsPipelines(program.device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
             "vkCreateGraphicsPipelines");
  return program.keep(pipeline);
}

void whole(Program& program) {
  State state;
  const VkPipelineShaderStageCreateInfo stages[] = {program.stage(VK_SHADER_STAGE_VERTEX_BIT, ".vert"),
                                                    program.stage(VK_SHADER_STAGE_FRAGMENT_BIT, ".frag")};
  state.info.stageCount = 2;
  state.info.pStages = stages;
  state.info.layout = program.layout;
  program.draw_twice(create(program, state.info));
}

void library_features(Features& features) {
  features.extension(VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME);
  features.extension(VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME);
  features
      .chain<VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT>(
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT)
      .graphicsPipelineLibrary = VK_TRUE;
}

struct Layouts {
  VkPipelineLayout vertex, fragment, linked;
};

// The four parts, their code inline in the stages, as engines do that know their modules only once.
std::vector<VkPipeline> create_parts(Program& program, VkPipelineCreateFlags flags, const Layouts& layouts) {
  using Flags = VkGraphicsPipelineLibraryFlagsEXT;
  constexpr Flags vertex = VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT;
  constexpr Flags fragment = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT;
  std::vector<VkPipeline> parts;
  for (const Flags part : {Flags{VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT}, vertex,
                           fragment, Flags{VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT}}) {
    State state;
    VkGraphicsPipelineLibraryCreateInfoEXT library{};
    library.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT;
    library.pNext = state.info.pNext;
    library.flags = part;
    state.info.pNext = &library;
    state.info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR | flags;
    VkPipelineShaderStageCreateInfo stage{};
    VkShaderModuleCreateInfo code{};
    stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    stage.pNext = &code;
    stage.pName = "main";
    if (part & (vertex | fragment)) {
      const bool is_vertex = part == vertex;
      code = program.code(is_vertex ? ".vert" : ".frag");
      stage.stage = is_vertex ? VK_SHADER_STAGE_VERTEX_BIT : VK_SHADER_STAGE_FRAGMENT_BIT;
      state.info.stageCount = 1;
      state.info.pStages = &stage;
      state.info.layout = is_vertex ? layouts.vertex : layouts.fragment;
    }
    parts.push_back(create(program, state.info));
  }
  return parts;
}

VkPipeline link(Program& program, VkPipelineCreateFlags flags, const std::vector<VkPipeline>& parts,
                VkPipelineLayout layout) {
  VkPipelineLibraryCreateInfoKHR libraries{};
  libraries.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR;
  libraries.libraryCount = static_cast<uint32_t>(parts.size());
  libraries.pLibraries = parts.data();
  VkGraphicsPipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info.pNext = &libraries;
  info.flags = flags;
  info.layout = layout;
  return create(program, info);
}

Layouts same(VkPipelineLayout layout) { return {layout, layout, layout}; }

void fast_linked(Program& program) {
  const std::vector<VkPipeline> parts = create_parts(program, 0, same(program.layout));
  program.draw_twice(link(program, 0, parts, program.layout));
}

// As an engine: linked fast first, and drawn with; the optimised one then takes its place.
void link_time_optimised(Program& program) {
  const std::vector<VkPipeline> parts = create_parts(
      program, VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT, same(program.layout));
  VkPipeline pipeline = link(program, 0, parts, program.layout);
  const VkPipeline optimised =
      link(program, VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT, parts, program.layout);
  program.draw_twice_with([&](VkCommandBuffer commands) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    pipeline = optimised;
  });
}

// Parts of which none knows the other's set. hole: there is no set behind these either.
void link_independent_sets(Program& program, bool vertex_first, bool hole = false) {
  const auto make_set = [&](VkShaderStageFlags stages, VkDescriptorSetLayout& set_layout) {
    const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, stages, nullptr};
    set_layout = program.device.set_layout({&binding, 1});
    const VkDescriptorSet set = program.device.descriptor_set(set_layout, {&binding, 1});
    program.device.write_buffer(set, 0, program.io);
    return set;
  };
  VkDescriptorSetLayout first_set, second_set;
  const VkShaderStageFlags vertex = VK_SHADER_STAGE_VERTEX_BIT, fragment = VK_SHADER_STAGE_FRAGMENT_BIT;
  const VkDescriptorSet second = make_set(vertex_first ? fragment : vertex, second_set);
  const VkDescriptorSet first = make_set(vertex_first ? vertex : fragment, first_set);
  const auto make_layout = [&](std::vector<VkDescriptorSetLayout> sets) {
    VkPipelineLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    info.flags = VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT;
    info.setLayoutCount = static_cast<uint32_t>(sets.size());
    info.pSetLayouts = sets.data();
    VkPipelineLayout layout;
    kit::check(vkCreatePipelineLayout(program.device.handle, &info, nullptr, &layout),
               "vkCreatePipelineLayout");
    program.device.later(
        [&program, layout] { vkDestroyPipelineLayout(program.device.handle, layout, nullptr); });
    return layout;
  };
  Layouts layouts{make_layout({VK_NULL_HANDLE, second_set}), make_layout({first_set}),
                  make_layout({first_set, second_set})};
  if (vertex_first) std::swap(layouts.vertex, layouts.fragment);
  if (hole) layouts.linked = make_layout({first_set, second_set, VK_NULL_HANDLE});
  const std::vector<VkPipeline> parts = create_parts(program, 0, layouts);
  const VkPipeline pipeline = link(program, 0, parts, layouts.linked);
  program.twice([&](VkCommandBuffer commands) {
    VkRenderingInfo rendering{};
    rendering.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
    rendering.renderArea = {{0, 0}, kExtent};
    rendering.layerCount = 1;
    vkCmdBeginRendering(commands, &rendering);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    const VkDescriptorSet sets[] = {first, second};
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layouts.linked, 0, 2, sets, 0,
                            nullptr);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
  });
}

void independent_sets(Program& program) { link_independent_sets(program, false); }
void independent_sets_vertex_first(Program& program) { link_independent_sets(program, true); }
void independent_sets_and_none(Program& program) { link_independent_sets(program, false, true); }

}  // namespace

std::vector<Path> library_paths() {
  return {{"graphics", nullptr, whole},
          {"fast_linked", library_features, fast_linked},
          {"link_time_optimised", library_features, link_time_optimised},
          {"independent_sets", library_features, independent_sets},
          {"independent_sets_vertex_first", library_features, independent_sets_vertex_first},
          {"independent_sets_and_none", library_features, independent_sets_and_none}};
}

}  // namespace path_programs
