// SPDX-License-Identifier: Apache-2.0
#include "layer/resources/written_slots.h"

#include <algorithm>

#include "instrument/runtime/abi_report.h"

namespace shaderqa::layer {
namespace {

bool writes(const CheckSite& site) {
  return site.check == SQA_CHECK_HAZARD &&
         (site.access == SQA_ACCESS_STORE || site.access == SQA_ACCESS_ATOMIC);
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
    count_.store(slots_.size(), std::memory_order_release);
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

}  // namespace shaderqa::layer
