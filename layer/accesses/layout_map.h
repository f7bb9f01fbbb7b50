// SPDX-License-Identifier: Apache-2.0
// Which layouts the subresources of images are in (docs/internals/images.md#layouts). Pure functions.
#ifndef SHADERQA_LAYER_ACCESSES_LAYOUT_MAP_H
#define SHADERQA_LAYER_ACCESSES_LAYOUT_MAP_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace shaderqa::layer {

// The command that changed a layout, for reports.
struct LayoutOrigin {
  const char* command = "";
  std::vector<std::string> labels;  // the outermost first
};
using LayoutOriginRef = std::shared_ptr<const LayoutOrigin>;

// A subresource, and the layout that it is in.
struct FoundLayout {
  VkImageAspectFlags aspect = 0;
  uint32_t level = 0, layer = 0;
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
  LayoutOriginRef by;  // null: the image was created so
};

// Whether what is in the one layout may be accessed as if it were in the other one: several names stand for
// one layout of an aspect.
bool same_layout(VkImageAspectFlags aspect, VkImageLayout one, VkImageLayout other);

// Images are numbers, which no other image has as long as this one lives. What is done to one that was not
// added is ignored.
class LayoutMap {
 public:
  struct Shape {
    VkImageAspectFlags aspects = 0;
    uint32_t levels = 1, layers = 1;
    VkImageLayout initial = VK_IMAGE_LAYOUT_UNDEFINED;
  };
  void add(uint64_t image, const Shape& shape);
  void remove(uint64_t image) {
    images_.erase(image);
    change(image);
  }

  void put(uint64_t image, const VkImageSubresourceRange& range, VkImageLayout layout, LayoutOriginRef by);
  // What the subresources are in is not known from now on.
  void forget(uint64_t image, const VkImageSubresourceRange& range);
  void forget_all();

  // The first of the subresources that is known to be in another layout.
  std::optional<FoundLayout> find_other(uint64_t image, const VkImageSubresourceRange& range,
                                        VkImageLayout named) const;
  // The images whose layouts have changed since the last call; the first time, all.
  struct Changes {
    bool all = true;  // those not named, too
    std::unordered_set<uint64_t> images;
  };
  Changes take_changes();
  // Another number after each change.
  uint64_t version() const { return version_; }

 private:
  struct State {
    bool known = true;
    VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
    LayoutOriginRef by;
  };
  struct Image {
    Shape shape;
    std::vector<State> states;  // aspect by aspect, level by level, layer by layer
  };
  template <typename Each>
  static void for_each(const Shape& shape, const VkImageSubresourceRange& range, const Each& each);

  void change(uint64_t image);

  std::unordered_map<uint64_t, Image> images_;
  uint64_t version_ = 1;
  Changes changes_;
};

}  // namespace shaderqa::layer
#endif
