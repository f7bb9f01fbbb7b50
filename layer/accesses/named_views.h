// SPDX-License-Identifier: Apache-2.0
// The layouts that descriptors name of which the bytes alone are known, in descriptor buffers and heaps, and
// those of them that images are not in (docs/internals/images.md#layouts). Pure functions.
#ifndef SHADERQA_LAYER_ACCESSES_NAMED_VIEWS_H
#define SHADERQA_LAYER_ACCESSES_NAMED_VIEWS_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "layer/accesses/layout_map.h"

namespace shaderqa::layer {

class NamedViews {
 public:
  // What descriptors of a view say, as the tables of their bytes have it.
  struct Named {
    uint32_t view = 0;  // number of its record
    uint32_t code = 0;  // descriptor_layout_code() of the layout
    uint64_t image = 0;
    VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
  };
  struct Wrong {
    Named named;
    FoundLayout is;
  };
  using AllWrong = std::shared_ptr<const std::vector<Wrong>>;  // null: none

  // A number that another view had before is this one's.
  void name(const Named& named, const VkImageSubresourceRange& range);
  void remove(uint64_t image);
  bool empty() const { return views_.empty(); }
  // Those whose image is in another layout now.
  AllWrong wrong(LayoutMap& map);

 private:
  struct View {
    uint64_t image = 0;
    VkImageSubresourceRange range{};
    std::vector<Named> named;  // by layout
  };
  void compare(const LayoutMap& map, uint64_t image);

  std::unordered_map<uint32_t, View> views_;                             // by number
  std::unordered_map<uint64_t, std::unordered_set<uint32_t>> of_image_;  // numbers
  std::unordered_set<uint64_t> changed_;  // images of which something was said since the last comparison
  std::map<uint64_t, std::vector<Wrong>> wrong_;  // by image
  AllWrong all_;
};

}  // namespace shaderqa::layer
#endif
