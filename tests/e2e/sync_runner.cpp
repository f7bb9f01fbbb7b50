// SPDX-License-Identifier: Apache-2.0
// Runs twins of cases, each on a device of its own: e2e_sync_runner [--die] NAME:racy|correct FILE.spv...
// [NAME:... ...]
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "sync_context.h"

namespace {

using sync_cases::Case;

const Case& find(std::string_view name) {
  for (const auto* cases :
       {&sync_cases::cases_with_a_race(), &sync_cases::correct_patterns(),
        &sync_cases::correct_run_patterns(), &sync_cases::image_cases(), &sync_cases::image_patterns(),
        &sync_cases::image_renderer_mutants(), &sync_cases::image_chain_mutants(),
        &sync_cases::right_layout_patterns(), &sync_cases::undetected_cases()})
    for (const Case& test : *cases)
      if (name == test.name) return test;
  for (const std::vector<Case>& row : sync_cases::image_matrix())
    for (const Case& test : row)
      if (name == test.name) return test;
  for (const sync_cases::PictureCase& one : sync_cases::picture_cases())
    if (name == one.test.name) return one.test;
  for (const sync_cases::LayoutCase& one : sync_cases::wrong_layout_cases())
    if (name == one.test.name) return one.test;
  for (const sync_cases::RacyPattern& pattern : sync_cases::racy_patterns())
    if (name == pattern.test.name) return pattern.test;
  for (const sync_cases::RedundantCase& redundant : sync_cases::redundant_cases())
    if (name == redundant.test.name) return redundant.test;
  throw std::runtime_error("no case is called " + std::string(name));
}

// Everything that a case may use; drivers that have less cannot run these tests.
struct Features {
  VkPhysicalDeviceVulkan11Features vulkan11{};
  VkPhysicalDeviceVulkan12Features vulkan12{};
  VkPhysicalDeviceVulkan13Features vulkan13{};
  VkPhysicalDeviceRobustness2FeaturesEXT robustness2{};
  VkPhysicalDeviceMutableDescriptorTypeFeaturesEXT mutable_type{};
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float{};
  VkPhysicalDeviceMeshShaderFeaturesEXT mesh{};
  VkPhysicalDeviceCooperativeMatrixFeaturesNV cooperative_matrix{};
  VkPhysicalDeviceMaintenance6Features maintenance6{};
  VkPhysicalDeviceDynamicRenderingLocalReadFeatures local_read{};
  VkPhysicalDeviceHostImageCopyFeatures host_copy{};
  VkPhysicalDeviceFragmentShaderInterlockFeaturesEXT interlock{};
  VkPhysicalDeviceConditionalRenderingFeaturesEXT conditions{};
  VkPhysicalDeviceAccelerationStructureFeaturesKHR structures{};
  kit::DeviceOptions options;

