// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/workgroup_phases.h"

#include <algorithm>
#include <tuple>

#include "instrument/runtime/abi_report.h"
#include "source/opcode.h"

namespace shaderqa {
namespace {

bool is_read(const WorkgroupAccess& access) { return access.access == SQA_ACCESS_LOAD || access.only_reads; }

// All blocks are aliased, and a parameter may lead anywhere.
bool may_meet(const WorkgroupPlace& a, const WorkgroupPlace& b) {
  return a.is_parameter || b.is_parameter || (a.in_bytes && b.in_bytes) || a.start == b.start;
}

// The kinds alone. Two atomics do not conflict.
bool conflict(const WorkgroupAccess& a, const WorkgroupAccess& b) {
  if (is_read(a) && is_read(b)) return false;
  return a.access != SQA_ACCESS_ATOMIC || b.access != SQA_ACCESS_ATOMIC;
}

// One access of each kind to each variable, for most phases have many that are alike.
std::vector<size_t> one_of_each(const std::vector<WorkgroupAccess>& accesses,
                                const std::vector<size_t>& phase) {
  std::map<std::tuple<uint32_t, uint32_t, bool>, size_t> found;
  for (const size_t each : phase)
    found.emplace(std::tuple{accesses[each].place.start, accesses[each].access, accesses[each].only_reads},
                  each);
  std::vector<size_t> one;
  for (const auto& [kind, each] : found) one.push_back(each);
  return one;
}

}  // namespace

WorkgroupPhases::WorkgroupPhases(const ModuleView& module, const WorkgroupAccesses& found,
                                 uint32_t entry_function, bool strict)
    : module_(module), found_(found), entry_function_(entry_function) {
  for (size_t n = 0; n < found.accesses.size(); ++n) accesses_[found.accesses[n].at.offset].push_back(n);
  for (const WorkgroupAccesses::Barrier& barrier : found.barriers)
    if (barrier.orders(strict)) barriers_.insert(barrier.at.offset);
  build();
  connect();
}

// Ends the node at a call or at a barrier that orders.
void WorkgroupPhases::split(size_t& node, InstructionView instruction, uint32_t offset) {
  const bool orders = barriers_.contains(offset);
  const bool calls = instruction.op() == spv::Op::OpFunctionCall;
  if (!orders && !calls) return;
  const size_t behind = nodes_.size();
  nodes_.emplace_back();
  if (orders) starts_.push_back(behind);
  if (calls) {
    Code& callee = functions_[instruction.word(3)];
    callee.callers.push_back(node);
    callee.continuations.push_back(behind);
  }
  node = behind;
}

void WorkgroupPhases::build() {
  uint32_t function = 0;
  size_t node = 0;
  bool begins = false;
  nodes_.emplace_back();
  for_each_instruction(module_.words(), module_.functions_offset(), [&](InstructionView i, uint32_t offset) {
    if (i.op() == spv::Op::OpFunction) {
      function = i.word(2);
      begins = true;
    } else if (i.op() == spv::Op::OpLabel) {
      node = nodes_.size();
      nodes_.emplace_back();
      blocks_.emplace(i.word(1), node);
      if (begins) functions_[function].first = node;
      begins = false;
    } else if (spvOpcodeIsReturn(i.op())) {
      functions_[function].ends.push_back(node);
    } else if (spvOpcodeIsBlockTerminator(i.op())) {
      // A literal that looks like a label is one path more.
      nodes_[node].labels.assign(i.words.begin() + 1, i.words.end());
    } else {
      if (const auto at = accesses_.find(offset); at != accesses_.end())
        nodes_[node].accesses.insert(nodes_[node].accesses.end(), at->second.begin(), at->second.end());
      split(node, i, offset);
    }
    return true;
  });
  if (const auto entry = functions_.find(entry_function_); entry != functions_.end())
    starts_.push_back(entry->second.first);
}

// A function returns to all of its calls, wherever it was called.
void WorkgroupPhases::connect() {
  for (Node& node : nodes_)
    for (const uint32_t label : node.labels)
      if (const auto block = blocks_.find(label); block != blocks_.end()) node.next.push_back(block->second);
  for (const auto& [id, code] : functions_) {
    for (const size_t caller : code.callers) nodes_[caller].next.push_back(code.first);
    for (const size_t end : code.ends)
      nodes_[end].next.insert(nodes_[end].next.end(), code.continuations.begin(), code.continuations.end());
  }
}

std::vector<size_t> WorkgroupPhases::accesses_from(size_t start) const {
  std::vector<size_t> reached{start}, accesses;
  std::vector<bool> known(nodes_.size());
  known[start] = true;
  for (size_t n = 0; n < reached.size(); ++n) {
    const Node& node = nodes_[reached[n]];
    accesses.insert(accesses.end(), node.accesses.begin(), node.accesses.end());
    for (const size_t next : node.next) {
      if (!known[next]) reached.push_back(next);
      known[next] = true;
    }
  }
  return accesses;
}

std::vector<bool> WorkgroupPhases::without_conflicts(const WorkgroupElements& elements) const {
  std::vector<bool> reached(found_.accesses.size()), conflicts(found_.accesses.size());
  const auto may_conflict = [&](size_t each, size_t other) {
    const WorkgroupAccess &a = found_.accesses[each], &b = found_.accesses[other];
    return conflict(a, b) && may_meet(a.place, b.place);
  };
  for (const size_t start : starts_) {
    const std::vector<size_t> phase = accesses_from(start);
    const std::vector<size_t> kinds = one_of_each(found_.accesses, phase);
    for (const size_t each : phase) {
      reached[each] = true;
      if (conflicts[each] ||
          std::ranges::none_of(kinds, [&](size_t other) { return may_conflict(each, other); }))
        continue;
      conflicts[each] = std::ranges::any_of(
          phase, [&](size_t other) { return may_conflict(each, other) && !elements.are_apart(each, other); });
    }
  }
  std::vector<bool> free(found_.accesses.size());
  for (size_t n = 0; n < free.size(); ++n) free[n] = reached[n] && !conflicts[n];
  return free;
}

}  // namespace shaderqa
