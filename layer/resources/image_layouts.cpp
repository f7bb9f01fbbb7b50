// SPDX-License-Identifier: Apache-2.0
#include "layer/resources/image_layouts.h"

#include <algorithm>
#include <utility>

namespace shaderqa::layer {

void ImageLayouts::add(const ImageTable::Image& image) {
  // Layers of a barrier may be slices of it.
  if (image.grid.is_sliced()) return;
  use().map.add(image.address,
                {image.grid.aspects(), image.grid.levels(), image.grid.layers(), image.initial});
}

void ImageLayouts::remove(uint64_t image) { use().map.remove(image); }

void ImageLayouts::add_wrong(WrongDescriptor&& wrong) {
  const std::lock_guard lock(mutex_);
  wrong_.push_front(std::move(wrong));
  if (wrong_.size() > kKeptWrong) wrong_.pop_back();
}

std::optional<WrongDescriptor> ImageLayouts::find_wrong(uint32_t action, uint32_t serial, uint32_t set,
                                                        uint32_t slot) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(wrong_, [&](const WrongDescriptor& one) {
    return one.serial == serial && one.set == set && one.slot == slot &&
           std::ranges::binary_search(*one.actions, action);
  });
  if (found == wrong_.end()) return std::nullopt;
  return *found;
}

bool ImageLayouts::is_new(const std::string& finding) {
  const std::lock_guard lock(mutex_);
  return found_.insert(finding).second;
}

}  // namespace shaderqa::layer
