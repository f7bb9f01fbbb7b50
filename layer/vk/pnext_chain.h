// SPDX-License-Identifier: Apache-2.0
// Reading and editing pNext chains. The layer never writes to the application's structures: an edit copies
// the chain up to and including the edited structure, and leaves the rest where it is.
#ifndef SHADERQA_LAYER_VK_PNEXT_CHAIN_H
#define SHADERQA_LAYER_VK_PNEXT_CHAIN_H

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include "layer/vk/arena.h"

namespace shaderqa::layer {

// 0 if the structure is newer than this build.
size_t size_of_structure(VkStructureType type);

// Links are accessed by memcpy, because structures declare them with different pointer types.
inline VkStructureType type_of_structure(const void* structure) {
  return static_cast<const VkBaseInStructure*>(structure)->sType;
}
inline const void* next_structure(const void* structure) {
  const void* next;
  std::memcpy(&next, static_cast<const std::byte*>(structure) + offsetof(VkBaseInStructure, pNext),
              sizeof next);
  return next;
}
inline void link_structure(void* structure, const void* next) {
  std::memcpy(static_cast<std::byte*>(structure) + offsetof(VkBaseInStructure, pNext), &next, sizeof next);
}

// A longer chain must be a ring, so the search ends after this many structures.
inline constexpr int kLongestChain = 1024;

template <typename T>
const T* find_in_chain(const void* chain, VkStructureType type) {
  for (int i = 0; chain && i < kLongestChain; chain = next_structure(chain), ++i) {
    if (type_of_structure(chain) == type) return static_cast<const T*>(chain);
  }
  return nullptr;
}

class EditableChain {
 public:
  EditableChain(const void* head, Arena& arena) : arena_(arena), head_(head) {}
  EditableChain(const EditableChain&) = delete;
  EditableChain& operator=(const EditableChain&) = delete;

  const void* head() const { return head_; }
  template <typename T>
  const T* find(VkStructureType type) const {
    return find_in_chain<T>(head_, type);
  }

  // A copy of the structure that may be written. Null: the chain has none, or the size of one before it is
  // not known, see unknown().
  template <typename T>
  T* edit(VkStructureType type) {
    return static_cast<T*>(edit_structure(type));
  }

  // `structure` must outlive the chain; its pNext is overwritten.
  void prepend(void* structure) {
    link_structure(structure, head_);
    head_ = structure;
    if (!last_copy_) last_copy_ = structure;
  }

  // The type of the structure that made an edit impossible.
  std::optional<VkStructureType> unknown() const { return unknown_; }
  // The same, for the edits since the last call.
  std::optional<VkStructureType> take_unknown() { return std::exchange(unknown_, std::nullopt); }

 private:
  void* edit_structure(VkStructureType type);

  Arena& arena_;
  const void* head_;
  void* last_copy_ = nullptr;  // the application's own structures follow it; null: they begin at head_
  std::optional<VkStructureType> unknown_;
};

}  // namespace shaderqa::layer
#endif
