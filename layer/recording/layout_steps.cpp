// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/layout_steps.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_descriptors.h"
#include "instrument/runtime/abi_image.h"
#include "layer/loader/device.h"
#include "layer/memory/record_arena.h"
#include "layer/recording/bind_state.h"
#include "layer/recording/recorded_commands.h"
#include "layer/resources/image_table.h"
#include "layer/vk/layout_names.h"

namespace shaderqa::layer {
namespace {

constexpr uint32_t kMostLateSlots = 32;

}  // namespace

void LayoutSteps::command(const RecordedCommands& recorded, const char* name, uint32_t label) {
  if (!origins_.empty() && origins_.back().label == label && origins_.back().origin->command == name) return;
  auto origin = std::make_shared<LayoutOrigin>();
  origin->command = name;
  for (uint32_t inner = label; inner; inner = recorded.labels[inner - 1].parent)
    origin->labels.push_back(recorded.labels[inner - 1].name);
  std::ranges::reverse(origin->labels);
  origins_.push_back({label, std::move(origin)});
}

void LayoutSteps::add(Kind kind, uint64_t image, const VkImageSubresourceRange& range, VkImageLayout layout) {
  if (kind == Kind::change) open_ = false;
  steps_.push_back({kind, static_cast<uint32_t>(origins_.size() - 1), image, range, layout});
}

void LayoutSteps::forget(uint64_t image, const VkImageSubresourceRange& range) {
  open_ = false;
  steps_.push_back({Kind::forget, 0, image, range, VK_IMAGE_LAYOUT_UNDEFINED});
}

void LayoutSteps::forget_all() {
  open_ = false;
  steps_.push_back({});
}

void LayoutSteps::execute(std::shared_ptr<const RecordedCommands> secondary) {
  open_ = false;
  steps_.push_back({Kind::execute, static_cast<uint32_t>(executed_.size()), 0, {}, {}});
  executed_.push_back(std::move(secondary));
}

void LayoutSteps::append_slots(const Device& device, const BoundTable& table, uint32_t set,
                               std::vector<Slot>& slots) {
  for (uint32_t i = 0; i < table.slots(); ++i) {
    const TableEntry entry = table.load(i);
    const VkImageLayout layout =
        entry.meta & SQA_TABLE_IMAGE ? descriptor_layout(entry.meta & 0xff) : VK_IMAGE_LAYOUT_UNDEFINED;
    if (layout == VK_IMAGE_LAYOUT_UNDEFINED) continue;
    slots.push_back({set, i, entry.address, device.images.range_of(entry).range, layout});
  }
}

LayoutSteps::Span LayoutSteps::list_of(const Device& device, const BoundTable& table, uint32_t set) {
  // Pushed ones have no version.
  const uint64_t version = table.version(), key = version ^ uint64_t { set } << 60;
  if (const auto known = known_.find(key); version != 0 && known != known_.end()) return known->second;
  Span list{static_cast<uint32_t>(slots_.size()), 0};
  append_slots(device, table, set, slots_);
  list.count = static_cast<uint32_t>(slots_.size()) - list.first;
  if (version != 0) known_.emplace(key, list);
  return list;
}

void LayoutSteps::begin_group(const Device& device, const Binds& bound, RecordArena* views) {
  Group group;
  group.lists.first = static_cast<uint32_t>(lists_.size());
  group.late.first = static_cast<uint32_t>(late_.size());
  group.records.first = static_cast<uint32_t>(records_.size());
  for (uint32_t sets = bound.ever_set; sets; sets &= sets - 1) {
    const auto set = static_cast<uint32_t>(std::countr_zero(sets));
    const BoundTable table = bound.tables[set] ? bound_table(device, bound, set) : BoundTable();
    if (!table) continue;
    if (table.updated_after_bind()) {
      // Beyond that, wrong descriptors that nobody uses would often share a bit with others.
      if (table.slots() <= kMostLateSlots) late_.push_back({bound.sets[set], set});
    } else if (const Span list = list_of(device, table, set); list.count) {
      lists_.push_back(list);
    }
  }
  group.lists.count = static_cast<uint32_t>(lists_.size()) - group.lists.first;
  group.late.count = static_cast<uint32_t>(late_.size()) - group.late.first;
  views_address_ = 0;
  const RecordAllocation place = views ? views->allocate(SQA_VIEW_LAYOUT_DWORDS * 4) : RecordAllocation();
  if (place.memory) {
    std::memset(place.memory, 0, SQA_VIEW_LAYOUT_DWORDS * 4);
    group.views = reinterpret_cast<uint32_t*>(place.memory);
    views_address_ = place.address;
  }
  empty_ = group.lists.count == 0 && group.late.count == 0 && !group.views;
  if (empty_) return;
  steps_.push_back({Kind::actions, static_cast<uint32_t>(groups_.size()), 0, {}, {}});
  groups_.push_back(std::move(group));
}

VkDeviceAddress LayoutSteps::action(const Device& device, const Binds& bound, BindPoint point,
                                    uint32_t number, uint32_t* record, RecordArena* views) {
  if (!open_ || open_point_ != point || open_changes_ != bound.changes || open_views_ != (views != nullptr)) {
    open_point_ = point;
    open_changes_ = bound.changes;
    open_views_ = views != nullptr;
    open_ = true;
    begin_group(device, bound, views);
  }
  if (empty_) return 0;
  records_.push_back({number, record});
  ++groups_.back().records.count;
  return views_address_;
}

void LayoutSteps::write(Group& group, uint32_t value) const {
  if (group.written == value) return;
  group.written = value;
  for (const Record& record : std::span(records_).subspan(group.records.first, group.records.count))
    record.dwords[SQA_ACTION_LAYOUTS] = value;
}

void LayoutSteps::write_views(Group& group, std::vector<uint32_t>&& dwords) {
  if (group.written_views == dwords) return;
  if (dwords.empty()) {
    std::memset(group.views, 0, SQA_VIEW_LAYOUT_DWORDS * 4);
  } else {
    std::memcpy(group.views, dwords.data(), dwords.size() * 4);
  }
  group.written_views = std::move(dwords);
}

std::shared_ptr<const std::vector<uint32_t>> LayoutSteps::numbers(const Group& group) const {
  auto numbers = std::make_shared<std::vector<uint32_t>>();
  for (const Record& record : std::span(records_).subspan(group.records.first, group.records.count))
    numbers->push_back(record.number);
  std::ranges::sort(*numbers);
  return numbers;
}

}  // namespace shaderqa::layer