  explicit Features(const Case& test) {
    vulkan11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    vulkan11.storageBuffer16BitAccess = vulkan11.variablePointers = vulkan11.variablePointersStorageBuffer =
        VK_TRUE;
    vulkan12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    vulkan12.pNext = &vulkan11;
    vulkan12.storageBuffer8BitAccess = vulkan12.shaderInt8 = vulkan12.shaderFloat16 = VK_TRUE;
    vulkan12.bufferDeviceAddress = vulkan12.timelineSemaphore = vulkan12.scalarBlockLayout = VK_TRUE;
    vulkan12.descriptorIndexing = vulkan12.runtimeDescriptorArray = VK_TRUE;
    vulkan12.shaderStorageBufferArrayNonUniformIndexing = VK_TRUE;
    vulkan12.descriptorBindingPartiallyBound = vulkan12.descriptorBindingVariableDescriptorCount = VK_TRUE;
    vulkan12.descriptorBindingStorageBufferUpdateAfterBind = VK_TRUE;
    vulkan12.descriptorBindingStorageImageUpdateAfterBind = VK_TRUE;
    vulkan12.drawIndirectCount = vulkan12.separateDepthStencilLayouts = VK_TRUE;
    vulkan13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    vulkan13.pNext = &vulkan12;
    vulkan13.synchronization2 = vulkan13.dynamicRendering = vulkan13.inlineUniformBlock = VK_TRUE;
    vulkan13.maintenance4 = VK_TRUE;
    options.api_version = VK_API_VERSION_1_3;
    options.instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    options.device_extensions = {VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME};
    options.features.shaderInt64 = options.features.shaderFloat64 = options.features.shaderInt16 = VK_TRUE;
    options.features.shaderStorageImageExtendedFormats = options.features.shaderStorageImageMultisample =
        options.features.shaderStorageImageArrayDynamicIndexing = VK_TRUE;
    options.features.geometryShader = options.features.tessellationShader = VK_TRUE;
    options.features.fragmentStoresAndAtomics = options.features.vertexPipelineStoresAndAtomics = VK_TRUE;
    options.features.shaderStorageBufferArrayDynamicIndexing = VK_TRUE;
    options.features.drawIndirectFirstInstance = options.features.multiDrawIndirect = VK_TRUE;
    options.device_next = &vulkan13;
    for (const char* extension : test.extensions) {
      options.device_extensions.push_back(extension);
      enable(extension);
    }
    options.queue_count = test.queues;
    options.other_family = test.other_family;
  }
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;

