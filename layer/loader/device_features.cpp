// SPDX-License-Identifier: Apache-2.0
#include "layer/loader/device_features.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <utility>

#include "host/log/log.h"
#include "layer/context/instance.h"
#include "layer/vk/descriptor_heap.h"

namespace shaderqa::layer {
namespace {

// Puts a structure into the chain of a query.
template <typename T>
void chain_query(void* head, T& structure, VkStructureType type) {
  structure.sType = type;
  link_structure(&structure, next_structure(head));
  link_structure(head, &structure);
}

// "Mesa 25.0.7-2 (LLVM 15.0.6)": 25 and 0; twice 0 for anything else.
std::pair<int, int> mesa_version(const char* driver_info) {
  std::pair<int, int> version{0, 0};
  static_cast<void>(std::sscanf(driver_info, "Mesa %d.%d", &version.first, &version.second));
  return version;
}

}  // namespace

DeviceRequest::DeviceRequest(const Instance& instance, VkPhysicalDevice physical,
                             const VkDeviceCreateInfo& original)
    : instance_(instance),
      physical_(physical),
      original_(original),
      chain_(original.pNext, arena_),
      edited_(original),
      extensions_(original.ppEnabledExtensionNames,
                  original.ppEnabledExtensionNames + original.enabledExtensionCount) {
  instance_.next.GetPhysicalDeviceMemoryProperties(physical_, &facts.memory);
  std::set<uint32_t> families;
  for (uint32_t i = 0; i < original.queueCreateInfoCount; ++i) {
    families.insert(original.pQueueCreateInfos[i].queueFamilyIndex);
  }
  facts.queue_families.assign(families.begin(), families.end());
  uint32_t family_count = 0;
  instance_.next.GetPhysicalDeviceQueueFamilyProperties(physical_, &family_count, nullptr);
  std::vector<VkQueueFamilyProperties> family_properties(family_count);
  instance_.next.GetPhysicalDeviceQueueFamilyProperties(physical_, &family_count, family_properties.data());
  for (const VkQueueFamilyProperties& family : family_properties) {
    facts.compute_families.push_back(family.queueFlags & VK_QUEUE_COMPUTE_BIT);
    facts.timestamp_bits.push_back(family.timestampValidBits);
  }

  query_device();
  if (facts.inert_reason.empty()) apply_patches();
  if (!facts.inert_reason.empty()) return;
  edited_.pNext = chain_.head();
  edited_.enabledExtensionCount = static_cast<uint32_t>(extensions_.size());
  edited_.ppEnabledExtensionNames = extensions_.data();
  changed_ = true;
}

void DeviceRequest::give_up(const std::string& reason) {
  facts.inert_reason = reason;
  facts.restrictions.clear();
  changed_ = false;
}

void DeviceRequest::query_device() {
  VkPhysicalDeviceProperties properties;
  instance_.next.GetPhysicalDeviceProperties(physical_, &properties);
  facts.limits = properties.limits;
  facts.descriptor_buffers = app_enables(VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME);
  facts.generated_commands = app_enables(VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME);
  facts.generated_commands_nv = app_enables(VK_NV_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME) ||
                                app_enables(VK_NV_DEVICE_GENERATED_COMMANDS_COMPUTE_EXTENSION_NAME);
  facts.places_maps = app_enables(VK_EXT_MAP_MEMORY_PLACED_EXTENSION_NAME);
  api_version_ = std::min(instance_.api_version, properties.apiVersion);
  if (api_version_ < VK_API_VERSION_1_1 || !instance_.next.GetPhysicalDeviceFeatures2 ||
      !instance_.next.GetPhysicalDeviceProperties2) {
    give_up("the driver or the instance offers Vulkan 1.0 only, and 1.1 is needed");
    return;
  }
  if (const auto group =
          chain_.find<VkDeviceGroupDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO);
      group && group->physicalDeviceCount > 1) {
    give_up("it spans several physical devices");
    return;
  }
  query_extensions();
  query_features();
  query_properties(properties);
  query_heaps();
}

void DeviceRequest::query_extensions() {
  uint32_t count = 0;
  const auto enumerate = instance_.next.EnumerateDeviceExtensionProperties;
  if (enumerate(physical_, nullptr, &count, nullptr) == VK_SUCCESS) {
    available_extensions_.resize(count);
    if (enumerate(physical_, nullptr, &count, available_extensions_.data()) < 0) count = 0;
    available_extensions_.resize(count);
  }
}

