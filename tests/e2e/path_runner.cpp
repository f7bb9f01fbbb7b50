// SPDX-License-Identifier: Apache-2.0
// Runs one path: PATH FILE.spv..., or PATH_all_sets FILE.spv... with a layout that leaves no set free
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "path_program.h"

namespace {

using path_programs::Path;

std::vector<Path> all_paths() {
  std::vector<Path> all;
  for (const auto& some :
       {path_programs::pipeline_paths(), path_programs::library_paths(), path_programs::shader_object_paths(),
        path_programs::ray_tracing_paths(), path_programs::generated_command_paths()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

void run(const Path& path, bool all_sets, const std::vector<std::string>& files) {
  path_programs::Features features;
  features.extension(VK_KHR_SHADER_EXPECT_ASSUME_EXTENSION_NAME);
  features
      .chain<VkPhysicalDeviceShaderExpectAssumeFeaturesKHR>(
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_EXPECT_ASSUME_FEATURES_KHR)
      .shaderExpectAssume = VK_TRUE;
  auto& vulkan12 =
      features.chain<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  vulkan12.bufferDeviceAddress = VK_TRUE;
  auto& vulkan13 =
      features.chain<VkPhysicalDeviceVulkan13Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
  vulkan13.dynamicRendering = vulkan13.pipelineCreationCacheControl = vulkan13.maintenance4 = VK_TRUE;
  if (path.features) path.features(features);
  path_programs::Program program(features, files, all_sets);
  path.run(program);
  program.print_result();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    for (const Path& path : all_paths()) {
      const std::string wanted = argc < 2 ? "" : argv[1];
      const bool all_sets = wanted == std::string(path.name) + "_all_sets";
      if (!all_sets && wanted != path.name) continue;
      run(path, all_sets, {argv + 2, argv + argc});
      return EXIT_SUCCESS;
    }
    std::fprintf(stderr, "usage: %s PATH FILE.spv...\n", argv[0]);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
}
