// SPDX-License-Identifier: Apache-2.0
// VK_EXT_device_generated_commands: dispatches from a buffer, with the bound pipeline and with those of an
// indirect execution set.
#include <cstring>

#include "path_program.h"
#include "shader_object_info.h"

namespace path_programs {
namespace {

void generated_features(Features& features) {
  features.extension(VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME);
  features.extension(VK_KHR_MAINTENANCE_5_EXTENSION_NAME);
  features.extension(VK_EXT_SHADER_OBJECT_EXTENSION_NAME);
  features
      .chain<VkPhysicalDeviceMaintenance5FeaturesKHR>(
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR)
      .maintenance5 = VK_TRUE;
  features
      .chain<VkPhysicalDeviceShaderObjectFeaturesEXT>(
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT)
      .shaderObject = VK_TRUE;
  auto& generated = features.chain<VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_EXT);
  generated.deviceGeneratedCommands = generated.dynamicGeneratedPipelineLayout = VK_TRUE;
}

struct Sequence {
  uint32_t index = 0;  // into the execution set; not read where there is none
  VkDispatchIndirectCommand dispatch{1, 1, 1};
};

enum class Switches { nothing, pipelines, shaders };

VkIndirectCommandsLayoutEXT make_layout(Program& program, Switches switches, bool dynamic_layout) {
  const VkIndirectCommandsExecutionSetTokenEXT set_token{
      switches == Switches::shaders ? VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT
                                    : VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT,
      VK_SHADER_STAGE_COMPUTE_BIT};
  VkIndirectCommandsLayoutTokenEXT tokens[2]{};
  tokens[0].sType = tokens[1].sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT;
  tokens[0].type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT;
  tokens[0].data.pExecutionSet = &set_token;
  tokens[1].type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT;
  tokens[1].offset = offsetof(Sequence, dispatch);
  const bool has_set = switches != Switches::nothing;
  VkPipelineLayoutCreateInfo pipeline_layout{};
  pipeline_layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  pipeline_layout.setLayoutCount = 1;
  pipeline_layout.pSetLayouts = &program.set_layout;
  VkIndirectCommandsLayoutCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_EXT;
  info.pNext = dynamic_layout ? &pipeline_layout : nullptr;
  info.shaderStages = VK_SHADER_STAGE_COMPUTE_BIT;
  info.indirectStride = sizeof(Sequence);
  info.pipelineLayout = dynamic_layout ? VK_NULL_HANDLE : program.layout;
  info.tokenCount = has_set ? 2 : 1;
  info.pTokens = has_set ? tokens : tokens + 1;
  VkIndirectCommandsLayoutEXT layout;
  kit::check(vkCreateIndirectCommandsLayoutEXT(program.device.handle, &info, nullptr, &layout),
             "vkCreateIndirectCommandsLayoutEXT");
  program.device.later(
      [&program, layout] { vkDestroyIndirectCommandsLayoutEXT(program.device.handle, layout, nullptr); });
  return layout;
}

VkIndirectExecutionSetEXT make_set(Program& program, const VkIndirectExecutionSetCreateInfoEXT& info) {
  VkIndirectExecutionSetEXT set;
  kit::check(vkCreateIndirectExecutionSetEXT(program.device.handle, &info, nullptr, &set),
             "vkCreateIndirectExecutionSetEXT");
  program.device.later(
      [&program, set] { vkDestroyIndirectExecutionSetEXT(program.device.handle, set, nullptr); });
  return set;
}

// Two sequences, of which the second runs what is at index 1. bind: the state that they begin with. Where
// there is no execution set, `chain` says what is bound.
void generate(Program& program, VkIndirectCommandsLayoutEXT layout, VkIndirectExecutionSetEXT set,
              void* chain, const std::function<void(VkCommandBuffer)>& bind) {
  constexpr uint32_t count = 2;
  VkGeneratedCommandsMemoryRequirementsInfoEXT needs{};
  needs.sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_MEMORY_REQUIREMENTS_INFO_EXT;
  needs.pNext = set ? nullptr : chain;
  needs.indirectExecutionSet = set;
  needs.indirectCommandsLayout = layout;
  needs.maxSequenceCount = count;
  VkMemoryRequirements2 requirements{};
  requirements.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
  vkGetGeneratedCommandsMemoryRequirementsEXT(program.device.handle, &needs, &requirements);
  const VkDeviceSize bytes = requirements.memoryRequirements.size;
  VkBufferUsageFlags2CreateInfoKHR usage{};
  usage.sType = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR;
  usage.usage = VK_BUFFER_USAGE_2_PREPROCESS_BUFFER_BIT_EXT | VK_BUFFER_USAGE_2_SHADER_DEVICE_ADDRESS_BIT_KHR;
  const kit::Buffer scratch =
      program.device.buffer(bytes ? bytes : 16, VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT, false, &usage);
  const kit::Buffer sequences =
      program.device.buffer(count * sizeof(Sequence),
                            VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
  const Sequence data[count] = {{.index = 0}, {.index = 1}};
  std::memcpy(sequences.mapped, data, sizeof data);
  VkGeneratedCommandsInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT;
  info.pNext = needs.pNext;
  info.shaderStages = VK_SHADER_STAGE_COMPUTE_BIT;
  info.indirectExecutionSet = set;
  info.indirectCommandsLayout = layout;
  info.indirectAddress = program.device.address(sequences);
  info.indirectAddressSize = sizeof data;
  info.preprocessAddress = bytes ? program.device.address(scratch) : 0;
  info.preprocessSize = bytes;
  info.maxSequenceCount = count;
  VkCommandBuffer commands = program.device.begin();
  bind(commands);
  program.bind_set(commands, VK_PIPELINE_BIND_POINT_COMPUTE);
  vkCmdExecuteGeneratedCommandsEXT(commands, VK_FALSE, &info);
  program.device.run(commands);
}

// One that a set may have.
VkPipeline make_pipeline(Program& program, const std::string& part) {
  VkPipelineCreateFlags2CreateInfoKHR flags{};
  flags.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR;
  flags.flags = VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT;
  VkComputePipelineCreateInfo info = program.compute_info();
  info.pNext = &flags;
  info.stage = program.stage(VK_SHADER_STAGE_COMPUTE_BIT, part);
  return program.create(info);
}

void bound_pipeline(Program& program, bool dynamic_layout) {
  VkGeneratedCommandsPipelineInfoEXT bound{};
  bound.sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT;
  bound.pipeline = program.create(program.compute_info());
  generate(program, make_layout(program, Switches::nothing, dynamic_layout), VK_NULL_HANDLE, &bound,
           [&](VkCommandBuffer commands) {
             vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, bound.pipeline);
           });
}

// The first of the set is what is bound, and has nothing to check.
void set_of_pipelines(Program& program) {
  const VkPipeline quiet = make_pipeline(program, "quiet");
  VkIndirectExecutionSetPipelineInfoEXT pipelines{};
  pipelines.sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_PIPELINE_INFO_EXT;
  pipelines.initialPipeline = quiet;
  pipelines.maxPipelineCount = 2;
  VkIndirectExecutionSetCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT;
  info.type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT;
  info.info.pPipelineInfo = &pipelines;
  const VkIndirectExecutionSetEXT set = make_set(program, info);
  VkWriteIndirectExecutionSetPipelineEXT write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT;
  write.index = 1;
  write.pipeline = make_pipeline(program, ".comp");
  vkUpdateIndirectExecutionSetPipelineEXT(program.device.handle, set, 1, &write);
  generate(
      program, make_layout(program, Switches::pipelines, false), set, nullptr,
      [&](VkCommandBuffer commands) { vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, quiet); });
}

