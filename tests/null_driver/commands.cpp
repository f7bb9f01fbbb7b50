// SPDX-License-Identifier: Apache-2.0
// The driver's interface to the loader, version 5, and the lookup of commands.
#include "tests/null_driver/commands.h"

#include <vulkan/vk_icd.h>

#include <algorithm>
#include <cstring>

#include "tests/null_driver/state.h"

namespace shaderqa::null_driver {
namespace {

template <typename Function>
PFN_vkVoidFunction erase_type(Function* function) {
  return reinterpret_cast<PFN_vkVoidFunction>(function);
}

std::vector<Command> make_commands() {
  constexpr uint32_t never = UINT32_MAX;
  std::vector<Command> all;
#define ADD(level, command) all.push_back({"vk" #command, erase_type(command), level, 0, nullptr});
#define ADD_PROMOTED(level, command, alias, minor, extension)                                               \
  all.push_back({"vk" #command, erase_type(command), level, VK_MAKE_API_VERSION(0, 1, minor, 0), nullptr}); \
  all.push_back({"vk" #alias, erase_type(command), level, never, extension});
#define ADD_GLOBAL(command) ADD(Level::global, command)
#define ADD_INSTANCE(command) ADD(Level::instance, command)
#define ADD_PHYSICAL_DEVICE(command) ADD(Level::physical_device, command)
#define ADD_DEVICE(command) ADD(Level::device, command)
#define ADD_PROMOTED_PHYSICAL_DEVICE(...) ADD_PROMOTED(Level::physical_device, __VA_ARGS__)
#define ADD_PROMOTED_DEVICE(...) ADD_PROMOTED(Level::device, __VA_ARGS__)
#define ADD_EXTENSION(command, extension) \
  all.push_back({"vk" #command, erase_type(command), Level::device, never, extension});
  NULL_DRIVER_GLOBAL(ADD_GLOBAL)
  NULL_DRIVER_INSTANCE(ADD_INSTANCE)
  NULL_DRIVER_PHYSICAL_DEVICE(ADD_PHYSICAL_DEVICE)
  NULL_DRIVER_DEVICE(ADD_DEVICE)
  NULL_DRIVER_PROMOTED_PHYSICAL_DEVICE(ADD_PROMOTED_PHYSICAL_DEVICE)
  NULL_DRIVER_PROMOTED_DEVICE(ADD_PROMOTED_DEVICE)
  NULL_DRIVER_EXTENSION(ADD_EXTENSION)
  return all;
}

const Command* find_offered(const char* name) {
  const std::lock_guard lock(state().mutex);
  return state().settings.missing_commands.contains(name) ? nullptr : find_command(name);
}

bool is_quiet() {
  const std::lock_guard lock(state().mutex);
  return state().settings.quiet;
}

bool available(const Command& command, uint32_t version, const std::set<std::string>& extensions) {
  return version >= command.version || (command.extension && extensions.contains(command.extension));
}

VKAPI_ATTR void VKAPI_CALL do_nothing() {}

// Commands that return nothing, of which programs call many.
bool is_hot(const std::string& name) {
  return name.starts_with("vkCmd") || name.starts_with("vkUpdateDescriptorSet");
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all = make_commands();
  return all;
}

const Command* find_command(const char* name) {
  const auto found = std::find_if(commands().begin(), commands().end(),
                                  [name](const Command& command) { return command.name == name; });
  return found == commands().end() ? nullptr : &*found;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char* name) {
  const Command* command = find_offered(name);
  if (!command) return nullptr;
  if (!instance) return command->level == Level::global ? command->function : nullptr;
  auto self = reinterpret_cast<Instance*>(instance);
  // Commands of devices are there as long as some device could have them.
  const bool there =
      command->level == Level::device || available(*command, self->api_version, self->extensions);
  return there ? command->function : nullptr;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name) {
  const Command* command = find_offered(name);
  if (!command) return nullptr;
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return command->function;
  if (command->level != Level::device) return nullptr;
  auto self = reinterpret_cast<Device*>(device);
  const bool by_instance = self->instance->extensions.contains(command->extension ? command->extension : "");
  if (!by_instance && !available(*command, self->api_version, self->extensions)) return nullptr;
  return is_quiet() && is_hot(command->name) ? erase_type(do_nothing) : command->function;
}

}  // namespace shaderqa::null_driver

using shaderqa::null_driver::Level;

extern "C" {

// The declarations are in vk_icd.h, but for their visibility.
__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version) {
  if (*version < 5) return VK_ERROR_INCOMPATIBLE_DRIVER;
  *version = 5;
  return VK_SUCCESS;
}

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr(VkInstance instance, const char* name) {
  return shaderqa::null_driver::GetInstanceProcAddr(instance, name);
}

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char* name) {
  const auto command = shaderqa::null_driver::find_command(name);
  if (!command || command->level != Level::physical_device) return nullptr;
  return shaderqa::null_driver::GetInstanceProcAddr(instance, name);
}
}
