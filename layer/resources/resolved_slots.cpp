// SPDX-License-Identifier: Apache-2.0
#include "layer/resources/resolved_slots.h"

#include <algorithm>

#include "layer/resources/descriptor_bytes.h"
#include "layer/resources/pipeline_layouts.h"

namespace shaderqa::layer {
namespace {

// Descriptors of such bindings lead to buffers, or may do so.
bool leads_to_buffers(const BindingSlots& binding) {
  const uint32_t kind = descriptor_kind(binding.type);
  return binding.count != 0 && (kind <= SQA_DESCRIPTOR_STORAGE_TEXEL || kind == SQA_DESCRIPTOR_MUTABLE);
}

// No index chooses one, and its place and its kind are known.
bool is_resolved(const BindingSlots& binding) {
  return descriptor_kind(binding.type) <= SQA_DESCRIPTOR_STORAGE_TEXEL && binding.count == 1 &&
         !binding.variable_count && binding.buffer_offset != UINT32_MAX;
}

}  // namespace

void number_resolved(PipelineLayout& layout) {
  uint32_t storage = 0, others = SQA_DIRECT_SLOTS;
  for (const bool first : {true, false}) {
    for (DescriptorSlots& slots : layout.descriptors) {
      const SetLayout* const set = layout.sets[slots.set].get();
      const BindingSlots* const binding = set && set->is_buffered() ? set->find(slots.binding) : nullptr;
      if (!binding || !is_resolved(*binding) || slots.direct != 0) continue;
      if (first) {
        if (binding->type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER && storage < SQA_DIRECT_SLOTS)
          slots.direct = ++storage;
      } else if (others < SQA_MOST_RESOLVED) {
        slots.direct = ++others;
      }
    }
  }
}

bool lie_alike(const SetLayout& one, const SetLayout& other) {
  return &one == &other ||
         std::ranges::equal(one.bindings, other.bindings, [](const BindingSlots& a, const BindingSlots& b) {
           return a.binding == b.binding && a.type == b.type && a.count == b.count &&
                  a.variable_count == b.variable_count && a.buffer_offset == b.buffer_offset &&
                  a.buffer_stride == b.buffer_stride;
         });
}

ResolvedList resolved_list(const PipelineLayout& layout) {
  ResolvedList list;
  list.dwords.resize(size_t{4} * (SQA_MOST_RESOLVED + 1));
  const std::vector<WrittenSlots::Slots> written = layout.written->slots();
  uint32_t count = 0;
  for (const DescriptorSlots& slots : layout.descriptors) {
    if (!(slots.slot & SQA_IN_BUFFER) || slots.direct == 0 || count == SQA_MOST_RESOLVED) continue;
    const bool writes =
        std::ranges::any_of(written, [&](const DescriptorSlots& one) { return one == slots; });
    uint32_t* const quad = list.dwords.data() + size_t{4} * ++count;
    quad[0] = slots.slot & ~uint32_t{SQA_IN_BUFFER};
    quad[1] = (slots.dynamic & ((1u << SQA_DESCRIPTOR_STRIDE_SHIFT) - 1)) |
              slots.set << SQA_RESOLVED_SET_SHIFT | slots.direct << SQA_RESOLVED_NUMBER_SHIFT;
    quad[2] = writes ? 1 : 0;
    list.writes = list.writes || writes;
  }
  list.dwords[0] = count;
  uint32_t leading = 0;
  for (const auto& set : layout.sets)
    if (set) leading += static_cast<uint32_t>(std::ranges::count_if(set->bindings, leads_to_buffers));
  list.all = leading == count;
  return list;
}

}  // namespace shaderqa::layer
