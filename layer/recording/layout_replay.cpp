// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/layout_replay.h"

#include <bit>
#include <map>
#include <span>
#include <utility>

#include "host/findings/fingerprint.h"
#include "host/findings/report.h"
#include "host/switch/check_switch.h"
#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_descriptors.h"
#include "layer/context/instance.h"
#include "layer/loader/device.h"
#include "layer/recording/bind_state.h"
#include "layer/recording/command_buffers.h"
#include "layer/recording/layout_steps.h"
#include "layer/recording/recorded_commands.h"
#include "layer/resources/descriptor_pools.h"
#include "layer/resources/descriptor_sets.h"
#include "layer/resources/image_layouts.h"
#include "layer/resources/image_memory.h"
#include "layer/resources/image_table.h"
#include "layer/vk/handle_value.h"
#include "layer/vk/layout_names.h"
#include "layer/vk/texel_size.h"

namespace shaderqa::layer {
namespace {

using Kind = LayoutSteps::Kind;

// A command, and the layout that it names in vain.
struct Mismatch {
  uint64_t image = 0;
  VkImageLayout named = VK_IMAGE_LAYOUT_UNDEFINED;
  bool as_old = false;
  FoundLayout is;
  LayoutOriginRef by;
  const RecordedCommands* recorded = nullptr;  // null: the host, or presentation
  bool presented = false;
};

void report(Device& device, const Mismatch& wrong, const std::string& queue) {
  auto details = std::make_shared<CheckDetails>();
  details->check = Check::layout;
  details->layout = describe_layout(device, wrong.image, wrong.is, wrong.named);
  details->layout->as_old = wrong.as_old;
  details->layout->presented = wrong.presented;
  ActionOrigin& action = details->action.emplace();
  action.name = action.command = wrong.by->command;
  action.labels = wrong.by->labels;
  action.queue = queue;
  if (wrong.recorded) action.command_buffer = device.command_buffers.name_of(*wrong.recorded);
  Finding finding;
  finding.kind = FindingKind::layout;
  finding.device = device.facts.name;
  finding.driver = device.facts.driver;
  finding.check = std::move(details);
  if (device.image_layouts.is_new(fingerprint_text(finding))) device.instance->reporter->report(finding);
}

// The steps of one batch, in order. The map is locked meanwhile.
class Replay {
 public:
  Replay(Device& device, const ImageLayouts::Locked& layouts, uint32_t serial)
      : device_(device), map_(layouts.map), views_(layouts.views), serial_(serial) {}

  void play(const RecordedCommands& recorded, bool checked);
  std::vector<Mismatch> mismatches;
  std::vector<WrongDescriptor> descriptors;
  std::vector<WrongViews> views;

 private:
  void compare(const LayoutSteps& steps, const LayoutSteps::Step& step, const RecordedCommands& recorded);
  void look_at(const LayoutSteps& steps, LayoutSteps::Group& group, bool may_add);
  void look_at_views(const LayoutSteps& steps, LayoutSteps::Group& group, bool may_add);
  std::span<const LayoutSteps::Slot> slots_of(const LayoutSteps::LateSet& late);

