// SPDX-License-Identifier: Apache-2.0
// Cases of layout transitions beyond the matrix: several of them, of parts of an image, from frame to frame.
#include <deque>
#include <memory>
#include <string>

#include "sync_image_steps.h"

namespace sync_cases {
namespace {

constexpr VkPipelineStageFlags kTop = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                               kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;

ImageBarrier discards(ImageBarrier spec) {
  spec.old_layout = VK_IMAGE_LAYOUT_UNDEFINED;
  return spec;
}

const Step kFirst =
    image_barrier(discards({.from = kTop, .made = 0, .to = kTransfer, .seen = VK_ACCESS_TRANSFER_WRITE_BIT}));

void with_levels(Case& test) {
  test.images[0].mips = 3;
  test.images[0].extent = {64, 64, 1};
}

// Shaders check some texels of it alone, as long as nothing but transitions writes it; the first one is among
// them.
void make_large(Case& test) { test.images[0].extent = {256, 256, 1}; }

// The event is set before the last command, or behind it; the wait changes the layout.
std::vector<Step> by_event(bool first_generation) {
  const auto event = std::make_shared<VkEvent>();
  VkImageMemoryBarrier2 barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2;
  barrier.srcStageMask = barrier.dstStageMask = kCompute;
  barrier.srcAccessMask = barrier.dstAccessMask = kBoth;
  barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.subresourceRange = part(0, 0);
  const auto with_info = [barrier](Context& context, const auto& use) {
    VkImageMemoryBarrier2 one = barrier;
    one.image = context.images[0];
    VkDependencyInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
    info.imageMemoryBarrierCount = 1;
    info.pImageMemoryBarriers = &one;
    use(info);
  };
  const Step set = {[=](Context& context) {
    *event = context.event();
    if (first_generation) return vkCmdSetEvent(context.commands(), *event, kCompute);
    with_info(context,
              [&](const VkDependencyInfo& info) { vkCmdSetEvent2(context.commands(), *event, &info); });
  }};
  const Step wait = {[=](Context& context) {
    if (!first_generation)
      return with_info(context, [&](const VkDependencyInfo& info) {
        vkCmdWaitEvents2(context.commands(), 1, event.get(), &info);
      });
    VkImageMemoryBarrier older{};
    older.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    older.srcAccessMask = older.dstAccessMask = kBoth;
    older.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    older.srcQueueFamilyIndex = older.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    older.image = context.images[0];
    older.subresourceRange = part(0, 0);
    vkCmdWaitEvents(context.commands(), 1, event.get(), kCompute, kCompute, 0, nullptr, 0, nullptr, 1,
                    &older);
  }};
  return {only_racy(set), dispatch(0), only_correct(set), wait, dispatch(1)};
}

}  // namespace

std::vector<Case> image_layout_cases() {
  Expected late = raced("write after read", "store");
  late.command = "layout transition";
  const auto changed_by = [](const char* command) {
    static std::deque<std::string> names;
    Expected expected = raced("write after write", "store");
    expected.command = names.emplace_back(std::string("layout transition of ") + command).c_str();
    return expected;
  };
  Expected read = raced("read after write", "load");
  read.earlier_command = "layout transition";
  const auto next = [](VkPipelineStageFlags from) {
    return image_barrier(discards({.from = from, .made = 0, .to = kCompute, .seen = kReads}));
  };
  return {
      // The level that is read, among others.
      with(between("image_layout_of_a_level",
                   {dispatch(1),
                    only_correct(image_barrier(discards({.from = kTop, .made = 0, .range = part(1, 0, 2)}))),
                    only_racy(image_barrier(discards({.from = kTop, .made = 0, .range = part(0, 0, 2)})))},
                   late),
           with_levels),
      with(between("image_layout_of_a_large_image_too_early",
                   {dispatch(0), only_correct(image_barrier(discards({.made = 0}))),
                    only_racy(image_barrier(discards({.from = kTop, .made = 0})))},
                   late, {{"comp", kRead}}),
           make_large),
      with(between("image_layout_of_a_large_image_too_late",
                   {only_correct(next(kTop)), only_racy(kFirst), dispatch(0)}, read, {{"comp", kRead}}),
           make_large),
      between("image_layout_by_event", by_event(true), changed_by("vkCmdWaitEvents")),
      between("image_layout_by_event2", by_event(false), changed_by("vkCmdWaitEvents2")),
      with(between("image_layout_of_three_dimensions",
                   {dispatch(0), only_correct(image_barrier(discards({.made = kWrites}))),
                    only_racy(image_barrier(discards({.from = kTop, .made = 0})))},
                   changed_by("vkCmdPipelineBarrier"), {{"comp", kHeader + R"(
layout(set = 0, binding = 0, r32ui) uniform uimage3D img;
void main() { imageStore(img, ivec3(t.x, t.y & 3, t.y >> 2), uvec4(i)); }  //!
)"}}),
           [](Case& test) {
             test.images[0].type = VK_IMAGE_TYPE_3D;
             test.images[0].extent = {16, 4, 4};
             test.bindings[0].view = VK_IMAGE_VIEW_TYPE_3D;
           }),
      // By an access that the barrier does not have.
      between("image_layout_without_access",
              {dispatch(0), only_correct(image_barrier(discards({.made = kWrites}))),
               only_racy(image_barrier(discards({.made = kReads}))), dispatch(1)},
              [] {
                Expected expected = raced("write after write", "store");
                expected.command = "layout transition";
                return expected;
              }()),
  };
}

std::vector<Case> image_layout_patterns() {
  const Step begin = image_barrier(discards({.from = kTop, .made = 0})),
             // Behind a stage that no barrier before has let begin.
      next_layout = image_barrier(discards(
          {.from = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, .made = 0, .to = kCompute, .seen = kBoth}));
  return {
      // The host waits between two frames: nothing of the last one is left to wait for.
      between("image_layout_from_frame_to_frame",
              {begin, dispatch(0), image_barrier(), dispatch(1), fence_wait(), begin, dispatch(0),
               image_barrier(), dispatch(1)}),
      // A chain of barriers: each waits for the stage that the last one let begin.
      between(
          "image_layout_chain",
          {dispatch(0),
           image_barrier(discards({.made = kWrites, .to = kTransfer, .seen = VK_ACCESS_TRANSFER_READ_BIT})),
           image_barrier(discards({.from = kTransfer, .made = 0, .to = kCompute, .seen = kBoth})),
           dispatch(0)}),
      // Transitions of a queue are executed in submission order, whatever their barriers name; and what is
      // behind the first one is behind the second one.
      between("image_layouts_in_submission_order", {kFirst, next_layout, dispatch(0)}),
      between("image_layouts_in_submissions", {kFirst, submit_now(), next_layout, dispatch(0)}),
      between(
          "image_layout_behind_another_ones_access",
          {dispatch(0),
           image_barrier(discards({.made = kWrites, .to = kTransfer, .seen = VK_ACCESS_TRANSFER_READ_BIT})),
           next_layout, dispatch(0)}),
      // Nobody accesses what it changes.
      with(between("image_layouts_of_levels",
                   {dispatch(0), image_barrier(discards({.from = kTop, .made = 0, .range = part(1, 0)})),
                    image_barrier(), dispatch(1),
                    image_barrier(discards({.from = kTop, .made = 0, .range = part(2, 0)}))}),
           with_levels),
      // The semaphore is what orders the two frames, whatever the barrier names.
      between("image_layout_behind_a_semaphore",
              {begin, dispatch(0), binary_semaphore(), begin, dispatch(0)}),
  };
}

}  // namespace sync_cases
