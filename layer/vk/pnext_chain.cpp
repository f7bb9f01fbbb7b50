// SPDX-License-Identifier: Apache-2.0
#include "layer/vk/pnext_chain.h"

#include <vulkan/vk_layer.h>

namespace shaderqa::layer {

size_t size_of_structure(VkStructureType type) {
  switch (static_cast<uint32_t>(type)) {  // some are in no enumeration yet
    // The nodes of the loader are in every chain that creates an instance or a device.
    case VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO:
      return sizeof(VkLayerInstanceCreateInfo);
    case VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO:
      return sizeof(VkLayerDeviceCreateInfo);
#define PNEXT_SIZE(structure_type, structure) \
  case structure_type:                        \
    return sizeof(structure);
#include "layer/vk/pnext_sizes.inl"
#undef PNEXT_SIZE
// Structures that are newer than the headers, and their bytes on 64-bit systems.
#define PNEXT_SIZE_NEWER(structure_type, bytes) \
  case structure_type:                          \
    return sizeof(void*) == 8 ? (bytes) : 0;
#include "layer/vk/pnext_sizes_newer.inl"
#undef PNEXT_SIZE_NEWER
    default:
      return 0;
  }
}

void* EditableChain::edit_structure(VkStructureType type) {
  if (!find<void>(type)) return nullptr;
  const void* uncopied = last_copy_ ? next_structure(last_copy_) : head_;
  for (const void* node = head_; node != uncopied; node = next_structure(node)) {
    if (type_of_structure(node) == type) return const_cast<void*>(node);
  }
  for (;; uncopied = next_structure(uncopied)) {
    const VkStructureType copied_type = type_of_structure(uncopied);
    const size_t size = size_of_structure(copied_type);
    if (size == 0) {
      unknown_ = copied_type;
      return nullptr;
    }
    void* copy = arena_.copy_bytes(uncopied, size);
    if (last_copy_) {
      link_structure(last_copy_, copy);
    } else {
      head_ = copy;
    }
    last_copy_ = copy;
    if (copied_type == type) return copy;
  }
}

}  // namespace shaderqa::layer
