// SPDX-License-Identifier: Apache-2.0
#include "layer/accesses/named_views.h"

#include <algorithm>
#include <utility>

namespace shaderqa::layer {
namespace {

bool is_same(const VkImageSubresourceRange& one, const VkImageSubresourceRange& other) {
  return one.aspectMask == other.aspectMask && one.baseMipLevel == other.baseMipLevel &&
         one.levelCount == other.levelCount && one.baseArrayLayer == other.baseArrayLayer &&
         one.layerCount == other.layerCount;
}

}  // namespace

void NamedViews::name(const Named& named, const VkImageSubresourceRange& range) {
  View& view = views_[named.view];
  if (view.image != named.image || !is_same(view.range, range)) {
    if (const auto before = of_image_.find(view.image); before != of_image_.end())
      before->second.erase(named.view);
    changed_.insert(view.image);
    view = {named.image, range, {}};
    of_image_[named.image].insert(named.view);
  }
  if (std::ranges::find(view.named, named.code, &Named::code) != view.named.end()) return;
  view.named.push_back(named);
  changed_.insert(named.image);
}

void NamedViews::remove(uint64_t image) {
  const auto views = of_image_.find(image);
  if (views == of_image_.end()) return;
  for (const uint32_t number : views->second) views_.erase(number);
  of_image_.erase(views);
  changed_.insert(image);
}

void NamedViews::compare(const LayoutMap& map, uint64_t image) {
  wrong_.erase(image);
  const auto numbers = of_image_.find(image);
  if (numbers == of_image_.end()) return;
  std::vector<Wrong> wrong;
  for (const uint32_t number : numbers->second) {
    const View& view = views_.at(number);
    for (const Named& named : view.named)
      if (auto is = map.find_other(image, view.range, named.layout)) wrong.push_back({named, *std::move(is)});
  }
  if (!wrong.empty()) wrong_.emplace(image, std::move(wrong));
}

NamedViews::AllWrong NamedViews::wrong(LayoutMap& map) {
  LayoutMap::Changes changes = map.take_changes();
  changes.images.merge(std::exchange(changed_, {}));
  if (changes.all) {
    for (const auto& [image, numbers] : of_image_) changes.images.insert(image);
    wrong_.clear();
  }
  bool any = changes.all;
  for (const uint64_t image : changes.images) {
    if (!of_image_.contains(image) && !wrong_.contains(image)) continue;
    compare(map, image);
    any = true;
  }
  if (!any) return all_;
  auto all = std::make_shared<std::vector<Wrong>>();
  for (const auto& [image, wrong] : wrong_) all->insert(all->end(), wrong.begin(), wrong.end());
  all_ = all->empty() ? nullptr : std::move(all);
  return all_;
}

}  // namespace shaderqa::layer