  std::map<std::pair<uint64_t, uint32_t>, std::vector<LayoutSteps::Slot>> late_;  // by handle and number
  Device& device_;
  LayoutMap& map_;
  NamedViews& views_;
  const uint32_t serial_;
};

void Replay::compare(const LayoutSteps& steps, const LayoutSteps::Step& step,
                     const RecordedCommands& recorded) {
  auto is = map_.find_other(step.image, step.range, step.layout);
  if (is)
    mismatches.push_back(
        {step.image, step.layout, step.kind == Kind::old, *is, steps.origin(step), &recorded});
}

// As the batch finds them: whoever updates them later does not use them in it.
std::span<const LayoutSteps::Slot> Replay::slots_of(const LayoutSteps::LateSet& late) {
  const auto [place, added] = late_.try_emplace({handle_value(late.handle), late.set});
  const DescriptorSet* const set = added ? device_.descriptor_sets.find(late.handle) : nullptr;
  if (set) LayoutSteps::append_slots(device_, BoundTable(set), late.set, place->second);
  return place->second;
}

// may_add: bits can be set. They cannot while an earlier submission may still read the records.
void Replay::look_at(const LayoutSteps& steps, LayoutSteps::Group& group, bool may_add) {
  uint32_t wrong = 0;
  std::shared_ptr<const std::vector<uint32_t>> numbers;
  const auto compare_all = [&](std::span<const LayoutSteps::Slot> slots) {
    for (const LayoutSteps::Slot& slot : slots) {
      auto is = map_.find_other(slot.image, slot.range, slot.layout);
      if (!is) continue;
      wrong |= 1u << sqa_layout_bit(slot.set, slot.slot);
      if (!numbers) numbers = steps.numbers(group);
      descriptors.push_back({numbers, serial_, slot.set, slot.slot, slot.image, slot.layout, *is});
    }
  };
  for (const LayoutSteps::Span& list : steps.lists(group)) compare_all(steps.slots(list));
  for (const LayoutSteps::LateSet& late : steps.late(group)) compare_all(slots_of(late));
  const bool again = group.serial == serial_;
  group.serial = serial_;
  steps.write(group, again || !may_add ? wrong & group.written : wrong);
  if (group.views) look_at_views(steps, group, may_add && !again);
}

// The same of all descriptors in buffers and heaps: which of them the actions use, their shaders know.
void Replay::look_at_views(const LayoutSteps& steps, LayoutSteps::Group& group, bool may_add) {
  const NamedViews::AllWrong wrong = views_.empty() ? nullptr : views_.wrong(map_);
  std::vector<uint32_t> dwords;
  if (wrong && (may_add || !group.written_views.empty())) {
    dwords.resize(SQA_VIEW_LAYOUT_DWORDS);
    for (const NamedViews::Wrong& one : *wrong) {
      const uint32_t bit = sqa_view_layout_bit(one.named.view, one.named.code);
      dwords[bit / 32] |= 1u << bit % 32;
    }
    for (size_t i = 0; !may_add && i < dwords.size(); ++i) dwords[i] &= group.written_views[i];
    views.push_back({steps.numbers(group), serial_, wrong});
  }
  LayoutSteps::write_views(group, std::move(dwords));
}

void Replay::play(const RecordedCommands& recorded, bool checked) {
  if (!recorded.layouts) return;
  const LayoutSteps& steps = *recorded.layouts;
  const bool may_add = !recorded.simultaneous || recorded.submissions.load(std::memory_order_relaxed) <= 1;
  for (const LayoutSteps::Step& step : steps.steps()) {
    switch (step.kind) {
      case Kind::access:
      case Kind::old:
        if (checked) compare(steps, step, recorded);
        break;
      case Kind::change:
        map_.put(step.image, step.range, step.layout, steps.origin(step));
        break;
      case Kind::forget:
        map_.forget(step.image, step.range);
        break;
      case Kind::forget_all:
        map_.forget_all();
        break;
      case Kind::execute:
        play(steps.executed(step), checked);
        break;
      case Kind::actions:
        look_at(steps, steps.group(step), may_add && checked);
        break;
    }
  }
}

// Whether the swapchain's image has been given to the presentation engine.
bool is_presented(const VkPresentInfoKHR& info, uint32_t swapchain, VkResult result) {
  switch (result) {
    case VK_ERROR_OUT_OF_DATE_KHR:
    case VK_ERROR_SURFACE_LOST_KHR:
    case VK_ERROR_FULL_SCREEN_EXCLUSIVE_MODE_LOST_EXT:
      return info.pResults && info.pResults[swapchain] >= 0;
    default:
      return result >= 0;
  }
}

struct HostImage {
  uint64_t address = 0;
  LayoutOriginRef by;
};

HostImage host_image(Device& device, const char* command, VkImage handle) {
  const ImageTable::Image* const image = device.images.find(handle);
  if (!image || !image->is_followed()) return {};
  auto by = std::make_shared<LayoutOrigin>();
  by->command = command;
  return {image->address, std::move(by)};
}

}  // namespace

WrongLayout describe_layout(const Device& device, uint64_t image, const FoundLayout& is,
                            VkImageLayout named) {
  WrongLayout wrong;
  if (const auto found = device.images.find_address(image)) {
    wrong.image.name = found->name;
    wrong.image.handle = handle_value(found->handle);
    wrong.image.format = format_name(found->grid.format());
    wrong.image.destroyed = found->destroyed;
    if (found->grid.planes() > 1)
      wrong.aspect = "plane " + std::to_string(std::countr_zero(is.aspect / VK_IMAGE_ASPECT_PLANE_0_BIT));
    else if (std::popcount(found->grid.aspects()) > 1)
      wrong.aspect = is.aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? "stencil" : "depth";
  }
  wrong.image.mip = is.level;
  wrong.image.layer = is.layer;
  wrong.named = layout_name(named);
  wrong.is = layout_name(is.layout);
  if (!is.by) return wrong;
  wrong.changed_by = is.by->command;
  wrong.changed_in = is.by->labels;
  return wrong;
}

void follow_layouts(Device& device, const SubmittedBatch& batch, const std::string& queue) {
  std::vector<Mismatch> mismatches;
  std::vector<WrongDescriptor> descriptors;
  std::vector<WrongViews> views;
  {
    const ImageLayouts::Locked layouts = device.image_layouts.use();
    Replay replay(device, layouts, batch.serial);
    for (size_t i = 0; i < batch.command_buffers.size(); ++i) {
      if (batch.command_buffers[i])
        replay.play(*batch.command_buffers[i], !batch.left_out[i]);
      else
        layouts.map.forget_all();
    }
    mismatches = std::move(replay.mismatches);
    descriptors = std::move(replay.descriptors);
    views = std::move(replay.views);
  }
  for (const Mismatch& wrong : mismatches) report(device, wrong, queue);
  for (WrongDescriptor& wrong : descriptors) device.image_layouts.add_wrong(std::move(wrong));
  for (WrongViews& wrong : views) device.image_layouts.add_wrong(std::move(wrong));
}

// It is executed in the order of submissions: what it waits for has been submitted, and what comes behind it
// needs the image to be acquired again.
std::vector<WrongPresented> find_wrong_presented(Device& device, const VkPresentInfoKHR& info) {
  std::vector<WrongPresented> found;
  CheckSwitch& checks = *device.instance->checks;
  if (!device.engine->knows_order() || !checks.state().open || checks.selects_actions()) return found;
  for (uint32_t i = 0; i < info.swapchainCount; ++i) {
    const VkImage handle = image_of(device, info.pSwapchains[i], info.pImageIndices[i]);
    const ImageTable::Image* const image = handle ? device.images.find(handle) : nullptr;
    if (!image || !image->is_followed()) continue;
    const VkImageSubresourceRange all = {image->grid.aspects(), 0, image->grid.levels(), 0,
                                         image->grid.layers()};
    auto is = device.image_layouts.use().map.find_other(image->address, all, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    if (is && is->layout != VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR)
      found.push_back({i, image->address, std::move(*is)});
  }
  return found;
}

void report_presented(Device& device, const std::vector<WrongPresented>& found, const VkPresentInfoKHR& info,
                      VkResult result, const std::string& queue) {
  for (const WrongPresented& one : found) {
    if (!is_presented(info, one.swapchain, result)) continue;
    auto by = std::make_shared<LayoutOrigin>();
    by->command = "vkQueuePresentKHR";
    Mismatch wrong{one.image, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, false, one.is, std::move(by)};
    wrong.presented = true;
    report(device, wrong, queue);
  }
}

void host_names_layout(Device& device, const char* command, VkImage handle,
                       const VkImageSubresourceRange& range, VkImageLayout layout, bool old) {
  const HostImage image = host_image(device, command, handle);
  if (!image.address) return;
  const auto is = device.image_layouts.use().map.find_other(image.address, range, layout);
  if (is) report(device, {image.address, layout, old, *is, image.by, nullptr}, {});
}

void host_changes_layout(Device& device, const char* command, VkImage handle,
                         const VkImageSubresourceRange& range, VkImageLayout layout) {
  const HostImage image = host_image(device, command, handle);
  if (image.address) device.image_layouts.use().map.put(image.address, range, layout, image.by);
}

}  // namespace shaderqa::layer
