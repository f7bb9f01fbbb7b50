// SPDX-License-Identifier: Apache-2.0
// The other side of a hazard: who has the sequence number in the cell, and what the barriers between lack.
#include <string>
#include <utility>

#include "host/findings/check_finding.h"
#include "host/order/cell.h"
#include "instrument/runtime/abi_image.h"
#include "instrument/runtime/abi_order.h"
#include "instrument/runtime/cell_fields.h"
#include "layer/engines/exact/access_classes.h"
#include "layer/engines/exact/barrier_gaps.h"
#include "layer/engines/exact/exact_engine.h"
#include "layer/loader/device.h"
#include "layer/recording/command_buffers.h"

namespace shaderqa::layer {
namespace {

bool is_command(uint32_t class_number) {
  return class_number >= SQA_CLASS_INDIRECT && class_number < SQA_CLASSES;
}

AccessWay way_of(const CheckReport& report) {
  if (report.access == Access::store || report.access == Access::atomic) return AccessWay::writes;
  if (!report.exact || !report.exact->of_uniform) return AccessWay::reads;
  return abi::is_image_address(report.address) ? AccessWay::reads_input : AccessWay::reads_uniform;
}

// The barrier that two accesses need, as a sentence.
std::string needed_barrier(const OrderedAccess& earlier, const OrderedAccess& later) {
  const auto side = [](const OrderedAccess& access, bool memory) {
    const std::string stage = stage_name(access.class_number);
    return memory ? stage + ", " + access_name(access.class_number, access.way) : stage;
  };
  return "a barrier from " + side(earlier, earlier.writes()) + ", to " + side(later, earlier.writes()) +
         " between the two is missing";
}

// What orders the layout transition that this action is.
std::string orders_transition(const std::optional<ActionOrigin>& action) {
  const bool of_pass = action && action->name.find("RenderPass") != std::string::npos;
  return of_pass ? "the render pass's dependency from VK_SUBPASS_EXTERNAL to the first subpass that uses the "
                   "attachment has to name "
                 : "the barrier that changes the layout has to name ";
}

// The same where one of the two is a layout transition. how: orders_transition().
std::string needed_for_transition(std::string how, const OrderedAccess& earlier, const OrderedAccess& later) {
  std::string text = std::move(how);
  if (later.class_number != SQA_CLASS_TRANSITION)
    return text + stage_name(later.class_number) + " in its dstStageMask, and " +
           access_name(later.class_number, later.way) + " in its dstAccessMask";
  text += std::string(stage_name(earlier.class_number)) + " in its srcStageMask";
  if (!earlier.writes()) return text;
  return text + ", and " + access_name(earlier.class_number, earlier.way) + " in its srcAccessMask";
}

}  // namespace

std::optional<OtherAccess> ExactEngine::other_access(const CheckReport& report) const {
  OtherAccess other;
  if (!report.exact) return std::nullopt;
  const Cell& cell = report.exact->cell;
  const uint32_t sequence = report.exact->sequence;  // of the later access
  const std::optional<SequenceOwner> earlier = find(cell.sequence);
  const std::optional<SequenceOwner> later = find(sequence);
  const auto is_transition = [&](const std::optional<SequenceOwner>& owner) {
    return owner && owner->class_number == SQA_CLASS_TRANSITION && abi::is_image_address(report.address);
  };
  other.of_transition = is_transition(earlier) || is_transition(later);
  if (!earlier) return other;
  other.same_action = earlier->action == report.action;
  if (other.same_action) return other;
  other.action = device_.command_buffers.find_action(earlier->action);
  other.is_later = full_number(cell.sequence) > full_number(sequence);
  // The host has no queue of its own.
  if (!later || (later->queue != earlier->queue && later->class_number != SQA_CLASS_HOST)) return other;
  const OrderedAccess first{earlier->class_number,
                            cell.kind != SQA_KIND_READ ? AccessWay::writes : AccessWay::reads};
  const OrderedAccess second{later->class_number, way_of(report)};
  if (other.of_transition) {
    const bool is_later = second.class_number == SQA_CLASS_TRANSITION;
    other.lacking = needed_for_transition(
        orders_transition(is_later ? device_.command_buffers.find_action(later->action) : other.action),
        first, second);
    return other;
  }
  if (other.is_later) {
    other.lacking = needed_barrier(second, first);
    return other;
  }
  other.lacking =
      nearest_gap(barriers_between(cell.sequence, sequence, earlier->queue), first, second, report.address);
  if (other.lacking.empty() && (is_command(first.class_number) || is_command(second.class_number)))
    other.lacking = needed_barrier(first, second);
  return other;
}

}  // namespace shaderqa::layer
