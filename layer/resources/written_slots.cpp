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
  if (record.logs_reads) logs_reads_.store(true, std::memory_order_release);
  for (const CheckSite& site : record.check_sites) {
    if (!writes(site)) continue;
    const auto found = std::ranges::find_if(descriptors, [&](const DescriptorSlots& slots) {
      return slots.set == site.set && slots.binding == site.binding;
    });
    if (found == descriptors.end()) continue;
    const std::lock_guard lock(mutex_);
    auto slots = std::ranges::find_if(
        slots_, [&](const Slots& known) { return static_cast<const DescriptorSlots&>(known) == *found; });
    const bool is_new = slots == slots_.end();
    if (!is_new && (slots->parts || !site.parts)) continue;
    if (is_new) slots = slots_.insert(slots, {*found, false});
    slots->parts = slots->parts || site.parts;
    version_.fetch_add(1, std::memory_order_release);
  }
}

std::vector<WrittenSlots::Slots> WrittenSlots::slots() const {
  const std::lock_guard lock(mutex_);
  return slots_;
}

bool writes_parts(const ShaderRecord& record) {
  return std::ranges::any_of(record.check_sites,
                             [](const CheckSite& site) { return writes(site) && site.parts; });
}

bool writes_by_address(const ShaderRecord& record) {
  return std::ranges::any_of(record.check_sites, [](const CheckSite& site) {
    return writes(site) && site.set == UINT32_MAX && site.binding == UINT32_MAX;
  });
}

}  // namespace shaderqa::layer
