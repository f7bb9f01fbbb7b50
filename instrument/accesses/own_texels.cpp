// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/own_texels.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "instrument/accesses/invocation_indices.h"
#include "instrument/ir/workgroup_size.h"
#include "instrument/runtime/abi_report.h"

namespace shaderqa {
namespace {

using Root = ResolvedPointer::Root;

// What the shader does with the images of a binding.
struct Window {
  bool own = true;  // until a reason against it is found
  bool any = false;
  std::array<uint32_t, 2> constants{};  // that are added to the invocation's x and y
  std::vector<ImageAccess*> stores;
};

void add(Window& window, ImageAccess& access, const InvocationIndices& values) {
  const bool known = access.access == SQA_ACCESS_LOAD || access.access == SQA_ACCESS_STORE;
  if (!known || access.sampled || access.input || access.offset != 0) window.own = false;
  for (uint32_t axis = 0; axis < 2 && window.own; ++axis) {
    const InvocationIndex value = values.of(access.coordinate, axis);
    const bool own = value.factor_of(axis) == 1;
    window.own = own && (!window.any || value.constant == window.constants[axis]);
    if (own) window.constants[axis] = value.constant;
  }
  window.any = true;
  if (access.access == SQA_ACCESS_STORE) window.stores.push_back(&access);
}

}  // namespace

void find_own_texels(ImageAccesses& images, const ModuleView& module, const Decorations& decorations,
                     const EntryPoint& entry_point, const InvocationIndices::Constants& constants) {
  const auto size = workgroup_size(module, decorations, entry_point.function, constants);
  if (entry_point.stage != Stage::compute || size[2] != 1) return;
  // It is not known which image these are.
  if (images.unknown_place != 0 || images.unfollowed != 0) return;
  if (std::ranges::any_of(images.accesses,
                          [](const ImageAccess& one) { return one.place.root != Root::descriptor; }))
    return;
  const InvocationIndices values(module, decorations, {}, constants);
  // Variables of one binding are the same images.
  std::map<std::pair<uint32_t, uint32_t>, Window> windows;
  for (ImageAccess& access : images.accesses) {
    const auto set = decorations.find(access.place.variable, spv::Decoration::DescriptorSet);
    const auto binding = decorations.find(access.place.variable, spv::Decoration::Binding);
    add(windows[{set.value_or(0), binding.value_or(0)}], access, values);
  }
  for (const auto& [binding, window] : windows)
    for (ImageAccess* store : window.stores) store->own = window.own;
}

}  // namespace shaderqa
