// SPDX-License-Identifier: Apache-2.0
// One dispatch of a compute shader that traces rays at a triangle.
#include <cstdlib>

#include "ray_tracing_kit.h"
#include "runner.h"

namespace runner {

int run_ray_query(const Arguments& arguments) {
  const kit::RayTracingFeatures features(nullptr);
  RunnerDevice device(arguments, {}, kit::RayTracingFeatures::extensions(), features.chain());
  const float corners[] = {0, 0, 1, 8, 0, 1, 0, 8, 1};
  const VkAccelerationStructureInstanceKHR instance = kit::instance(kit::triangles(*device, corners), 0, 7);
  const kit::Buffer io = device->buffer(kIoWords * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const VkDescriptorSetLayoutBinding bindings[] = {
      {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
      {1, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}};
  const VkDescriptorSetLayout set_layout = device->set_layout(bindings);
  const VkDescriptorSet set = device->descriptor_set(set_layout, bindings);
  device->write_buffer(set, 0, io);
  kit::write_structure(*device, set, 1, kit::top_level(*device, {&instance, 1}));
  const VkPipelineLayout layout = device->pipeline_layout({&set_layout, 1}, VK_SHADER_STAGE_COMPUTE_BIT, 0);
  const VkPipeline pipeline = device->compute_pipeline(kit::read_spirv(arguments.files.at(0)), layout);

  VkCommandBuffer commands = device->begin();
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  vkCmdDispatch(commands, 1, 1, 1);
  device->run(commands);
  print_result(io);
  return EXIT_SUCCESS;
}

}  // namespace runner
