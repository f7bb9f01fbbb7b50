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
#include "layer/accesses/named_views.h"
#include "layer/memory/table_entry.h"
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

// The same of descriptors of which the bytes alone are known.
struct WrongViews {
  std::shared_ptr<const std::vector<uint32_t>> actions;  // as above, whatever they have bound
  uint32_t serial = 0;
  NamedViews::AllWrong views;
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
    NamedViews& views;
  };
  Locked use() { return {std::unique_lock(mutex_), map_, views_}; }
  void forget_all() { use().map.forget_all(); }

  // Bytes of a descriptor mean this view, whose image has this range, and a layout.
  void name_view(const TableEntry& entry, const VkImageSubresourceRange& range);

  void add_wrong(WrongDescriptor&& wrong);
  void add_wrong(WrongViews&& wrong);
  // What was wrong with the descriptor when the action was submitted with this serial.
  std::optional<WrongDescriptor> find_wrong(uint32_t action, uint32_t serial, uint32_t set,
                                            uint32_t slot) const;
  // code: of the layout that it names.
  std::optional<NamedViews::Wrong> find_wrong_view(uint32_t action, uint32_t serial, uint32_t view,
                                                   uint32_t code) const;
  // Whether the finding is the first one of its kind.
  bool is_new(const std::string& finding);

 private:
  static constexpr size_t kKeptWrong = 1024, kKeptWrongViews = 4096;

  mutable std::mutex mutex_;
  LayoutMap map_;
  NamedViews views_;
  std::deque<WrongDescriptor> wrong_;  // the latest first
  std::deque<WrongViews> wrong_views_;
  std::unordered_set<std::string> found_;
};

}  // namespace shaderqa::layer
#endif
