// SPDX-License-Identifier: Apache-2.0
#include "layer/output/finding_context.h"

#include <string>

#include "host/order/cell.h"
#include "layer/context/instance.h"
#include "layer/engines/exact/access_classes.h"
#include "layer/engines/exact/barrier_gaps.h"
#include "layer/engines/exact/exact_engine.h"
#include "layer/loader/device.h"
#include "layer/recording/command_buffers.h"
#include "layer/resources/buffer_table.h"

namespace shaderqa::layer {
namespace {

std::optional<BufferOrigin> buffer_at(const Device& device, uint64_t address) {
  if (address == 0) return std::nullopt;
  const std::optional<BufferTable::Buffer> found = device.buffers.find_address(address);
  if (!found) return std::nullopt;
  BufferOrigin place;
  place.name = found->name;
  place.handle = reinterpret_cast<uint64_t>(found->handle);
  place.offset = address - found->address;
  place.size = found->size;
  place.destroyed = found->destroyed;
  return place;
}

std::string line_of(const ActionOrigin& action) {
  return std::to_string(action.number) + ": " + action.command;
}

// The actions of the same command buffer around that one; numbers of other command buffers, recorded at the
// same time, lie between theirs.
std::vector<std::string> commands_around(const Device& device, const ActionOrigin& action) {
  constexpr uint32_t kBefore = 5, kAfter = 3, kReach = 256;
  std::vector<std::string> commands{line_of(action)};
  const auto collect = [&](uint32_t wanted, bool before) {
    uint32_t index = action.index;
    for (uint32_t distance = 1; distance <= kReach && wanted > 0; ++distance) {
      const uint32_t number = before ? action.number - distance : action.number + distance;
      const std::optional<ActionOrigin> other = device.command_buffers.find_action(number);
      if (!other || other->command_buffer != action.command_buffer) continue;
      // A recording that began anew counts from 1 again.
      if (before ? other->index >= index : other->index <= index) return;
      index = other->index;
      commands.insert(before ? commands.begin() : commands.end(), line_of(*other));
      --wanted;
    }
  };
  collect(kBefore, true);
  collect(kAfter, false);
  return commands;
}

bool is_command(uint32_t class_number) {
  return class_number >= SQA_CLASS_INDIRECT && class_number < SQA_CLASSES;
}

// The barrier that two accesses need, as a sentence.
std::string needed_barrier(const OrderedAccess& earlier, const OrderedAccess& later) {
  const auto side = [](const OrderedAccess& access, bool memory) {
    const std::string stage = stage_name(access.class_number);
    return memory ? stage + ", " + access_name(access.class_number, access.writes) : stage;
  };
  return "a barrier from " + side(earlier, earlier.writes) + ", to " + side(later, earlier.writes) +
         " between the two is missing";
}

// Of a hazard that the exact engine found.
OtherAccess other_access(const Device& device, const abi::Report& record) {
  OtherAccess other;
  const CheckReport report(record);
  const Cell cell = Cell::unpack(report.value);
  const uint32_t sequence = record.dispatch_id;  // of the later access
  const std::optional<SequenceOwner> earlier = device.exact->find(cell.sequence);
  const std::optional<SequenceOwner> later = device.exact->find(sequence);
  if (!earlier) return other;
  other.same_action = earlier->action == record.action;
  if (other.same_action) return other;
  other.action = device.command_buffers.find_action(earlier->action);
  // The host has no queue of its own.
  if (!later || (later->queue != earlier->queue && later->class_number != SQA_CLASS_HOST)) return other;
  const OrderedAccess first{earlier->class_number, cell.kind != SQA_KIND_READ};
  const OrderedAccess second{later->class_number,
                             report.access == SQA_ACCESS_STORE || report.access == SQA_ACCESS_ATOMIC};
  other.lacking = nearest_gap(device.exact->barriers_between(cell.sequence, sequence, earlier->queue), first,
                              second, report.address);
  if (other.lacking.empty() && (is_command(first.class_number) || is_command(second.class_number)))
    other.lacking = needed_barrier(first, second);
  return other;
}

}  // namespace

FindingContext surroundings_of(const Device& device, const abi::Report& record) {
  FindingContext around;
  const CheckReport report(record);
  around.buffer = buffer_at(device, report.address);
  if (report.exact && device.exact) around.other = other_access(device, record);
  if (record.action == 0) return around;
  around.action = device.command_buffers.find_action(record.action);
  if (around.action && device.instance->settings.breadcrumbs && (record.kind & 0xffu) == SQA_CHECK_HAZARD)
    around.commands = commands_around(device, *around.action);
  return around;
}

}  // namespace shaderqa::layer
