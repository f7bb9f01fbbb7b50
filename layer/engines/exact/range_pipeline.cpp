// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/range_pipeline.h"

#include <array>

#include "host/findings/command_sites.h"
#include "layer/loader/device.h"
#include "layer/output/check_output.h"
#include "layer/vk/descriptor_heap.h"

namespace shaderqa::layer {

std::unique_ptr<RangePipeline> RangePipeline::create(Device& device, std::span<const uint32_t> words,
                                                     VkDeviceAddress engine, uint32_t kind,
                                                     std::string& problem) {
  if (!device.next.CmdDispatchBase) {
    problem = "the driver has no vkCmdDispatchBase";
    return nullptr;
  }
  CheckOutput* output = device.require_check_output();
  if (!output) {
    problem = "nothing can be reported";
    return nullptr;
  }
  output->set_engine_state(engine);
  std::unique_ptr<RangePipeline> made(new RangePipeline(device));
  if (const VkResult result = made->make(words, kind); result != VK_SUCCESS) {
    problem = "the driver does not make a pipeline for it (VkResult " + std::to_string(result) + ")";
    return nullptr;
  }
  output->add_shader(command_access_record());
  return made;
}

VkResult RangePipeline::make(std::span<const uint32_t> words, uint32_t kind) {
  const DeviceCommands& next = device_.next;
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  VkResult result = next.CreatePipelineLayout(device_.handle, &layout, nullptr, &layout_);
  if (result != VK_SUCCESS) return result;
  VkShaderModuleCreateInfo module_info{};
  module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module_info.codeSize = words.size_bytes();
  module_info.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  result = next.CreateShaderModule(device_.handle, &module_info, nullptr, &module);
  if (result != VK_SUCCESS) return result;

  const VkDeviceAddress root = device_.root_address();
  const std::array constants{static_cast<uint32_t>(root), static_cast<uint32_t>(root >> 32), kind};
  std::array<VkSpecializationMapEntry, constants.size()> entries{};
  for (uint32_t i = 0; i < entries.size(); ++i) entries[i] = {i, i * 4, 4};
  const VkSpecializationInfo specialisation{static_cast<uint32_t>(entries.size()), entries.data(),
                                            sizeof constants, constants.data()};
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &specialisation;
  info.layout = layout_;
  result = next.CreateComputePipelines(device_.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_);
  if (result == VK_SUCCESS && device_.facts.pushed_records) {
    info.flags |= VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    result =
        next.CreateComputePipelines(device_.handle, VK_NULL_HANDLE, 1, &info, nullptr, &buffered_pipeline_);
  }
  if (result == VK_SUCCESS && device_.facts.descriptor_heaps) {
    VkPipelineCreateFlags2CreateInfoKHR flags{};
    flags.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR;
    flags.flags = VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT | VK_PIPELINE_CREATE_2_DISPATCH_BASE_BIT_KHR;
    info.pNext = &flags;
    info.layout = VK_NULL_HANDLE;
    result = next.CreateComputePipelines(device_.handle, VK_NULL_HANDLE, 1, &info, nullptr, &heap_pipeline_);
  }
  next.DestroyShaderModule(device_.handle, module, nullptr);
  return result;
}

RangePipeline::~RangePipeline() {
  for (const VkPipeline pipeline : {pipeline_, buffered_pipeline_, heap_pipeline_})
    if (pipeline) device_.next.DestroyPipeline(device_.handle, pipeline, nullptr);
  if (layout_) device_.next.DestroyPipelineLayout(device_.handle, layout_, nullptr);
}

void RangePipeline::bind(VkCommandBuffer command_buffer, BoundDescriptors bound) const {
  VkPipeline pipeline = VK_NULL_HANDLE;
  if (bound == BoundDescriptors::in_buffers) pipeline = buffered_pipeline_;
  if (bound == BoundDescriptors::in_heaps) pipeline = heap_pipeline_;
  device_.next.CmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_COMPUTE,
                               pipeline ? pipeline : pipeline_);
}

void RangePipeline::dispatch(VkCommandBuffer command_buffer, const RecordAllocation& record,
                             uint32_t groups) const {
  device_.next.CmdDispatchBase(command_buffer, 0, record.offset / 16, record.block, groups, 1, 1);
}

}  // namespace shaderqa::layer
