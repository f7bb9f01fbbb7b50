// SPDX-License-Identifier: Apache-2.0
#include "layer/context/hook_table.h"

#include <string_view>

namespace shaderqa::layer {
namespace {

// A table of function pointers of different types needs casts; the declarations have checked the types.
template <typename Function>
PFN_vkVoidFunction erase_type(Function* function) {
  return reinterpret_cast<PFN_vkVoidFunction>(function);
}

template <typename Function>
void load_command(Function& command, PFN_vkVoidFunction loaded) {
  if (!command) command = reinterpret_cast<Function>(loaded);
}

uint32_t group_of_device_hook(std::string_view name) {
#define SHADERQA_GROUP(command, group) \
  if (name == "vk" #command) return group;
  SHADERQA_DEVICE_HOOKS(SHADERQA_GROUP)
#undef SHADERQA_GROUP
  return 0;
}

}  // namespace

void DeviceCommands::load(VkDevice device, PFN_vkGetDeviceProcAddr next) {
#define SHADERQA_LOAD(command, ...) load_command(command, next(device, "vk" #command));
#define SHADERQA_LOAD_ALIAS(alias, command) load_command(command, next(device, "vk" #alias));
  SHADERQA_DEVICE_HOOKS(SHADERQA_LOAD)
  SHADERQA_UNFOLLOWED_COMMANDS(SHADERQA_LOAD)
  SHADERQA_DEVICE_CALLS(SHADERQA_LOAD)
  SHADERQA_DEVICE_HOOK_ALIASES(SHADERQA_LOAD_ALIAS)
  SHADERQA_DEVICE_CALL_ALIASES(SHADERQA_LOAD_ALIAS)
#undef SHADERQA_LOAD_ALIAS
#undef SHADERQA_LOAD
}

void InstanceCommands::load(VkInstance instance, PFN_vkGetInstanceProcAddr next) {
#define SHADERQA_LOAD(command, ...) load_command(command, next(instance, "vk" #command));
  SHADERQA_INSTANCE_HOOKS(SHADERQA_LOAD)
  SHADERQA_INSTANCE_CALLS(SHADERQA_LOAD)
#undef SHADERQA_LOAD
}

#define SHADERQA_FIND(command, group)          \
  if (name == std::string_view("vk" #command)) \
    return (groups & (group)) ? erase_type(hooks::command) : nullptr;

PFN_vkVoidFunction find_global_hook(const char* name) {
  constexpr uint32_t groups = kHookAlways;
  SHADERQA_GLOBAL_HOOKS(SHADERQA_FIND)
  return nullptr;
}

PFN_vkVoidFunction find_instance_hook(const char* name, uint32_t groups) {
  SHADERQA_INSTANCE_HOOKS(SHADERQA_FIND)
  return nullptr;
}

PFN_vkVoidFunction find_device_hook(const char* name, uint32_t groups) {
  SHADERQA_FIND(GetDeviceProcAddr, kHookAlways)
  SHADERQA_DEVICE_HOOKS(SHADERQA_FIND)
#define SHADERQA_FIND_ALIAS(alias, command)  \
  if (name == std::string_view("vk" #alias)) \
    return (groups & group_of_device_hook("vk" #command)) ? erase_type(hooks::command) : nullptr;
  SHADERQA_DEVICE_HOOK_ALIASES(SHADERQA_FIND_ALIAS)
#undef SHADERQA_FIND_ALIAS
#define SHADERQA_FIND_UNFOLLOWED(command) SHADERQA_FIND(command, kHookOrder)
  SHADERQA_UNFOLLOWED_COMMANDS(SHADERQA_FIND_UNFOLLOWED)
#undef SHADERQA_FIND_UNFOLLOWED
  return nullptr;
}
#undef SHADERQA_FIND

}  // namespace shaderqa::layer