void DeviceRequest::query_features() {
  const bool is_12 = api_version_ >= VK_API_VERSION_1_2;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  if (is_12 || has_extension(VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME)) {
    chain_query(&features, addresses_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES);
  }
  if (is_12 || has_extension(VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME)) {
    chain_query(&features, atomics_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES);
  }
  if (is_12 || has_extension(VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME)) {
    chain_query(&features, memory_model_, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES);
  }
  if (facts.descriptor_buffers) {
    chain_query(&features, buffer_features_,
                VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT);
  }
  instance_.next.GetPhysicalDeviceFeatures2(physical_, &features);
  core_ = features.features;
  const auto expect_assume = chain_.find<VkPhysicalDeviceShaderExpectAssumeFeaturesKHR>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_EXPECT_ASSUME_FEATURES_KHR);
  const auto features_14 =
      chain_.find<VkPhysicalDeviceVulkan14Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES);
  facts.expect_assume = (expect_assume && expect_assume->shaderExpectAssume) ||
                        (features_14 && features_14->shaderExpectAssume);
}

// What the layer needs to follow descriptors in heaps.
void DeviceRequest::query_heaps() {
  const auto enabled = chain_.find<VkPhysicalDeviceDescriptorHeapFeaturesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_HEAP_FEATURES_EXT);
  facts.descriptor_heaps = app_enables(VK_EXT_DESCRIPTOR_HEAP_EXTENSION_NAME) && enabled &&
                           enabled->descriptorHeap && instance_.next.GetPhysicalDeviceDescriptorSizeEXT;
  if (!facts.descriptor_heaps) return;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  VkPhysicalDeviceDescriptorHeapPropertiesEXT heaps{};
  chain_query(&properties, heaps, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_HEAP_PROPERTIES_EXT);
  instance_.next.GetPhysicalDeviceProperties2(physical_, &properties);
  facts.push_data_size = static_cast<uint32_t>(std::min<VkDeviceSize>(heaps.maxPushDataSize, UINT32_MAX));
  for (const VkDescriptorType type :
       {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
        VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
        VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT})
    facts.heap_descriptor_sizes.emplace_back(
        type, static_cast<size_t>(instance_.next.GetPhysicalDeviceDescriptorSizeEXT(physical_, type)));
}

