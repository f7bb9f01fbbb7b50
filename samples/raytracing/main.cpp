// SPDX-License-Identifier: Apache-2.0
// Traces rays at a ground with holes and three spheres, offscreen, in every stage that a ray-tracing pipeline
// has: rays are generated, spheres are boxes with an intersection shader, holes are cut by any-hit shaders,
// surfaces are coloured by callable shaders and mirror others by tracing from the closest-hit shader. Prints
// checksums of the picture and of a journal that all stages write. --bug plants mistakes (planted.h).
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <vector>

#include "camera_rgen_spv.h"
#include "graphics_kit.h"
#include "holes_rahit_spv.h"
#include "material0_spv.h"
#include "material1_spv.h"
#include "planted.h"
#include "ray_tracing_kit.h"
#include "shadow_rmiss_spv.h"
#include "sky_rmiss_spv.h"
#include "sphere_rint_spv.h"
#include "surface_rchit_spv.h"

namespace {

constexpr VkExtent2D kExtent{64, 48};
constexpr uint32_t kPixels = kExtent.width * kExtent.height;
constexpr std::array<const char*, 6> kStages = {"raygen",     "intersection", "anyhit",
                                                "closesthit", "miss",         "callable"};
constexpr VkShaderStageFlags kAll = VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_INTERSECTION_BIT_KHR |
                                    VK_SHADER_STAGE_ANY_HIT_BIT_KHR | VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR |
                                    VK_SHADER_STAGE_MISS_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR;

struct Features {
  VkPhysicalDeviceVulkan12Features vulkan12{};
  VkPhysicalDeviceShaderExpectAssumeFeaturesKHR expect_assume{};
  kit::RayTracingFeatures ray_tracing{&expect_assume};

  Features() {
    vulkan12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    vulkan12.bufferDeviceAddress = VK_TRUE;
    expect_assume.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_EXPECT_ASSUME_FEATURES_KHR;
    expect_assume.pNext = &vulkan12;
    expect_assume.shaderExpectAssume = VK_TRUE;
  }
};

kit::AccelerationStructure make_scene(kit::Device& device) {
  const float ground[] = {-8, 0, -12, 8, 0, -12, 8, 0, 4, -8, 0, -12, 8, 0, 4, -8, 0, 4};
  std::vector<VkAabbPositionsKHR> around_spheres;
  for (int i = 0; i < 3; ++i) {
    const float x = static_cast<float>(i) * 1.6f - 1.6f, z = i == 1 ? -0.5f : 0.0f;
    around_spheres.push_back({x - 0.7f, 0.0f, z - 0.7f, x + 0.7f, 1.4f, z + 0.7f});
  }
  const VkAccelerationStructureInstanceKHR instances[] = {
      kit::instance(kit::triangles(device, ground), 0, 0),
      kit::instance(kit::boxes(device, around_spheres), 1, 1)};
  return kit::top_level(device, instances);
}

kit::RayTracing make_pipeline(kit::Device& device, VkPipelineLayout layout) {
  kit::RayTracingInfo info;
  const auto add = [&](const char* stage, std::span<const uint32_t> words) {
    info.stages.push_back(kit::stage(kit::stage_of(stage), device.shader(words)));
    return static_cast<uint32_t>(info.stages.size() - 1);
  };
  info.raygen = add("rgen", camera_rgen_spv);
  info.misses = {add("rmiss", sky_rmiss_spv), add("rmiss", shadow_rmiss_spv)};
  const uint32_t surface = add("rchit", surface_rchit_spv), holes = add("rahit", holes_rahit_spv);
  info.hits = {{surface, holes, VK_SHADER_UNUSED_KHR}, {surface, holes, add("rint", sphere_rint_spv)}};
  info.callables = {add("rcall", material0_spv), add("rcall", material1_spv)};
  info.recursion = 2;
  return kit::ray_tracing(device, layout, info);
}

int run(const kit::PlantedArguments& arguments) {
  const Features features;
  kit::DeviceOptions options;
  options.api_version = VK_API_VERSION_1_2;
  options.device_index = arguments.device;
  options.instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  options.device_extensions = kit::RayTracingFeatures::extensions();
  options.device_extensions.push_back(VK_KHR_SHADER_EXPECT_ASSUME_EXTENSION_NAME);
  options.device_next = features.ray_tracing.chain();
  kit::Device device(options);
  std::printf("device: %s\n", device.properties.deviceName);

  const auto buffer = [&](const char* name, VkDeviceSize bytes) {
    const kit::Buffer made = device.buffer(bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    device.name(made, name);
    return made;
  };
  const kit::Buffer picture = buffer("picture", kPixels * 4);
  const kit::Buffer journal = buffer("journal", kPixels * 4);
  const kit::Buffer scratch = buffer("scratch", 128);
  std::vector<VkDescriptorSetLayoutBinding> bindings = {
      {0, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 1, kAll, nullptr}};
  for (uint32_t i = 1; i <= 3; ++i)
    bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, kAll, nullptr});
  const VkDescriptorSetLayout set_layout = device.set_layout(bindings);
  const VkDescriptorSet set = device.descriptor_set(set_layout, bindings);
  kit::write_structure(device, set, 0, make_scene(device));
  device.write_buffer(set, 1, picture);
  device.write_buffer(set, 2, journal);
  device.write_buffer(set, 3, scratch);
  const VkPipelineLayout layout = device.pipeline_layout({&set_layout, 1}, kAll, sizeof(kit::Planted));
  const kit::RayTracing tracing = make_pipeline(device, layout);

  VkCommandBuffer commands = device.begin();
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, tracing.pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, layout, 0, 1, &set, 0, nullptr);
  vkCmdPushConstants(commands, layout, kAll, 0, sizeof(kit::Planted), &arguments.planted);
  kit::trace(commands, tracing, kExtent);
  device.run(commands);

  std::printf("picture: %016llx\n", static_cast<unsigned long long>(kit::checksum(picture.as<uint32_t>())));
  std::printf("journal: %016llx\n", static_cast<unsigned long long>(kit::checksum(journal.as<uint32_t>())));
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = kit::parse_planted({argv, static_cast<size_t>(argc)}, kStages);
  if (!arguments) return 2;
  try {
    return run(*arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
}
