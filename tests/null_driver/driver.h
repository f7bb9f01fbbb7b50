// What the null driver's files share.
#ifndef SHADERQA_TESTS_NULL_DRIVER_DRIVER_H
#define SHADERQA_TESTS_NULL_DRIVER_DRIVER_H

#include <vulkan/vk_icd.h>

#include <type_traits>

#include "null_driver.h"

namespace null_driver {

namespace commands {
#define COMMAND(name) std::remove_pointer_t<PFN_vk##name> name;
#define ALIAS(alias, name)
#include "commands.inl"
#undef COMMAND
#undef ALIAS
}  // namespace commands

Control& control();
// Counts the call; the fault to return, or VK_SUCCESS.
VkResult called(const char* command);
PFN_vkVoidFunction find_command(const char* name);

// The loader writes its dispatch pointer into the first word of every dispatchable object.
struct Dispatchable {
  VK_LOADER_DATA loader{};
  Dispatchable() { set_loader_magic_value(&loader); }
};

struct Memory {
  std::byte* data = nullptr;
  bool imported = false;
};

struct Buffer {
  VkDeviceSize size = 0;
  std::byte* address = nullptr;
};

struct Module {
  std::vector<uint32_t> words;
};

// Non-dispatchable handles are pointers to these.
template <typename Handle, typename Object>
Handle to_handle(Object* object) {
  return reinterpret_cast<Handle>(object);
}
template <typename Object, typename Handle>
Object* from_handle(Handle handle) {
  return reinterpret_cast<Object*>(handle);
}

void made(const char* kind);
void destroyed(const char* kind);

template <typename Struct>
const Struct* find(const void* chain, VkStructureType type) {
  for (auto* node = static_cast<const VkBaseInStructure*>(chain); node != nullptr; node = node->pNext)
    if (node->sType == type) return reinterpret_cast<const Struct*>(node);
  return nullptr;
}
std::vector<VkStructureType> chain_of(const void* chain);

}  // namespace null_driver
#endif