void DeviceRequest::query_properties(const VkPhysicalDeviceProperties& properties) {
  VkPhysicalDeviceProperties2 properties2{};
  properties2.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  VkPhysicalDeviceSubgroupProperties subgroups{};
  chain_query(&properties2, subgroups, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
  VkPhysicalDeviceDriverProperties driver{};
  if (api_version_ >= VK_API_VERSION_1_2 || has_extension(VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME)) {
    chain_query(&properties2, driver, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
  }
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host_import{};
  if (has_extension(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)) {
    chain_query(&properties2, host_import,
                VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT);
  }
  if (facts.descriptor_buffers) {
    chain_query(&properties2, buffer_properties_,
                VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT);
  }
  instance_.next.GetPhysicalDeviceProperties2(physical_, &properties2);
  SHADERQA_LOG(info, std::string("physical device ") + properties.deviceName + ", driver " +
                         driver.driverName + " " + driver.driverInfo + " (version " +
                         hex_text(properties.driverVersion) + ")");

  facts.name = properties.deviceName;
  facts.driver = std::string(driver.driverName) + " " + driver.driverInfo;

  constexpr VkSubgroupFeatureFlags needed = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT;
  if ((subgroups.supportedOperations & needed) == needed) facts.ballot_stages = subgroups.supportedStages;
  // Other drivers of Mesa do, too. On a GPU a queue takes memory of each invocation that can run at once.
  const bool lavapipe = driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE;
  facts.inlines_calls = lavapipe;
  // Older lavapipe loses invocations at a barrier in divergent control flow.
  const auto mesa = mesa_version(driver.driverInfo);
  facts.memory_barrier = !lavapipe || mesa.first >= 25;
  facts.keeps_dispatch_base = lavapipe;
  facts.loads_while_inactive = lavapipe && mesa >= std::pair(25, 1);
  facts.is_cpu = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  facts.host_import_alignment = host_import.minImportedHostPointerAlignment;
}

void DeviceRequest::apply_patches() {
  struct Patch {
    void (DeviceRequest::*enable)();
    const char* without;  // what is the case without it; null: nothing can be checked
  };
  constexpr Patch patches[] = {
      {&DeviceRequest::enable_device_addresses, nullptr},
      {&DeviceRequest::enable_stable_addresses,
       "drivers do not find rewritten shaders in their caches from run to run"},
      {&DeviceRequest::enable_int64_atomics, "accesses are not checked by the exact engine"},
      {&DeviceRequest::enable_vertex_stores,
       "shaders of vertex, tessellation and geometry stages are not checked"},
      {&DeviceRequest::enable_fragment_stores, "fragment shaders are not checked"},
      {&DeviceRequest::enable_memory_model_device_scope,
       "rewritten shaders with the Vulkan memory model synchronise by queue family only"},
      {&DeviceRequest::enable_host_import, "what shaders wrote last is lost if the process dies"},
      {&DeviceRequest::enable_pushed_records,
       "accesses of pipelines with descriptor buffers are not checked for being unsynchronised"}};
  for (const auto& [enable, without] : patches) {
    (this->*enable)();
    if (const auto unknown = chain_.take_unknown()) {
      const std::string problem = "its VkDeviceCreateInfo has a structure of type " +
                                  std::to_string(*unknown) +
                                  " that this build of the layer does not know, in front of one that has to "
                                  "be changed";
      if (without) {
        facts.restrictions.push_back(std::string(without) + ": " + problem);
      } else {
        give_up(problem);
      }
    }
    if (!facts.inert_reason.empty()) return;
  }
}

void DeviceRequest::enable_device_addresses() {
  if (app_enables(VK_EXT_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME)) {
    give_up(
        "the application enables VK_EXT_buffer_device_address, which excludes the newer one that is needed");
    return;
  }
  if (!addresses_.bufferDeviceAddress) {
    give_up("the driver does not support bufferDeviceAddress");
    return;
  }
  if (api_version_ < VK_API_VERSION_1_2) add_extension(VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME);
  set_extended(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
               &VkPhysicalDeviceBufferDeviceAddressFeatures::bufferDeviceAddress,
               &VkPhysicalDeviceVulkan12Features::bufferDeviceAddress);
}

// The root block's address is a constant in the rewritten shaders. If it is the same in every run, the driver
// finds them in its cache.
void DeviceRequest::enable_stable_addresses() {
  if (!addresses_.bufferDeviceAddressCaptureReplay || !instance_.settings.stable_addresses) return;
  set_extended(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
               &VkPhysicalDeviceBufferDeviceAddressFeatures::bufferDeviceAddressCaptureReplay,
               &VkPhysicalDeviceVulkan12Features::bufferDeviceAddressCaptureReplay);
  facts.stable_addresses = !chain_.unknown();
}

void DeviceRequest::enable_int64_atomics() {
  if (!core_.shaderInt64 || !atomics_.shaderBufferInt64Atomics) return;
  if (api_version_ < VK_API_VERSION_1_2) add_extension(VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME);
  set_core(&VkPhysicalDeviceFeatures::shaderInt64);
  set_extended(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES,
               &VkPhysicalDeviceShaderAtomicInt64Features::shaderBufferInt64Atomics,
               &VkPhysicalDeviceVulkan12Features::shaderBufferInt64Atomics);
  facts.int64_atomics = !chain_.unknown();
}

void DeviceRequest::enable_vertex_stores() {
  if (!core_.vertexPipelineStoresAndAtomics) return;
  set_core(&VkPhysicalDeviceFeatures::vertexPipelineStoresAndAtomics);
  facts.vertex_stores = !chain_.unknown();
}

void DeviceRequest::enable_fragment_stores() {
  if (!core_.fragmentStoresAndAtomics) return;
  set_core(&VkPhysicalDeviceFeatures::fragmentStoresAndAtomics);
  facts.fragment_stores = !chain_.unknown();
}

// Device scope needs a feature only if the application uses the Vulkan memory model.
void DeviceRequest::enable_memory_model_device_scope() {
  constexpr auto type = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES;
  if (!memory_model_.vulkanMemoryModelDeviceScope ||
      !app_sets(type, &VkPhysicalDeviceVulkanMemoryModelFeatures::vulkanMemoryModel,
                &VkPhysicalDeviceVulkan12Features::vulkanMemoryModel)) {
    return;
  }
  set_extended(type, &VkPhysicalDeviceVulkanMemoryModelFeatures::vulkanMemoryModelDeviceScope,
               &VkPhysicalDeviceVulkan12Features::vulkanMemoryModelDeviceScope);
  facts.memory_model_device_scope = !chain_.unknown();
}

void DeviceRequest::enable_host_import() {
  const bool for_stable_address =
      facts.is_cpu && instance_.settings.stable_addresses && !facts.stable_addresses;
  const Settings& settings = instance_.settings;
  const bool for_files = !settings.rescue_dir.empty() || !settings.trace_at.empty() || !settings.show.empty();
  if ((!for_files && !for_stable_address) || facts.host_import_alignment == 0) {
    facts.host_import_alignment = 0;
    return;
  }
  add_extension(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
}

// Pipelines whose sets are in descriptor buffers get their action records as push descriptors.
void DeviceRequest::enable_pushed_records() {
  constexpr auto type = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT;
  constexpr auto type_14 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES;
  const auto enabled = chain_.find<VkPhysicalDeviceDescriptorBufferFeaturesEXT>(type);
  if (!instance_.possible.sync || !enabled || !enabled->descriptorBuffer ||
      !buffer_features_.descriptorBufferPushDescriptors || !buffer_properties_.bufferlessPushDescriptors ||
      !has_extension(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME)) {
    return;
  }
  if (!enabled->descriptorBufferPushDescriptors) {
    const auto copy = chain_.edit<VkPhysicalDeviceDescriptorBufferFeaturesEXT>(type);
    if (!copy) return;
    copy->descriptorBufferPushDescriptors = VK_TRUE;
  }
  // An application that uses the 1.4 structure must enable the feature there if the extension is enabled.
  const auto in_14 = chain_.find<VkPhysicalDeviceVulkan14Features>(type_14);
  if (in_14 && !in_14->pushDescriptor) {
    const auto copy = chain_.edit<VkPhysicalDeviceVulkan14Features>(type_14);
    if (!copy) return;
    copy->pushDescriptor = VK_TRUE;
  }
  add_extension(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
  facts.pushed_records = true;
  facts.descriptor_sizes = buffer_properties_;
  facts.descriptor_sizes.pNext = nullptr;
  const auto features = chain_.find<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  facts.robust_descriptors = features
                                 ? features->features.robustBufferAccess
                                 : edited_.pEnabledFeatures && edited_.pEnabledFeatures->robustBufferAccess;
}

bool DeviceRequest::has_extension(std::string_view name) const {
  return std::ranges::any_of(available_extensions_, [&](const VkExtensionProperties& extension) {
    return name == extension.extensionName;
  });
}

bool DeviceRequest::app_enables(std::string_view extension) const {
  return std::ranges::any_of(extensions_, [&](const char* name) { return extension == name; });
}

void DeviceRequest::add_extension(const char* name) {
  if (!app_enables(name)) extensions_.push_back(name);
}

void DeviceRequest::set_core(VkBool32 VkPhysicalDeviceFeatures::*bit) {
  constexpr auto type = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  if (const auto features = chain_.find<VkPhysicalDeviceFeatures2>(type)) {
    if (features->features.*bit) return;
    if (const auto copy = chain_.edit<VkPhysicalDeviceFeatures2>(type)) copy->features.*bit = VK_TRUE;
    return;
  }
  if (edited_.pEnabledFeatures && edited_.pEnabledFeatures != &enabled_features_) {
    enabled_features_ = *edited_.pEnabledFeatures;
  }
  edited_.pEnabledFeatures = &enabled_features_;
  enabled_features_.*bit = VK_TRUE;
}

template <typename Dedicated>
void DeviceRequest::set_extended(VkStructureType type, VkBool32 Dedicated::*bit,
                                 VkBool32 VkPhysicalDeviceVulkan12Features::*in_12) {
  constexpr auto type_12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  // A chain must not have both structures.
  if (const auto all = chain_.find<VkPhysicalDeviceVulkan12Features>(type_12)) {
    if (all->*in_12) return;
    if (const auto copy = chain_.edit<VkPhysicalDeviceVulkan12Features>(type_12)) copy->*in_12 = VK_TRUE;
  } else if (const auto dedicated = chain_.find<Dedicated>(type)) {
    if (dedicated->*bit) return;
    if (const auto copy = chain_.edit<Dedicated>(type)) copy->*bit = VK_TRUE;
  } else {
    Dedicated added{};
    added.sType = type;
    added.*bit = VK_TRUE;
    chain_.prepend(arena_.make(added));
  }
}

template <typename Dedicated>
bool DeviceRequest::app_sets(VkStructureType type, VkBool32 Dedicated::*bit,
                             VkBool32 VkPhysicalDeviceVulkan12Features::*in_12) const {
  const auto all =
      chain_.find<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  if (all) return all->*in_12;
  const auto dedicated = chain_.find<Dedicated>(type);
  return dedicated && dedicated->*bit;
}

}  // namespace shaderqa::layer
