// SPDX-License-Identifier: Apache-2.0
#include "layer/resources/image_layouts.h"

#include <algorithm>
#include <utility>

#include "instrument/runtime/abi_image.h"
#include "layer/vk/layout_names.h"

namespace shaderqa::layer {

void ImageLayouts::add(const ImageTable::Image& image) {
  // Layers of a barrier may be slices of it.
  if (image.grid.is_sliced()) return;
  use().map.add(image.address,
                {image.grid.aspects(), image.grid.levels(), image.grid.layers(), image.initial});
}

void ImageLayouts::remove(uint64_t image) {
  const Locked layouts = use();
  layouts.map.remove(image);
  layouts.views.remove(image);
}

void ImageLayouts::name_view(const TableEntry& entry, const VkImageSubresourceRange& range) {
  const uint32_t code = entry.meta & SQA_TABLE_LAYOUT;
  if (!(entry.meta & SQA_TABLE_IMAGE) || !entry.address || code == 0) return;
  use().views.name({entry.meta >> SQA_TABLE_VIEW_SHIFT, code, entry.address, descriptor_layout(code)}, range);
}

void ImageLayouts::add_wrong(WrongDescriptor&& wrong) {
  const std::lock_guard lock(mutex_);
  wrong_.push_front(std::move(wrong));
  if (wrong_.size() > kKeptWrong) wrong_.pop_back();
}

void ImageLayouts::add_wrong(WrongViews&& wrong) {
  const std::lock_guard lock(mutex_);
  wrong_views_.push_front(std::move(wrong));
  if (wrong_views_.size() > kKeptWrongViews) wrong_views_.pop_back();
}

std::optional<NamedViews::Wrong> ImageLayouts::find_wrong_view(uint32_t action, uint32_t serial,
                                                               uint32_t view, uint32_t code) const {
  const std::lock_guard lock(mutex_);
  for (const WrongViews& one : wrong_views_) {
    if (one.serial != serial || !std::ranges::binary_search(*one.actions, action)) continue;
    for (const NamedViews::Wrong& wrong : *one.views)
      if (wrong.named.view == view && wrong.named.code == code) return wrong;
  }
  return std::nullopt;
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
