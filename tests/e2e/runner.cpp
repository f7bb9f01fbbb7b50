// SPDX-License-Identifier: Apache-2.0
#include "runner.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

namespace runner {

std::string Arguments::text(const std::string& name, const std::string& otherwise) const {
  const auto found = options.find(name);
  return found == options.end() ? otherwise : found->second;
}

uint32_t Arguments::number(const std::string& name, uint32_t otherwise) const {
  const auto found = options.find(name);
  return found == options.end() ? otherwise
                                : static_cast<uint32_t>(std::strtoul(found->second.c_str(), nullptr, 10));
}

RunnerDevice::RunnerDevice(const Arguments& arguments, std::vector<const char*> instance_extensions,
                           std::vector<const char*> device_extensions, void* device_next) {
  const uint32_t minor = static_cast<uint32_t>(arguments.text("api", "1.3").back() - '0');
  kit::DeviceOptions options;
  options.api_version = VK_MAKE_API_VERSION(0, 1, minor, 0);
  options.queue_count = 2;
  options.instance_extensions = std::move(instance_extensions);
  options.device_extensions = std::move(device_extensions);
  options.features.shaderInt64 = options.features.shaderFloat64 = options.features.shaderInt16 = VK_TRUE;
  options.features.geometryShader = options.features.tessellationShader = VK_TRUE;
  options.features.fragmentStoresAndAtomics = VK_TRUE;
  const auto enable = [&](const char* option, const char* extension, auto& features, VkStructureType type,
                          VkBool32& feature) {
    if (arguments.number(option, 0) == 0) return;
    options.device_extensions.push_back(extension);
    features.sType = type;
    features.pNext = device_next;
    feature = VK_TRUE;
    device_next = &features;
  };
  enable("expect-assume", VK_KHR_SHADER_EXPECT_ASSUME_EXTENSION_NAME, expect_assume_,
         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_EXPECT_ASSUME_FEATURES_KHR,
         expect_assume_.shaderExpectAssume);
  enable("maximal-reconvergence", VK_KHR_SHADER_MAXIMAL_RECONVERGENCE_EXTENSION_NAME, reconvergence_,
         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR,
         reconvergence_.shaderMaximalReconvergence);
  enable("workgroup-layout", VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME, workgroup_layout_,
         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR,
         workgroup_layout_.workgroupMemoryExplicitLayout);
  workgroup_layout_.workgroupMemoryExplicitLayout8BitAccess = workgroup_layout_.workgroupMemoryExplicitLayout;
  if (minor >= 2) {
    vulkan12_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    vulkan12_.pNext = device_next;
    vulkan12_.vulkanMemoryModel = vulkan12_.vulkanMemoryModelDeviceScope =
        arguments.number("memory-model", 0) != 0 ? VK_TRUE : VK_FALSE;
    vulkan12_.storageBuffer8BitAccess = VK_TRUE;
    vulkan12_.shaderInt8 = vulkan12_.shaderFloat16 = vulkan12_.bufferDeviceAddress = VK_TRUE;
    vulkan11_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    vulkan11_.pNext = &vulkan12_;
    vulkan11_.storageBuffer16BitAccess = vulkan11_.multiview = VK_TRUE;
    options.device_next = &vulkan11_;
  }
  if (minor >= 3) {
    vulkan13_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    vulkan13_.pNext = &vulkan11_;
    vulkan13_.shaderDemoteToHelperInvocation = vulkan13_.shaderTerminateInvocation = VK_TRUE;
    options.device_next = &vulkan13_;
  }
  device = std::make_unique<kit::Device>(options);
}

void print_result(const kit::Buffer& io) {
  std::printf("result: %016llx\n", static_cast<unsigned long long>(kit::checksum(io.as<uint32_t>())));
  std::fflush(stdout);
}

void end_as_asked(const Arguments& arguments) {
  const std::string how = arguments.text("then");
  if (how == "abort") std::abort();
  if (how == "exit") _exit(0);
  if (how == "kill") std::raise(SIGKILL);
}

}  // namespace runner

int main(int argc, char** argv) {
  static const std::map<std::string, int (*)(const runner::Arguments&)> cases = {
      {"compute", runner::run_compute},     {"threads", runner::run_threads},
      {"live", runner::run_live},           {"inline", runner::run_inline},
      {"messenger", runner::run_messenger}, {"graphics", runner::run_graphics},
      {"ray_query", runner::run_ray_query}, {"addresses", runner::run_addresses}};
  const auto chosen = argc > 1 ? cases.find(argv[1]) : cases.end();
  if (chosen == cases.end()) {
    std::fprintf(stderr, "usage: %s CASE [--option=value]... FILE.spv...\n", argv[0]);
    return 2;
  }
  runner::Arguments arguments;
  for (int i = 2; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with("--")) {
      arguments.files.emplace_back(argument);
      continue;
    }
    const size_t equals = argument.find('=');
    const auto value = equals == argument.npos ? std::string_view("1") : argument.substr(equals + 1);
    arguments.options.emplace(argument.substr(2, equals == argument.npos ? equals : equals - 2), value);
  }
  try {
    return chosen->second(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
}
