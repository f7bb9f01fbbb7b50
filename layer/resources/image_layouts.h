// SPDX-License-Identifier: Apache-2.0
// The layouts that a device's images are in, in the order of submissions (docs/internals/images.md#layouts),
// and the descriptors that name other ones.
#ifndef SHADERQA_LAYER_RESOURCES_IMAGE_LAYOUTS_H
#define SHADERQA_LAYER_RESOURCES_IMAGE_LAYOUTS_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "layer/accesses/layout_map.h"
#include "layer/resources/image_table.h"

namespace shaderqa::layer {

// A descriptor with a layout that its image is not in. It is an error only if a shader accesses the image
// through it.
struct WrongDescriptor {
  std::shared_ptr<const std::vector<uint32_t>> actions;  // that have it bound, by number, in order
  uint32_t serial = 0;                                   // of the submission
  uint32_t set = 0, slot = 0;
  uint64_t image = 0;  // address
  VkImageLayout named = VK_IMAGE_LAYOUT_UNDEFINED;
  FoundLayout is;
};

// Thread-safe. Images are numbers: their addresses.
class ImageLayouts {
 public:
  // It has memory.
  void add(const ImageTable::Image& image);
  void remove(uint64_t image);

  struct Locked {
    std::unique_lock<std::mutex> lock;
    LayoutMap& map;
  };
  Locked use() { return {std::unique_lock(mutex_), map_}; }
  void forget_all() { use().map.forget_all(); }

  void add_wrong(WrongDescriptor&& wrong);
  // What was wrong with the descriptor when the action was submitted with this serial.
  std::optional<WrongDescriptor> find_wrong(uint32_t action, uint32_t serial, uint32_t set,
                                            uint32_t slot) const;
  // Whether the finding is the first one of its kind.
  bool is_new(const std::string& finding);

 private:
  static constexpr size_t kKeptWrong = 1024;

  mutable std::mutex mutex_;
  LayoutMap map_;
  std::deque<WrongDescriptor> wrong_;  // the latest first
  std::unordered_set<std::string> found_;
};

}  // namespace shaderqa::layer
#endif
