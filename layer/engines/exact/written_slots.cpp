// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/written_slots.h"

#include <algorithm>

#include "layer/engines/exact/exact_engine.h"
#include "layer/loader/device.h"
#include "layer/recording/bind_state.h"

namespace shaderqa::layer {
namespace {

// Of larger arrays any element may be written: then everything may.
constexpr uint32_t kMostDescriptors = 64;

bool writes(const CheckSite& site) {
  return site.check == SQA_CHECK_HAZARD &&
         (site.access == SQA_ACCESS_STORE || site.access == SQA_ACCESS_ATOMIC);
}

void mark(ExactEngine& engine, const TableEntry& entry) {
  if (entry.address != 0) engine.mark_written(entry.address);
}

}  // namespace

void WrittenSlots::add(const ShaderRecord& record, const std::vector<DescriptorSlots>& descriptors) {
  for (const CheckSite& site : record.check_sites) {
    if (!writes(site)) continue;
    const auto found = std::ranges::find_if(descriptors, [&](const DescriptorSlots& slots) {
      return slots.set == site.set && slots.binding == site.binding;
    });
    if (found == descriptors.end()) continue;
    const std::lock_guard lock(mutex_);
    if (std::ranges::find(slots_, *found) == slots_.end()) slots_.push_back(*found);
  }
}

std::vector<DescriptorSlots> WrittenSlots::slots() const {
  const std::lock_guard lock(mutex_);
  return slots_;
}

bool writes_by_address(const ShaderRecord& record) {
  return std::ranges::any_of(record.check_sites, [](const CheckSite& site) {
    return writes(site) && site.set == UINT32_MAX && site.binding == UINT32_MAX;
  });
}

void mark_written(Device& device, const Binds& bound) {
  ExactEngine& engine = *device.exact;
  if (!bound.checked) return engine.mark_everything_written();  // shader objects
  for (const DescriptorSlots& slots : bound.checked->layout->written->slots()) {
    if (slots.count > kMostDescriptors) return engine.mark_everything_written();
    const BoundTable table = bound_table(device, bound, slots.set);
    for (uint32_t i = slots.slot; i < slots.slot + slots.count && i < table.slots(); ++i)
      mark(engine, table.load(i));
  }
}

}  // namespace shaderqa::layer
