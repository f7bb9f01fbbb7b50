// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/image_accesses.h"

#include <utility>
#include <vector>

#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/resources/image_table.h"

namespace shaderqa::layer {
namespace {

const ImageTable::Image* followed(const Device& device, VkImage handle) {
  const ImageTable::Image* const image = device.engine->needs.images ? device.images.find(handle) : nullptr;
  return image && image->is_followed() ? image : nullptr;
}

void add(CommandAccesses& accesses, const ImageTable::Image& image, const std::vector<MemoryRange>& ranges,
         bool writes) {
  for (MemoryRange range : ranges) {
    range.address += image.address;
    range.writes = writes;
    accesses.ranges.push_back(range);
  }
}

}  // namespace

void add_box(const Device& device, CommandAccesses& accesses, VkImage handle, const ImageBox& box,
             bool writes) {
  if (const ImageTable::Image* const image = followed(device, handle))
    add(accesses, *image, image->grid.region(box.subresources, box.offset, box.extent), writes);
}

void add_subresources(const Device& device, CommandAccesses& accesses, VkImage handle,
                      const VkImageSubresourceRange& range, bool writes) {
  if (const ImageTable::Image* const image = followed(device, handle))
    add(accesses, *image, image->grid.all_of(range), writes);
}

LayoutTransition transition_of(const Device& device, VkImage handle, const VkImageSubresourceRange& range,
                               VkImageLayout before, std::vector<Dependency> dependencies) {
  LayoutTransition transition;
  const ImageTable::Image* const image = followed(device, handle);
  const std::vector<ImageGrid::Part> parts =
      image ? image->grid.parts(range) : std::vector<ImageGrid::Part>();
  if (parts.empty()) return transition;
  transition.dependencies = std::move(dependencies);
  for (Dependency& dependency : transition.dependencies) {
    dependency.buffers = dependency.image = true;
    dependency.begin = image->address + parts.front().begin;
    dependency.end = image->address + parts.back().end;
  }
  transition.ranges = image->grid.spread_over(range);
  for (MemoryRange& one : transition.ranges) {
    one.address += image->address;
    one.writes = true;
  }
  if (before != VK_IMAGE_LAYOUT_UNDEFINED || !image->grid.is_all(range)) return transition;
  const ImageTable::Overwritten others = device.images.overwritten_by(*image);
  if (others.held.empty()) return transition;
  transition.ranges.insert(transition.ranges.end(), others.ranges.begin(), others.ranges.end());
  transition.others.assign(others.held.begin(), others.held.end());
  transition.image = device.images.text_of(handle);
  return transition;
}

}  // namespace shaderqa::layer
