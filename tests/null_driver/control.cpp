// The log, and the loader's way in.
#include <cstring>

#include "driver.h"

namespace null_driver {
namespace {

PFN_vkVoidFunction find_supported(const char* name) {
  Control& c = control();
  const std::lock_guard lock(c.mutex);
  return c.config.missing_commands.count(name) != 0 ? nullptr : find_command(name);
}

}  // namespace

Control& control() {
  // Never destroyed: threads of a layer may outlive main's statics.
  static Control* const instance = [] {
    auto* made_now = new Control;
    made_now->reset();
    return made_now;
  }();
  return *instance;
}

void Control::reset() {
  config = Config{};
  // The struct holds nothing but VkBool32.
  auto* bits = reinterpret_cast<VkBool32*>(&config.features);
  for (size_t i = 0; i < sizeof(VkPhysicalDeviceFeatures) / sizeof(VkBool32); ++i) bits[i] = VK_TRUE;
  instances.clear();
  devices.clear();
  pipelines.clear();
  shader_modules.clear();
  calls.clear();
  names.clear();
}

uint64_t Control::count(const std::string& command) {
  const std::lock_guard lock(mutex);
  const auto found = calls.find(command);
  return found == calls.end() ? 0 : found->second;
}

VkResult called(const char* command) {
  Control& c = control();
  const std::lock_guard lock(c.mutex);
  const uint64_t number = ++c.calls[command];
  const auto fault = c.config.faults.find(command);
  if (fault == c.config.faults.end()) return VK_SUCCESS;
  return fault->second.call == 0 || fault->second.call == number ? fault->second.result : VK_SUCCESS;
}

void made(const char* kind) {
  const std::lock_guard lock(control().mutex);
  ++control().alive[kind];
}

void destroyed(const char* kind) {
  const std::lock_guard lock(control().mutex);
  --control().alive[kind];
}

std::vector<VkStructureType> chain_of(const void* chain) {
  std::vector<VkStructureType> types;
  for (auto* node = static_cast<const VkBaseInStructure*>(chain); node != nullptr; node = node->pNext)
    if (node->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO &&
        node->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO)
      types.push_back(node->sType);
  return types;
}

PFN_vkVoidFunction find_command(const char* name) {
#define COMMAND(command) \
  if (std::strcmp(name, "vk" #command) == 0) return reinterpret_cast<PFN_vkVoidFunction>(commands::command);
#define ALIAS(alias, command) \
  if (std::strcmp(name, "vk" #alias) == 0) return reinterpret_cast<PFN_vkVoidFunction>(commands::command);
#include "commands.inl"
#undef COMMAND
#undef ALIAS
  return nullptr;
}

PFN_vkVoidFunction VKAPI_CALL commands::GetDeviceProcAddr(VkDevice, const char* name) {
  return find_supported(name);
}

}  // namespace null_driver

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED null_driver::Control& null_driver_control() { return null_driver::control(); }

EXPORTED VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version) {
  if (*version > 5) *version = 5;
  return VK_SUCCESS;
}

EXPORTED PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance, const char* name) {
  return null_driver::find_supported(name);
}

EXPORTED PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance, const char* name) {
  // Only physical-device commands may be answered here.
  if (std::strncmp(name, "vkGetPhysicalDevice", 19) != 0 && std::strncmp(name, "vkEnumerateDevice", 17) != 0)
    return nullptr;
  return null_driver::find_supported(name);
}
