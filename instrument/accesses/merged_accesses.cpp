// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/merged_accesses.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "instrument/ir/local_values.h"
#include "instrument/runtime/abi_report.h"
#include "source/opcode.h"

namespace shaderqa {
namespace {

using Root = ResolvedPointer::Root;

constexpr uint32_t max_bytes = 1024;

}  // namespace

bool separates_accesses(spv::Op op) {
  if (spvOpcodeIsBlockTerminator(op) != 0) return true;
  switch (op) {
    case spv::Op::OpFunctionCall:
    case spv::Op::OpControlBarrier:
    case spv::Op::OpMemoryBarrier:
    case spv::Op::OpBeginInvocationInterlockEXT:
    case spv::Op::OpEndInvocationInterlockEXT:
    case spv::Op::OpDemoteToHelperInvocation:
    case spv::Op::OpTraceRayKHR:
    case spv::Op::OpExecuteCallableKHR:
    case spv::Op::OpReportIntersectionKHR:
      return true;
    default:
      return spvOpcodeIsAtomicOp(op);
  }
}

namespace {

// Accesses of one kind to bytes next to each other.
struct Group {
  BufferAccess* kept = nullptr;  // the first in the code
  std::vector<uint32_t> base;
  uint32_t begin = 0, end = 0;  // bytes from the base
  bool stores = false;
  bool uniform = false;  // a block that the shader cannot write through this variable
  bool grows = true;
};

class Merger {
 public:
  Merger(std::vector<BufferAccess>& accesses, const ModuleView& module, const Decorations& decorations)
      : accesses_(accesses), module_(module), decorations_(decorations), values_(module, decorations) {
    for (BufferAccess& access : accesses) by_offset_[access.at.offset].push_back(&access);
  }

  void step(const PlacedInstruction& at) {
    const InstructionView instruction = module_.at(at.offset);
    if (const auto found = by_offset_.find(at.offset); found != by_offset_.end())
      for (BufferAccess* access : found->second) enter(*access, instruction);
    if (separates_accesses(instruction.op())) {
      groups_.clear();
      values_.forget();
    } else {
      values_.enter(instruction);
    }
  }

  void remove_merged() {
    std::vector<BufferAccess> left;
    for (BufferAccess& access : accesses_)
      if (!gone_.contains(&access)) left.push_back(std::move(access));
    accesses_ = std::move(left);
  }

 private:
  void enter(BufferAccess& access, InstructionView instruction) {
    const bool stores = access.access != SQA_ACCESS_LOAD;
    if (!may_merge(access, instruction)) return close(!stores, nullptr);
    Group own;
    own.kept = &access;
    own.base = base_of(access.place);
    own.begin = access.place.offset + access.runs[0].offset;
    own.end = own.begin + access.runs[0].size;
    own.stores = stores;
    own.uniform = access.place.root == Root::descriptor &&
                  is_uniform_block(module_, decorations_, access.place.variable);
    if (own.end < own.begin) return close(!stores, nullptr);
    bool own_bytes = false;  // stored by the same invocation, a part of them
    if (!stores) {
      for (Group& group : groups_) {
        if (!group.stores || group.base != own.base) continue;
        if (group.begin <= own.begin && own.end <= group.end) return merge(group, own);
        own_bytes |= group.begin < own.end && own.begin < group.end;
      }
    }
    close(!stores, stores ? &own.base : nullptr);
    // A load of what earlier actions wrote and the invocation overwrote needs less order than it would have
    // before that.
    if (!own_bytes) {
      const auto fits = [&](const Group& group) { return can_join(group, own); };
      if (const auto group = std::ranges::find_if(groups_, fits); group != groups_.end()) {
        merge(*group, own);
        return join_others(static_cast<size_t>(group - groups_.begin()));
      }
    }
    own.grows = !own_bytes;
    groups_.push_back(std::move(own));
  }

  // A store ends the growth of groups of loads, and a load that of stores, since their memory may be the
  // same. Where the base is the same, the bytes decide.
  void close(bool stores, const std::vector<uint32_t>* but) {
    for (Group& group : groups_)
      if (group.stores == stores && !group.uniform && !(but && group.base == *but)) group.grows = false;
  }

  static bool can_join(const Group& group, const Group& other) {
    if (!group.grows || group.stores != other.stores || group.base != other.base) return false;
    if (group.end < other.begin || other.end < group.begin) return false;
    const uint32_t begin = std::min(group.begin, other.begin);
    // A physical pointer is taken as it is: nothing lies in front of it.
    if (group.kept->place.root == Root::physical && begin < group.kept->place.offset) return false;
    return std::max(group.end, other.end) - begin <= max_bytes;
  }

  void merge(Group& group, const Group& other) {
    gone_.insert(other.kept);
    group.kept->merged += 1 + other.kept->merged;
    group.begin = std::min(group.begin, other.begin);
    group.end = std::max(group.end, other.end);
    group.kept->runs[0] = {group.begin - group.kept->place.offset, group.end - group.begin};
  }

  // A group that has grown may now touch others. The group that came first stays first.
  void join_others(size_t grown) {
    for (size_t i = 0; i < groups_.size(); ++i) {
      if (i == grown || !groups_[grown].grows || !groups_[i].grows) continue;
      const size_t first = std::min(i, grown), second = std::max(i, grown);
      if (!can_join(groups_[first], groups_[second])) continue;
      merge(groups_[first], groups_[second]);
      groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(second));
      return join_others(first);
    }
  }

  static bool may_merge(const BufferAccess& access, InstructionView instruction) {
    if (access.runs.size() != 1) return false;
    if (access.place.root != Root::descriptor && access.place.root != Root::physical) return false;
    return instruction.op() == spv::Op::OpLoad || instruction.op() == spv::Op::OpStore;
  }

  std::vector<uint32_t> base_of(const ResolvedPointer& place) const {
    std::vector<uint32_t> base{static_cast<uint32_t>(place.root), values_.number(place.variable),
                               values_.number(place.array_element.id), place.array_element.constant};
    for (const ScaledIndex& index : place.indices)
      base.insert(base.end(), {values_.number(index.id), index.stride});
    return base;
  }

  std::vector<BufferAccess>& accesses_;
  const ModuleView& module_;
  const Decorations& decorations_;
  LocalValues values_;
  std::unordered_map<uint32_t, std::vector<BufferAccess*>> by_offset_;
  std::vector<Group> groups_;  // of the current stretch, in the order of their first accesses
  std::unordered_set<const BufferAccess*> gone_;
};

}  // namespace

void merge_accesses(std::vector<BufferAccess>& accesses, std::span<const PlacedInstruction> placed,
                    const ModuleView& module, const Decorations& decorations) {
  Merger merger(accesses, module, decorations);
  for (const PlacedInstruction& at : placed) merger.step(at);
  merger.remove_merged();
}

}  // namespace shaderqa