 private:
  // The features of an extension that is not of every case.
  void enable(const char* extension) {
    const auto is = [&](const char* name) { return std::strcmp(extension, name) == 0; };
    const auto chain = [&](auto& structure, VkStructureType type) {
      structure.sType = type;
      structure.pNext = const_cast<void*>(options.device_next);
      options.device_next = &structure;
    };
    if (is(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME)) {
      chain(robustness2, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT);
      robustness2.nullDescriptor = VK_TRUE;
    } else if (is(VK_EXT_MUTABLE_DESCRIPTOR_TYPE_EXTENSION_NAME)) {
      chain(mutable_type, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MUTABLE_DESCRIPTOR_TYPE_FEATURES_EXT);
      mutable_type.mutableDescriptorType = VK_TRUE;
    } else if (is(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME)) {
      chain(atomic_float, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT);
      atomic_float.shaderBufferFloat32AtomicAdd = VK_TRUE;
    } else if (is(VK_EXT_MESH_SHADER_EXTENSION_NAME)) {
      chain(mesh, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT);
      mesh.meshShader = VK_TRUE;
    } else if (is(VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME)) {
      chain(cooperative_matrix, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV);
      cooperative_matrix.cooperativeMatrix = VK_TRUE;
      vulkan12.vulkanMemoryModel = vulkan12.vulkanMemoryModelDeviceScope = VK_TRUE;
    } else if (is(VK_KHR_MAINTENANCE_6_EXTENSION_NAME)) {
      chain(maintenance6, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_FEATURES);
      maintenance6.maintenance6 = VK_TRUE;
    } else if (is(VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME)) {
      chain(structures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR);
      structures.accelerationStructure = VK_TRUE;
    } else if (is(VK_KHR_DYNAMIC_RENDERING_LOCAL_READ_EXTENSION_NAME)) {
      chain(local_read, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_LOCAL_READ_FEATURES);
      local_read.dynamicRenderingLocalRead = VK_TRUE;
    } else if (is(VK_EXT_HOST_IMAGE_COPY_EXTENSION_NAME)) {
      chain(host_copy, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_FEATURES);
      host_copy.hostImageCopy = VK_TRUE;
      // What it rests on.
      options.device_extensions.push_back(VK_KHR_COPY_COMMANDS_2_EXTENSION_NAME);
      options.device_extensions.push_back(VK_KHR_FORMAT_FEATURE_FLAGS_2_EXTENSION_NAME);
    } else if (is(VK_KHR_SWAPCHAIN_EXTENSION_NAME)) {
      options.instance_extensions.push_back(VK_KHR_SURFACE_EXTENSION_NAME);
      options.instance_extensions.push_back(VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME);
    } else if (is(VK_EXT_FRAGMENT_SHADER_INTERLOCK_EXTENSION_NAME)) {
      chain(interlock, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADER_INTERLOCK_FEATURES_EXT);
      interlock.fragmentShaderPixelInterlock = VK_TRUE;
    } else if (is(VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME)) {
      chain(conditions, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT);
      conditions.conditionalRendering = VK_TRUE;
    }
  }
};

// Whether the device has what not every device has.
bool can_run(const Case& test) {
  kit::DeviceOptions options;
  options.api_version = VK_API_VERSION_1_3;
  options.queue_count = test.queues;
  options.other_family = test.other_family;
  const kit::Device device(options);
  return device.queues.size() >= test.queues && (!test.other_family || device.other_queue) &&
         std::ranges::all_of(test.extensions,
                             [&](const char* extension) { return device.has_extension(extension); });
}

// leave: the program ends there, with everything that it made.
void run(const std::string& twin, const std::vector<std::string>& files, bool leave) {
  const size_t colon = twin.find(':');
  const Case& test = find(std::string_view(twin).substr(0, colon));
  if (test.rare && !can_run(test)) {
    std::printf("%s: not supported\n", twin.c_str());
    return;
  }
  const Features features(test);
  kit::Device device(features.options);
  sync_cases::Context context(device, test, twin.substr(colon + 1) == "racy", files);
  context.run();
  std::printf("%s: %016llx\n", twin.c_str(), static_cast<unsigned long long>(context.result()));
  std::fflush(stdout);
  if (leave) std::exit(EXIT_SUCCESS);
}

// Killed as soon as the work has an effect, before anyone waits for it.
[[noreturn]] void run_and_die(const std::string& twin, const std::vector<std::string>& files) {
  const Case& test = find(std::string_view(twin).substr(0, twin.find(':')));
  const Features features(test);
  kit::Device device(features.options);
  sync_cases::Context context(device, test, twin.ends_with(":racy"), files);
  const volatile uint32_t& last = context.buffers.back().as<uint32_t>().back();
  const uint32_t before = last;
  context.start();
  while (last == before) {
  }
  kill(getpid(), SIGKILL);
  std::abort();
}

void replay(uint32_t steps, const std::string& file) {
  sync_cases::Case test;
  test.name = "replay";
  const Features features(test);
  kit::Device device(features.options);
  const std::vector<kit::Buffer> buffers = {device.buffer(4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT),
                                            device.buffer(4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT)};
  const kit::Compute compute = device.compute(kit::read_spirv(file), buffers, sizeof steps);
  for (uint32_t step = 0; step < steps; ++step) {
    VkCommandBuffer commands = device.begin();
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.layout, 0, 1, &compute.set, 0,
                            nullptr);
    vkCmdPushConstants(commands, compute.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof step, &step);
    vkCmdDispatch(commands, 1, 1, 1);
    kit::check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    kit::check(vkQueueSubmit(device.queues[0], 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    // A wait would order the steps; time does not. Two reports for one slot would lose one of them.
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

bool is_file(const std::string& argument) { return argument.ends_with(".spv"); }

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() == 2 && arguments[0].starts_with("--replay=")) {
      replay(static_cast<uint32_t>(std::stoul(arguments[0].substr(9))), arguments[1]);
      return EXIT_SUCCESS;
    }
    if (arguments.size() > 1 && arguments[0] == "--die")
      run_and_die(arguments[1], {arguments.begin() + 2, arguments.end()});
    const bool leave = !arguments.empty() && arguments[0] == "--leave";
    for (auto twin = arguments.begin() + (leave ? 1 : 0); twin != arguments.end();) {
      const auto files_end = std::find_if_not(twin + 1, arguments.end(), is_file);
      run(*twin, {twin + 1, files_end}, leave);
      twin = files_end;
    }
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
}