VkShaderEXT make_shader(Program& program, const std::string& part) {
  VkShaderCreateInfoEXT info = shaderqa::testing::shader_object_info(
      VK_SHADER_STAGE_COMPUTE_BIT, program.words(part), {&program.set_layout, 1});
  info.flags = VK_SHADER_CREATE_INDIRECT_BINDABLE_BIT_EXT;
  VkShaderEXT shader = VK_NULL_HANDLE;
  kit::check(vkCreateShadersEXT(program.device.handle, 1, &info, nullptr, &shader), "vkCreateShadersEXT");
  program.device.later([&program, shader] { vkDestroyShaderEXT(program.device.handle, shader, nullptr); });
  return shader;
}

void set_of_shaders(Program& program) {
  const VkShaderEXT quiet = make_shader(program, "quiet");
  VkIndirectExecutionSetShaderLayoutInfoEXT layout{};
  layout.sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_LAYOUT_INFO_EXT;
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &program.set_layout;
  VkIndirectExecutionSetShaderInfoEXT shaders{};
  shaders.sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_INFO_EXT;
  shaders.shaderCount = 1;
  shaders.pInitialShaders = &quiet;
  shaders.pSetLayoutInfos = &layout;
  shaders.maxShaderCount = 2;
  VkIndirectExecutionSetCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT;
  info.type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT;
  info.info.pShaderInfo = &shaders;
  const VkIndirectExecutionSetEXT set = make_set(program, info);
  VkWriteIndirectExecutionSetShaderEXT write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_SHADER_EXT;
  write.index = 1;
  write.shader = make_shader(program, ".comp");
  vkUpdateIndirectExecutionSetShaderEXT(program.device.handle, set, 1, &write);
  generate(program, make_layout(program, Switches::shaders, true), set, nullptr,
           [&](VkCommandBuffer commands) {
             const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
             vkCmdBindShadersEXT(commands, 1, &stage, &quiet);
           });
}

}  // namespace

std::vector<Path> generated_command_paths() {
  return {{"generated", generated_features, [](Program& program) { bound_pipeline(program, false); }},
          {"generated_dynamic_layout", generated_features,
           [](Program& program) { bound_pipeline(program, true); }},
          {"generated_pipelines", generated_features, set_of_pipelines},
          {"generated_shaders", generated_features, set_of_shaders}};
}

}  // namespace path_programs
