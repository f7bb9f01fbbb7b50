// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/own_elements.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "instrument/accesses/invocation_indices.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_report.h"

namespace shaderqa {
namespace {

using Root = ResolvedPointer::Root;

// Number of invocations of a workgroup that is a row; 0: it is not a row, or the size may change.
uint32_t row_size(const ModuleView& module, const EntryPoint& entry_point) {
  const auto size = workgroup_size(module, entry_point);
  return size && (*size)[1] == 1 && (*size)[2] == 1 ? (*size)[0] : 0;
}

// What one invocation touches of a binding, relative to its element.
struct Window {
  bool own = true;  // until a reason against it is found
  uint32_t factor = 0;
  int64_t begin = INT64_MAX, end = INT64_MIN;
  std::vector<BufferAccess*> stores;
};

void add(Window& window, BufferAccess& access, const InvocationIndices& values) {
  const bool known = access.access == SQA_ACCESS_LOAD || access.access == SQA_ACCESS_STORE;
  if (!known || access.runs.empty()) {
    window.own = false;
    return;
  }
  uint32_t factor = 0, constant = access.place.offset;
  for (const ScaledIndex& index : access.place.indices) {
    const InvocationIndex value = values.of(index.id);
    const auto along_x = value.factor_of(0);
    if (!along_x) {
      window.own = false;
      return;
    }
    factor += *along_x * index.stride;
    constant += value.constant * index.stride;
  }
  if (window.factor == 0) window.factor = factor;
  window.own = window.own && factor != 0 && factor == window.factor;
  for (const MemoryRun& run : access.runs) {
    const int64_t begin = int64_t{static_cast<int32_t>(constant)} + run.offset;
    window.begin = std::min(window.begin, begin & ~int64_t{3});
    window.end = std::max(window.end, (begin + run.size + 3) & ~int64_t{3});
  }
  if (access.access == SQA_ACCESS_STORE) window.stores.push_back(&access);
}

}  // namespace

void find_own_elements(std::span<BufferAccess> accesses, const ModuleView& module,
                       const Decorations& decorations, const EntryPoint& entry_point) {
  const uint32_t size = row_size(module, entry_point);
  if (entry_point.stage != Stage::compute || size == 0) return;
  // Pointers may lead anywhere.
  if (std::ranges::any_of(accesses, [](const auto& one) { return one.place.root != Root::descriptor; }))
    return;
  const InvocationIndices values(module, decorations);
  // Variables of one binding are the same memory.
  std::map<std::pair<uint32_t, uint32_t>, Window> windows;
  for (BufferAccess& access : accesses) {
    const auto set = decorations.find(access.place.variable, spv::Decoration::DescriptorSet);
    const auto binding = decorations.find(access.place.variable, spv::Decoration::Binding);
    add(windows[{set.value_or(0), binding.value_or(0)}], access, values);
  }
  for (const auto& [binding, window] : windows) {
    if (!window.own || window.factor % 4 != 0 || window.end - window.begin > int64_t{window.factor} ||
        uint64_t{window.factor} * size > SQA_MOST_OWN_BYTES)
      continue;
    for (BufferAccess* store : window.stores) store->own = true;
  }
}

}  // namespace shaderqa
