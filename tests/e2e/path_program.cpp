// SPDX-License-Identifier: Apache-2.0
#include "path_program.h"

#include <cstdio>
#include <stdexcept>

namespace path_programs {

kit::DeviceOptions Features::options() const {
  kit::DeviceOptions options;
  options.api_version = VK_API_VERSION_1_3;
  options.device_extensions = extensions_;
  options.device_next = head_;
  options.features.fragmentStoresAndAtomics = options.features.vertexPipelineStoresAndAtomics = VK_TRUE;
  options.features.shaderInt64 = VK_TRUE;
  return options;
}

namespace {

constexpr VkShaderStageFlags kAllStages = VK_SHADER_STAGE_ALL;

VkDescriptorSetLayoutBinding io_binding() {
  return {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, kAllStages, nullptr};
}

}  // namespace

Program::Program(const Features& features, const std::vector<std::string>& files, bool all_sets)
    : device(features.options()), io(device.buffer(kIoWords * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT)) {
  const VkDescriptorSetLayoutBinding binding = io_binding();
  set_layout = device.set_layout({&binding, 1});
  set = device.descriptor_set(set_layout, {&binding, 1});
  device.write_buffer(set, 0, io);
  const std::vector<VkDescriptorSetLayout> sets(
      all_sets ? device.properties.limits.maxBoundDescriptorSets : 1, set_layout);
  layout = device.pipeline_layout(sets, 0, 0);
  for (const std::string& file : files) files_.emplace_back(file, kit::read_spirv(file));
}

const std::vector<uint32_t>& Program::words(const std::string& part) const {
  for (const auto& [file, words] : files_)
    if (file.find(part) != std::string::npos) return words;
  throw std::runtime_error("no shader " + part);
}

VkShaderModuleCreateInfo Program::code(const std::string& part) const {
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = words(part).size() * 4;
  info.pCode = words(part).data();
  return info;
}

VkPipelineShaderStageCreateInfo Program::stage(VkShaderStageFlagBits stage, const std::string& part) {
  VkPipelineShaderStageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage = stage;
  info.module = device.shader(words(part));
  info.pName = "main";
  return info;
}

VkComputePipelineCreateInfo Program::compute_info() {
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage = stage(VK_SHADER_STAGE_COMPUTE_BIT);
  info.layout = layout;
  info.basePipelineIndex = -1;
  return info;
}

VkPipeline Program::keep(VkPipeline pipeline) {
  device.later([this, pipeline] { vkDestroyPipeline(device.handle, pipeline, nullptr); });
  return pipeline;
}

VkPipeline Program::create(const VkComputePipelineCreateInfo& info, VkPipelineCache cache) {
  VkPipeline pipeline = VK_NULL_HANDLE;
  kit::check(vkCreateComputePipelines(device.handle, cache, 1, &info, nullptr, &pipeline),
             "vkCreateComputePipelines");
  return keep(pipeline);
}

void Program::twice(const std::function<void(VkCommandBuffer)>& action) {
  VkCommandBuffer commands = device.begin();
  action(commands);
  action(commands);
  device.run(commands);
}

void Program::bind_set(VkCommandBuffer commands, VkPipelineBindPoint point) const {
  vkCmdBindDescriptorSets(commands, point, layout, 0, 1, &set, 0, nullptr);
}

void Program::dispatch_twice(VkPipeline pipeline) {
  twice([&](VkCommandBuffer commands) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    bind_set(commands, VK_PIPELINE_BIND_POINT_COMPUTE);
    vkCmdDispatch(commands, 1, 1, 1);
  });
}

void Program::draw_twice(VkPipeline pipeline) {
  draw_twice_with([&](VkCommandBuffer commands) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  });
}

void Program::draw_twice_with(const std::function<void(VkCommandBuffer)>& bind) {
  twice([&](VkCommandBuffer commands) {
    VkRenderingInfo rendering{};
    rendering.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
    rendering.renderArea = {{0, 0}, kExtent};
    rendering.layerCount = 1;
    vkCmdBeginRendering(commands, &rendering);
    bind(commands);
    bind_set(commands, VK_PIPELINE_BIND_POINT_GRAPHICS);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
  });
}

void Program::print_result() const {
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const uint32_t word : io.as<uint32_t>()) hash = (hash ^ word) * 0x100000001b3u;
  std::printf("result: %016llx\n", static_cast<unsigned long long>(hash));
}

}  // namespace path_programs
