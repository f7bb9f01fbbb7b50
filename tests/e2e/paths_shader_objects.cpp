// SPDX-License-Identifier: Apache-2.0
// VK_EXT_shader_object: compute, drawn with linked and unlinked ones, and made from binaries.
#include <cstdio>

#include "path_program.h"
#include "shader_object_info.h"

namespace path_programs {
namespace {

void shader_object_features(Features& features) {
  features.extension(VK_EXT_SHADER_OBJECT_EXTENSION_NAME);
  features
      .chain<VkPhysicalDeviceShaderObjectFeaturesEXT>(
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT)
      .shaderObject = VK_TRUE;
}

VkShaderCreateInfoEXT shader_info(Program& program, VkShaderStageFlagBits stage, const std::string& part) {
  VkShaderCreateInfoEXT info =
      shaderqa::testing::shader_object_info(stage, program.words(part), {&program.set_layout, 1});
  info.nextStage = stage == VK_SHADER_STAGE_VERTEX_BIT ? VK_SHADER_STAGE_FRAGMENT_BIT : 0;
  return info;
}

std::vector<VkShaderEXT> create(Program& program, const std::vector<VkShaderCreateInfoEXT>& infos) {
  std::vector<VkShaderEXT> shaders(infos.size());
  kit::check(vkCreateShadersEXT(program.device.handle, static_cast<uint32_t>(infos.size()), infos.data(),
                                nullptr, shaders.data()),
             "vkCreateShadersEXT");
  for (const VkShaderEXT shader : shaders)
    program.device.later([&program, shader] { vkDestroyShaderEXT(program.device.handle, shader, nullptr); });
  return shaders;
}

void dispatch_twice(Program& program, VkShaderEXT shader) {
  program.twice([&](VkCommandBuffer commands) {
    const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    vkCmdBindShadersEXT(commands, 1, &stage, &shader);
    program.bind_set(commands, VK_PIPELINE_BIND_POINT_COMPUTE);
    vkCmdDispatch(commands, 1, 1, 1);
  });
}

// Everything that a pipeline would have said.
void set_state(VkCommandBuffer commands) {
  const VkViewport viewport{0, 0, kExtent.width, kExtent.height, 0, 1};
  const VkRect2D scissor{{0, 0}, kExtent};
  const VkSampleMask mask = ~0u;
  vkCmdSetViewportWithCount(commands, 1, &viewport);
  vkCmdSetScissorWithCount(commands, 1, &scissor);
  vkCmdSetRasterizerDiscardEnable(commands, VK_FALSE);
  vkCmdSetVertexInputEXT(commands, 0, nullptr, 0, nullptr);
  vkCmdSetPrimitiveTopology(commands, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
  vkCmdSetPrimitiveRestartEnable(commands, VK_FALSE);
  vkCmdSetRasterizationSamplesEXT(commands, VK_SAMPLE_COUNT_1_BIT);
  vkCmdSetSampleMaskEXT(commands, VK_SAMPLE_COUNT_1_BIT, &mask);
  vkCmdSetAlphaToCoverageEnableEXT(commands, VK_FALSE);
  vkCmdSetPolygonModeEXT(commands, VK_POLYGON_MODE_FILL);
  vkCmdSetCullMode(commands, VK_CULL_MODE_NONE);
  vkCmdSetFrontFace(commands, VK_FRONT_FACE_CLOCKWISE);
  vkCmdSetDepthTestEnable(commands, VK_FALSE);
  vkCmdSetDepthWriteEnable(commands, VK_FALSE);
  vkCmdSetDepthBoundsTestEnable(commands, VK_FALSE);
  vkCmdSetDepthBiasEnable(commands, VK_FALSE);
  vkCmdSetStencilTestEnable(commands, VK_FALSE);
}

void draw_twice(Program& program, const std::vector<VkShaderEXT>& shaders) {
  program.draw_twice_with([&](VkCommandBuffer commands) {
    const VkShaderStageFlagBits stages[] = {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT};
    vkCmdBindShadersEXT(commands, 2, stages, shaders.data());
    set_state(commands);
  });
}

void compute_object(Program& program) {
  dispatch_twice(program,
                 create(program, {shader_info(program, VK_SHADER_STAGE_COMPUTE_BIT, ".comp")}).at(0));
}

void unlinked_objects(Program& program) {
  std::vector<VkShaderEXT> shaders =
      create(program, {shader_info(program, VK_SHADER_STAGE_VERTEX_BIT, ".vert")});
  shaders.push_back(create(program, {shader_info(program, VK_SHADER_STAGE_FRAGMENT_BIT, ".frag")}).at(0));
  draw_twice(program, shaders);
}

void linked_objects(Program& program) {
  std::vector<VkShaderCreateInfoEXT> infos = {shader_info(program, VK_SHADER_STAGE_VERTEX_BIT, ".vert"),
                                              shader_info(program, VK_SHADER_STAGE_FRAGMENT_BIT, ".frag")};
  for (VkShaderCreateInfoEXT& info : infos) info.flags = VK_SHADER_CREATE_LINK_STAGE_BIT_EXT;
  draw_twice(program, create(program, infos));
}

std::vector<char> binary_of(Program& program, VkShaderEXT shader) {
  size_t size = 0;
  kit::check(vkGetShaderBinaryDataEXT(program.device.handle, shader, &size, nullptr),
             "vkGetShaderBinaryDataEXT");
  std::vector<char> data(size);
  kit::check(vkGetShaderBinaryDataEXT(program.device.handle, shader, &size, data.data()),
             "vkGetShaderBinaryDataEXT");
  return data;
}

// A binary is machine code: what is made from it is the application's own, whoever made the binary.
void binary_objects(Program& program) {
  VkShaderCreateInfoEXT info = shader_info(program, VK_SHADER_STAGE_COMPUTE_BIT, ".comp");
  const std::vector<char> binary = binary_of(program, create(program, {info}).at(0));
  std::printf("bytes of the binary: %zu\n", binary.size());
  info.codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
  info.codeSize = binary.size();
  info.pCode = binary.data();
  dispatch_twice(program, create(program, {info}).at(0));
}

// The vertex shader from a binary, the fragment shader from code.
void binary_and_code(Program& program) {
  VkShaderCreateInfoEXT info = shader_info(program, VK_SHADER_STAGE_VERTEX_BIT, ".vert");
  const std::vector<char> binary = binary_of(program, create(program, {info}).at(0));
  info.codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
  info.codeSize = binary.size();
  info.pCode = binary.data();
  draw_twice(program, create(program, {info, shader_info(program, VK_SHADER_STAGE_FRAGMENT_BIT, ".frag")}));
}

}  // namespace

std::vector<Path> shader_object_paths() {
  return {{"compute_object", shader_object_features, compute_object},
          {"unlinked_objects", shader_object_features, unlinked_objects},
          {"linked_objects", shader_object_features, linked_objects},
          {"binary_objects", shader_object_features, binary_objects},
          {"binary_and_code", shader_object_features, binary_and_code}};
}

}  // namespace path_programs
