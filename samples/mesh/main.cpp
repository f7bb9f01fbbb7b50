// SPDX-License-Identifier: Apache-2.0
// Draws a terrain with task and mesh shaders, offscreen: a task shader leaves out tiles under water, a mesh
// shader makes the triangles of a tile, a fragment shader counts how much of each is drawn. Prints checksums
// of the picture and of the counts, and checks on the CPU that the right tiles were drawn. --bug plants
// mistakes (planted.h).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <vector>

#include "graphics_kit.h"
#include "planted.h"
#include "terrain_frag_spv.h"
#include "terrain_mesh_spv.h"
#include "terrain_task_spv.h"

namespace {

constexpr VkExtent2D kExtent{96, 64};
constexpr uint32_t kTiles = 8, kTileCells = 4,
                   kTrianglesOfTile = kTileCells * kTileCells * 2;  // as terrain.glsl says
constexpr uint32_t kPoints = kTiles * kTileCells + 1;
constexpr float kWater = -0.6f;
constexpr std::array<const char*, 3> kStages = {"task", "mesh", "fragment"};
constexpr VkShaderStageFlags kAll =
    VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_FRAGMENT_BIT;

std::vector<float> make_heights() {
  std::vector<float> heights(kPoints * kPoints);
  for (uint32_t i = 0; i < heights.size(); ++i) {
    const uint32_t row = i / kPoints;
    const auto x = static_cast<float>(i % kPoints), y = static_cast<float>(row);
    heights[i] = std::sin(x * 0.45f) * std::cos(y * 0.3f + x * 0.1f);
  }
  return heights;
}

// Triangles of each tile that is above the water in its middle.
std::vector<uint32_t> expected_statistics(const std::vector<float>& heights) {
  std::vector<uint32_t> triangles(kTiles * kTiles);
  for (uint32_t tile = 0; tile < triangles.size(); ++tile) {
    const uint32_t x = tile % kTiles * kTileCells + kTileCells / 2,
                   y = tile / kTiles * kTileCells + kTileCells / 2;
    if (heights[y * kPoints + x] > kWater) triangles[tile] = kTrianglesOfTile;
  }
  return triangles;
}

struct Features {
  VkPhysicalDeviceVulkan12Features vulkan12{};
  VkPhysicalDeviceShaderExpectAssumeFeaturesKHR expect_assume{};
  VkPhysicalDeviceMeshShaderFeaturesEXT mesh{};

  Features() {
    vulkan12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    expect_assume.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_EXPECT_ASSUME_FEATURES_KHR;
    expect_assume.pNext = &vulkan12;
    expect_assume.shaderExpectAssume = VK_TRUE;
    mesh.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT;
    mesh.pNext = &expect_assume;
    mesh.taskShader = mesh.meshShader = VK_TRUE;
  }
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;
};

struct Buffers {
  kit::Buffer heights, statistics, fragments, scratch;

  explicit Buffers(kit::Device& device) {
    const auto make = [&](kit::Buffer& buffer, const char* name, VkDeviceSize words) {
      buffer = device.buffer(words * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
      device.name(buffer, name);
    };
    make(heights, "heights", kPoints * kPoints);
    make(statistics, "statistics", kTiles * kTiles);
    make(fragments, "fragments", kTiles * kTiles * kTrianglesOfTile);
    make(scratch, "scratch", 32);
  }
};

int run(const kit::PlantedArguments& arguments) {
  const Features features;
  kit::DeviceOptions options;
  options.api_version = VK_API_VERSION_1_2;
  options.device_index = arguments.device;
  options.instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  options.device_extensions = {VK_EXT_MESH_SHADER_EXTENSION_NAME, VK_KHR_SHADER_EXPECT_ASSUME_EXTENSION_NAME};
  options.device_next = &features.mesh;
  options.features.fragmentStoresAndAtomics = VK_TRUE;
  kit::Device device(options);
  std::printf("device: %s\n", device.properties.deviceName);

  const Buffers buffers(device);
  const std::vector<float> heights = make_heights();
  std::copy(heights.begin(), heights.end(), buffers.heights.as<float>().begin());
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (uint32_t i = 0; i < 4; ++i)
    bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, kAll, nullptr});
  const VkDescriptorSetLayout set_layout = device.set_layout(bindings);
  const VkDescriptorSet set = device.descriptor_set(set_layout, bindings);
  const kit::Buffer* const bound[] = {&buffers.heights, &buffers.statistics, &buffers.fragments,
                                      &buffers.scratch};
  for (uint32_t i = 0; i < 4; ++i) device.write_buffer(set, i, *bound[i]);
  const VkPipelineLayout layout = device.pipeline_layout({&set_layout, 1}, kAll, sizeof(kit::Planted));

  const kit::Canvas canvas(device, kExtent);
  const kit::GraphicsState state(kExtent,
                                 {kit::stage(VK_SHADER_STAGE_TASK_BIT_EXT, device.shader(terrain_task_spv)),
                                  kit::stage(VK_SHADER_STAGE_MESH_BIT_EXT, device.shader(terrain_mesh_spv)),
                                  kit::stage(VK_SHADER_STAGE_FRAGMENT_BIT, device.shader(terrain_frag_spv))},
                                 layout, canvas.pass);
  const VkPipeline pipeline = kit::graphics_pipeline(device, state.info);

  VkCommandBuffer commands = device.begin();
  canvas.begin(commands);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
  vkCmdPushConstants(commands, layout, kAll, 0, sizeof(kit::Planted), &arguments.planted);
  vkCmdDrawMeshTasksEXT(commands, kTiles, 1, 1);
  canvas.end(commands);
  device.run(commands);

  const auto statistics = buffers.statistics.as<uint32_t>();
  const auto fragments = buffers.fragments.as<uint32_t>();
  std::printf("picture: %016llx\n",
              static_cast<unsigned long long>(kit::checksum(canvas.pixels.as<uint32_t>())));
  std::printf("fragments: %016llx, %u in all\n", static_cast<unsigned long long>(kit::checksum(fragments)),
              std::accumulate(fragments.begin(), fragments.end(), 0u));
  const bool right = std::ranges::equal(statistics, expected_statistics(heights));
  std::printf("%u triangles: %s\n", std::accumulate(statistics.begin(), statistics.end(), 0u),
              right ? "right" : "WRONG");
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
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
