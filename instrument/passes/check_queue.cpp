// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/check_queue.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "instrument/accesses/merged_accesses.h"
#include "instrument/ir/block_start.h"
#include "instrument/ir/site_builder.h"
#include "instrument/ir/structured_loops.h"
#include "instrument/passes/entry_code.h"
#include "instrument/runtime/abi_exact.h"
#include "source/opt/module.h"

namespace shaderqa {
namespace {

using spvtools::opt::BasicBlock;
using spvtools::opt::Function;
using spvtools::opt::Instruction;

// Each place has the code of all checks. Above so many, only those loops have one that are within no other
// and have most accesses. In the others accesses may be too many for the queue, which a note says then.
constexpr size_t most_places = 5;

// An access takes one slot of the queue, or two.
constexpr uint32_t most_in_queue = 2;

// What ends the function alone leaves the queue to its caller.
bool ends_in_callee(spv::Op op) { return op == spv::Op::OpReturn || op == spv::Op::OpReturnValue; }

bool goes_on(spv::Op op) {
  return op == spv::Op::OpFunctionCall || op == spv::Op::OpBranch || op == spv::Op::OpBranchConditional ||
         op == spv::Op::OpSwitch || op == spv::Op::OpUnreachable;
}

// The type or constant with this id; null: it is neither.
const Instruction* global_of(spvtools::opt::IRContext& context, uint32_t id) {
  const auto values = context.module()->types_values();
  const auto found =
      std::find_if(values.begin(), values.end(), [&](const Instruction& i) { return i.result_id() == id; });
  return found == values.end() ? nullptr : &*found;
}

bool is_constant_false(spvtools::opt::IRContext& context, uint32_t id) {
  const Instruction* const value = global_of(context, id);
  return value && value->opcode() == spv::Op::OpConstantFalse;
}

bool is_within(const std::unordered_set<uint32_t>& inner, const std::unordered_set<uint32_t>& outer) {
  return inner.size() < outer.size() &&
         std::ranges::all_of(inner, [&](uint32_t label) { return outer.contains(label); });
}

// Whether anything in the loop branches to its continue target, and from there back for another iteration.
bool repeats(spvtools::opt::IRContext& context, Function& function,
             const std::unordered_set<uint32_t>& blocks, uint32_t header, uint32_t target) {
  bool reached = target == header, back = false;
  for (const BasicBlock& block : function) {
    if (!blocks.contains(block.id())) continue;
    const Instruction& end = *block.ctail();
    block.ForEachSuccessorLabel([&](const uint32_t label) {
      reached = reached || label == target;
      const bool never = end.opcode() == spv::Op::OpBranchConditional &&
                         end.GetSingleWordInOperand(1) == header &&
                         is_constant_false(context, end.GetSingleWordInOperand(0));
      back = back || (label == header && !never);
    });
  }
  return reached && back;
}

}  // namespace

bool CheckQueue::notes(const Instruction& instruction) const {
  return accesses_.contains(&instruction) || (instruction.opcode() == spv::Op::OpFunctionCall &&
                                              functions_.contains(instruction.GetSingleWordInOperand(0)));
}

void CheckQueue::find_noting_functions() {
  for (bool more = true; more;) {
    more = false;
    for (Function& function : *module_.context().module()) {
      if (functions_.contains(function.result_id())) continue;
      const bool any = !function.WhileEachInst([&](const Instruction* i) { return !notes(*i); });
      if (any) functions_.insert(function.result_id());
      more = more || any;
    }
  }
}

void CheckQueue::find_loops(Function& function, std::vector<Loop>& loops) const {
  const auto blocks = blocks_by_label(function);
  const auto find = [&](uint32_t label) -> const BasicBlock* {
    const auto found = blocks.find(label);
    return found == blocks.end() ? nullptr : found->second;
  };
  const size_t first = loops.size();
  for (BasicBlock& block : function) {
    const Instruction* const merge = block.GetLoopMergeInst();
    if (!merge) continue;
    const uint32_t target = merge->GetSingleWordInOperand(1);
    const auto labels = blocks_of_loop(block.id(), merge->GetSingleWordInOperand(0), find);
    Loop loop;
    loop.blocks.insert(labels.begin(), labels.end());
    if (!repeats(module_.context(), function, loop.blocks, block.id(), target)) continue;
    // Not in the continue target, which a loop that always ends in its first iteration does not come to.
    loop.next = start_of(block);
    loops.push_back(std::move(loop));
  }
  const auto own = std::span(loops).subspan(first);
  for (BasicBlock& block : function) {
    Loop* innermost = nullptr;
    for (Loop& loop : own)
      if (loop.blocks.contains(block.id()) && (!innermost || loop.blocks.size() < innermost->blocks.size()))
        innermost = &loop;
    if (innermost)
      innermost->accesses += static_cast<size_t>(
          std::count_if(block.begin(), block.end(), [&](const Instruction& i) { return notes(i); }));
  }
  for (Loop& loop : own)
    loop.outermost = std::ranges::none_of(
        own, [&](const Loop& other) { return &other != &loop && is_within(loop.blocks, other.blocks); });
}

void CheckQueue::add_loops(std::vector<Loop>& loops) {
  const auto find = [&](auto wanted) {
    std::vector<Loop*> found;
    for (Loop& loop : loops)
      if (loop.next && loop.accesses != 0 && wanted(loop)) found.push_back(&loop);
    return found;
  };
  std::vector<Loop*> placed = find([](const Loop&) { return true; });
  if (places_.size() + placed.size() > most_places) {
    for (Loop& loop : loops) {
      if (!loop.outermost) continue;
      for (const Loop& other : loops)
        if (&other != &loop && is_within(other.blocks, loop.blocks)) loop.accesses += other.accesses;
    }
    placed = find([](const Loop& loop) { return loop.outermost; });
    std::ranges::stable_sort(placed, std::ranges::greater(), &Loop::accesses);
    placed.resize(std::min(placed.size(), most_places - std::min(most_places, places_.size())));
  }
  for (Loop* const loop : placed) {
    loop->placed = true;
    places_.push_back({loop->next, true});
  }
}

// A loop with a place checks there all that has slots, in each iteration.
void CheckQueue::assign_slots(const std::vector<Loop>& loops) {
  std::unordered_map<const Instruction*, Repeats> repeats;
  for (Function& function : *module_.context().module()) {
    for (BasicBlock& block : function) {
      const Loop* innermost = nullptr;
      for (const Loop& loop : loops)
        if (loop.blocks.contains(block.id()) && (!innermost || is_within(loop.blocks, innermost->blocks)))
          innermost = &loop;
      for (const Instruction& instruction : block) {
        if (!notes(instruction)) continue;
        repeats[&instruction] = !innermost          ? Repeats::if_function_does
                                : innermost->placed ? Repeats::never
                                                    : Repeats::yes;
      }
    }
  }
  slots_.assign(checks_.entry_point().function, accesses_, [&](const Instruction& instruction) {
    const auto found = repeats.find(&instruction);
    return found == repeats.end() ? Repeats::never : found->second;
  });
  table_.entries.resize(slots_.size());
}

uint64_t CheckQueue::slots_in(uint32_t function, std::unordered_map<uint32_t, uint64_t>& known) const {
  const auto [found, is_new] = known.emplace(function, 0);
  const Function* const code = is_new ? function_with(module_.context(), function) : nullptr;
  if (!code) return found->second;
  uint64_t slots = 0;
  code->ForEachInst([&](const Instruction* i) {
    if (const auto access = accesses_.find(i); access != accesses_.end() && !slots_.has(*i))
      slots += access->second;
    if (i->opcode() == spv::Op::OpFunctionCall && functions_.contains(i->GetSingleWordInOperand(0)))
      slots += slots_in(i->GetSingleWordInOperand(0), known);
  });
  slots = std::min<uint64_t>(slots, SQA_QUEUE_MANY);
  known[function] = slots;
  return slots;
}

// Between two places no access is executed twice, if all loops have one. In a loop it checks once half of the
// slots are in use; the last slots are for what has no room.
uint32_t CheckQueue::choose_room(const std::vector<Loop>& loops) const {
  if (std::ranges::all_of(accesses_, [&](const auto& access) { return slots_.has(*access.first); })) return 0;
  if (std::ranges::any_of(loops, [](const Loop& loop) { return loop.accesses != 0 && !loop.placed; }))
    return SQA_QUEUE_MANY;
  std::unordered_map<uint32_t, uint64_t> known;
  const uint64_t slots = slots_in(checks_.entry_point().function, known);
  for (const uint32_t room : {SQA_QUEUE_FEW, SQA_QUEUE_SOME})
    if (slots + most_in_queue <= (loops.empty() ? room : room / 2)) return room;
  return SQA_QUEUE_MANY;
}

std::unordered_set<uint32_t> CheckQueue::blocks_behind_notes(Function& function) const {
  std::unordered_set<uint32_t> behind;
  std::vector<const BasicBlock*> next;
  const auto blocks = blocks_by_label(function);
  for (BasicBlock& block : function)
    if (std::any_of(block.begin(), block.end(), [&](const Instruction& i) { return notes(i); }))
      next.push_back(&block);
  while (!next.empty()) {
    const BasicBlock* const block = next.back();
    next.pop_back();
    block->ForEachSuccessorLabel([&](const uint32_t label) {
      const auto found = blocks.find(label);
      if (behind.insert(label).second && found != blocks.end()) next.push_back(found->second);
    });
  }
  return behind;
}

size_t CheckQueue::find_places(bool can_join_ends) {
  find_noting_functions();
  std::vector<Loop> loops;
  for (Function& function : *module_.context().module()) {
    const bool is_entry = function.result_id() == checks_.entry_point().function;
    // Most shaders return early where the invocation has nothing to do: nothing is noted then.
    const auto behind = is_entry ? blocks_behind_notes(function) : std::unordered_set<uint32_t>();
    for (BasicBlock& block : function) {
      bool noted = !is_entry || behind.contains(block.id());
      for (Instruction& instruction : block) {
        noted = noted || notes(instruction);
        const spv::Op op = instruction.opcode();
        if (!noted || !separates_accesses(op) || goes_on(op) || (!is_entry && ends_in_callee(op))) continue;
        // A block's merge instruction stands in front of its last one; these ends have none.
        if (op == spv::Op::OpReturn)
          ends_.push_back(&instruction);
        else
          places_.push_back({&instruction, false});
      }
    }
    if (functions_.contains(function.result_id())) find_loops(function, loops);
  }
  joins_ends_ = can_join_ends && ends_.size() > 1;
  if (!joins_ends_)
    for (Instruction* const end : ends_) places_.push_back({end, false});
  add_loops(loops);
  assign_slots(loops);
  table_.room = choose_room(loops);
  return places_.size() + (joins_ends_ ? 1 : 0);
}

void CheckQueue::emit_checks() {
  if (joins_ends_) places_.push_back({call_code(module_, checks_.entry_point()), false});
  function_ = module_.take_id();
  slots_.emit_bases();
  const uint32_t root = checks_.root(), type = module_.void_type();
  for (const Place& place : places_) {
    SiteBuilder site(module_, place.before);
    const uint32_t least = module_.constant(place.in_loop ? table_.room / 2 : 1);
    site.emit_as(module_.take_id(), spv::Op::OpFunctionCall, type, std::vector{function_, least});
    if (table_.room == 0) continue;
    const uint32_t end = checks_.runtime().function("sqa_end_queue");
    site.emit_as(module_.take_id(), spv::Op::OpFunctionCall, type, std::vector{end, root, least});
  }
}

}  // namespace shaderqa
