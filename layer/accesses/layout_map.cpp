// SPDX-License-Identifier: Apache-2.0
#include "layer/accesses/layout_map.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace shaderqa::layer {
namespace {

// A layout that has several names has one here. Those for depth and stencil together say something of each.
VkImageLayout for_aspect(VkImageAspectFlags aspect, VkImageLayout layout) {
  const bool depth = aspect == VK_IMAGE_ASPECT_DEPTH_BIT, stencil = aspect == VK_IMAGE_ASPECT_STENCIL_BIT;
  if (!depth && !stencil) {
    if (layout == VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL) return VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    if (layout == VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL) return VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    return layout;
  }
  switch (layout) {
    case VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL:
      return VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL;
    case VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL:
      return VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL;
    case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL:
      return depth ? VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL : VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL;
    case VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL:
      return depth ? VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL : VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL;
    case VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL:
      return depth ? VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL : layout;
    case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL:
      return depth ? VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL : layout;
    case VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL:
      return stencil ? VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL : layout;
    case VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL:
      return stencil ? VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL : layout;
    default:
      return layout;
  }
}

// It is about the other aspect alone, so it says nothing of this one.
bool is_of_other_aspect(VkImageAspectFlags aspect, VkImageLayout layout) {
  const bool of_depth =
      layout == VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL || layout == VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL;
  const bool of_stencil = layout == VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL ||
                          layout == VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL;
  return aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? of_depth : of_stencil;
}

// From a base on, `count` of `all`; 0: as many as there are.
uint32_t end_of(uint32_t base, uint32_t count, uint32_t all) {
  return static_cast<uint32_t>(std::min<uint64_t>(uint64_t{base} + count, all));
}

}  // namespace

bool same_layout(VkImageAspectFlags aspect, VkImageLayout one, VkImageLayout other) {
  return is_of_other_aspect(aspect, one) || is_of_other_aspect(aspect, other) ||
         for_aspect(aspect, one) == for_aspect(aspect, other);
}

template <typename Each>
void LayoutMap::for_each(const Shape& shape, const VkImageSubresourceRange& range, const Each& each) {
  const uint32_t levels = end_of(range.baseMipLevel, range.levelCount, shape.levels);
  const uint32_t layers = end_of(range.baseArrayLayer, range.layerCount, shape.layers);
  // The colour of a format with several planes stands for all of them.
  const VkImageAspectFlags named =
      range.aspectMask & VK_IMAGE_ASPECT_COLOR_BIT ? shape.aspects : range.aspectMask;
  size_t before = 0;  // states of the aspects before this one
  for (VkImageAspectFlags rest = shape.aspects; rest; rest &= rest - 1) {
    const VkImageAspectFlags aspect = VkImageAspectFlags{1} << std::countr_zero(rest);
    if (named & aspect)
      for (uint32_t level = range.baseMipLevel; level < levels; ++level)
        for (uint32_t layer = range.baseArrayLayer; layer < layers; ++layer)
          if (!each(aspect, level, layer, before + size_t{level} * shape.layers + layer)) return;
    before += size_t{shape.levels} * shape.layers;
  }
}

// Few of them are as many as there may be: who asks does so for each submission.
void LayoutMap::change(uint64_t image) {
  constexpr size_t most = 4096;
  ++version_;
  if (changes_.all) return;
  changes_.images.insert(image);
  if (changes_.images.size() > most) changes_ = {};
}

LayoutMap::Changes LayoutMap::take_changes() {
  Changes taken{false, {}};
  std::swap(taken, changes_);
  return taken;
}

void LayoutMap::add(uint64_t image, const Shape& shape) {
  change(image);
  Image& added = images_[image];
  added.shape = shape;
  const auto aspects = static_cast<size_t>(std::popcount(shape.aspects));
  added.states.assign(aspects * shape.levels * shape.layers, State{true, shape.initial, nullptr});
}

void LayoutMap::put(uint64_t image, const VkImageSubresourceRange& range, VkImageLayout layout,
                    LayoutOriginRef by) {
  const auto found = images_.find(image);
  if (found == images_.end()) return;
  change(image);
  for_each(found->second.shape, range, [&](VkImageAspectFlags aspect, uint32_t, uint32_t, size_t at) {
    State& state = found->second.states[at];
    // What this leaves the aspect in is not said.
    state = is_of_other_aspect(aspect, layout) ? State{false, layout, nullptr} : State{true, layout, by};
    return true;
  });
}

void LayoutMap::forget(uint64_t image, const VkImageSubresourceRange& range) {
  const auto found = images_.find(image);
  if (found == images_.end()) return;
  change(image);
  for_each(found->second.shape, range, [&](VkImageAspectFlags, uint32_t, uint32_t, size_t at) {
    found->second.states[at] = {false, VK_IMAGE_LAYOUT_UNDEFINED, nullptr};
    return true;
  });
}

void LayoutMap::forget_all() {
  ++version_;
  changes_ = {};
  for (auto& [number, image] : images_)
    for (State& state : image.states) state = {false, VK_IMAGE_LAYOUT_UNDEFINED, nullptr};
}

std::optional<FoundLayout> LayoutMap::find_other(uint64_t image, const VkImageSubresourceRange& range,
                                                 VkImageLayout named) const {
  std::optional<FoundLayout> other;
  const auto found = images_.find(image);
  if (found == images_.end()) return other;
  for_each(found->second.shape, range,
           [&](VkImageAspectFlags aspect, uint32_t level, uint32_t layer, size_t at) {
             const State& state = found->second.states[at];
             if (state.known && !same_layout(aspect, state.layout, named))
               other = FoundLayout{aspect, level, layer, state.layout, state.by};
             return !other;
           });
  return other;
}

}  // namespace shaderqa::layer
