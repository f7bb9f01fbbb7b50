// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/control_flow.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "source/opcode.h"

namespace shaderqa {

ControlFlow::ControlFlow(const ModuleView& module) {
  for_each_instruction(module.words(), module.functions_offset(), [&](InstructionView i, uint32_t offset) {
    enter(i, offset);
    return true;
  });
  connect();
  for (const uint32_t first : first_) find_dominators(first);
}

void ControlFlow::enter(InstructionView i, uint32_t offset) {
  if (i.op() == spv::Op::OpFunction) {
    function_ = i.word(2);
    label_ = 0;
  } else if (i.op() == spv::Op::OpLabel) {
    if (label_ == 0) first_.push_back(i.word(1));
    label_ = i.word(1);
    labels_[offset] = label_;
    blocks_[label_].function = function_;
  } else if (label_ != 0) {
    if (i.op() == spv::Op::OpLoopMerge) blocks_[label_].loop_merge = i.word(1);
    if (spvOpcodeIsBlockTerminator(i.op())) blocks_[label_].end = i;
  }
}

void ControlFlow::connect() {
  for (auto& [label, block] : blocks_) {
    // A literal that looks like a label is one path more.
    for (uint32_t n = 1; n < block.end.size(); ++n) {
      const auto next = blocks_.find(block.end.word(n));
      if (next == blocks_.end() || next->second.function != block.function) continue;
      block.successors.push_back(next->first);
      next->second.predecessors.push_back(label);
    }
  }
}

std::vector<uint32_t> ControlFlow::reverse_postorder(uint32_t first) const {
  std::vector<std::pair<uint32_t, size_t>> path{{first, 0}};  // and the next of its successors
  std::unordered_set<uint32_t> known{first};
  std::vector<uint32_t> order;
  while (!path.empty()) {
    auto& [label, next] = path.back();
    const std::vector<uint32_t>& successors = blocks_.at(label).successors;
    if (next == successors.size()) {
      order.push_back(label);
      path.pop_back();
    } else if (const uint32_t successor = successors[next++]; known.insert(successor).second) {
      path.emplace_back(successor, 0);
    }
  }
  std::ranges::reverse(order);
  return order;
}

// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".
void ControlFlow::find_dominators(uint32_t first) {
  const std::vector<uint32_t> order = reverse_postorder(first);
  for (size_t n = 0; n < order.size(); ++n) blocks_.at(order[n]).order = static_cast<uint32_t>(n + 1);
  const auto common = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      uint32_t& later = blocks_.at(a).order > blocks_.at(b).order ? a : b;
      later = blocks_.at(later).dominator;
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t n = 1; n < order.size(); ++n) {
      Block& block = blocks_.at(order[n]);
      uint32_t dominator = 0;
      for (const uint32_t each : block.predecessors) {
        const Block& predecessor = blocks_.at(each);
        const bool known = predecessor.order == 1 || predecessor.dominator != 0;
        if (known) dominator = dominator == 0 ? each : common(dominator, each);
      }
      changed = changed || dominator != block.dominator;
      block.dominator = dominator;
    }
  }
}

uint32_t ControlFlow::block_of(uint32_t offset) const {
  const auto behind = labels_.upper_bound(offset);
  return behind == labels_.begin() ? 0 : std::prev(behind)->second;
}

bool ControlFlow::dominates(uint32_t a, uint32_t b) const {
  if (blocks_.at(a).order == 0) return false;
  while (b != 0 && b != a) b = blocks_.at(b).dominator;
  return b != 0;
}

uint32_t ControlFlow::loop_of(uint32_t label) const {
  uint32_t header = label;
  while (header != 0 && !is_in_loop(label, header)) header = blocks_.at(header).dominator;
  return header;
}

bool ControlFlow::is_in_loop(uint32_t label, uint32_t header) const {
  const uint32_t merge = blocks_.at(header).loop_merge;
  return merge != 0 && blocks_.contains(merge) && dominates(header, label) && !dominates(merge, label);
}

uint32_t ControlFlow::back_edge_of(uint32_t header) const {
  uint32_t found = 0;
  for (const uint32_t predecessor : blocks_.at(header).predecessors) {
    if (!dominates(header, predecessor)) continue;
    if (found != 0 && found != predecessor) return 0;
    found = predecessor;
  }
  return found;
}

std::vector<ControlFlow::Condition> ControlFlow::conditions_of(uint32_t label) const {
  std::vector<Condition> found;
  for (uint32_t at = label; at != 0; at = blocks_.at(at).dominator) {
    // The way into `at` from its only predecessor.
    const std::vector<uint32_t>& from = blocks_.at(at).predecessors;
    if (from.size() != 1) continue;
    const InstructionView branch = blocks_.at(from[0]).end;
    if (branch.op() != spv::Op::OpBranchConditional || branch.word(2) == branch.word(3)) continue;
    found.push_back({branch.word(1), branch.word(2) == at, from[0]});
  }
  return found;
}

}  // namespace shaderqa
