// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/check_queue.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "instrument/accesses/merged_accesses.h"
#include "instrument/ir/atomics.h"
#include "instrument/ir/block_start.h"
#include "instrument/ir/loop_hints.h"
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
// What logs reads is shorter, but as long as this many reads that are logged where they are, and longer with
// more that are noted, and with the code of checks. A loop with fewer, and no checks, has no place. Above so
// many places, those loops have one that have most.
constexpr size_t most_places_of_logs = 16;
constexpr size_t least_logs_of_place(size_t noted, bool checks) { return (checks ? 6 : 2) + noted / 128; }

// An access takes one slot of the queue, or two.
constexpr uint32_t most_in_queue = 2;

// What ends the function alone leaves the queue to its caller.
bool ends_in_callee(spv::Op op) { return op == spv::Op::OpReturn || op == spv::Op::OpReturnValue; }

bool goes_on(spv::Op op) {
  return op == spv::Op::OpFunctionCall || op == spv::Op::OpBranch || op == spv::Op::OpBranchConditional ||
         op == spv::Op::OpSwitch || op == spv::Op::OpUnreachable;
}

bool is_within(const std::unordered_set<uint32_t>& inner, const std::unordered_set<uint32_t>& outer) {
  return inner.size() < outer.size() &&
         std::ranges::all_of(inner, [&](uint32_t label) { return outer.contains(label); });
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

bool CheckQueue::separates(const Instruction& instruction, bool is_entry) const {
  const spv::Op op = instruction.opcode();
  if (is_atomic(op)) return atomics_order_;
  return separates_accesses(op) && !goes_on(op) && (is_entry || !ends_in_callee(op));
}

std::vector<CheckQueue::Loop> CheckQueue::loops_of(Function& function, const NoteFlow& flow) const {
  const auto blocks = blocks_by_label(function);
  const auto find = [&](uint32_t label) -> const BasicBlock* {
    const auto found = blocks.find(label);
    return found == blocks.end() ? nullptr : found->second;
  };
  std::vector<Loop> loops;
  for (BasicBlock& block : function) {
    Instruction* const merge = block.GetLoopMergeInst();
    if (!merge) continue;
    const auto labels = blocks_of_loop(block.id(), merge->GetSingleWordInOperand(0), find);
    // Not in the continue target, which a loop that always ends in its first iteration does not come to.
    Loop loop{block.id(), merge, start_of(block), {labels.begin(), labels.end()}, true, false, {}, 0, 0};
    if (flow.repeats(block.id(), loop.blocks)) loops.push_back(std::move(loop));
  }
  // A block stands behind those that dominate it, so an outer loop's header stands first.
  std::ranges::reverse(loops);
  for (BasicBlock& block : function) {
    const auto accesses = static_cast<size_t>(
        std::count_if(block.begin(), block.end(), [&](const Instruction& i) { return notes(i); }));
    const auto innermost =
        std::ranges::find_if(loops, [&](const Loop& loop) { return loop.blocks.contains(block.id()); });
    if (accesses == 0 || innermost == loops.end()) continue;
    innermost->noting.push_back(block.id());
    innermost->accesses += accesses;
    innermost->checks += static_cast<size_t>(std::count_if(
        block.begin(), block.end(), [&](const Instruction& i) { return notes(i) && !logged_.contains(&i); }));
  }
  for (Loop& loop : loops)
    loop.outermost = std::ranges::none_of(
        loops, [&](const Loop& other) { return &other != &loop && is_within(loop.blocks, other.blocks); });
  return loops;
}

bool CheckQueue::needs_place(const Code& code, const Loop& loop) const {
  const bool is_worth = loop.checks != 0 || loop.accesses >= least_logs_of_place(accesses_.size(), checks());
  return loop.next && is_worth && std::ranges::any_of(loop.noting, [&](uint32_t label) {
           return code.flow.can_repeat(label, loop.blocks);
         });
}

void CheckQueue::set_places(Code& code) {
  std::unordered_set<uint32_t> headers;
  for (const Loop& loop : code.loops)
    if (loop.placed) headers.insert(loop.header);
  code.flow.set_places_at_begins(std::move(headers));
}

// An outer loop may need none if its iterations come to one of the inner loop's.
void CheckQueue::place_loops() {
  for (Code& code : code_) {
    for (Loop& loop : code.loops) {
      loop.placed = needs_place(code, loop);
      if (loop.placed) set_places(code);
    }
  }
}

void CheckQueue::place_outermost_loops(size_t most) {
  std::vector<Loop*> outermost;
  for (Code& code : code_) {
    for (Loop& loop : code.loops) {
      if (!loop.outermost) continue;
      for (const Loop& other : code.loops) {
        if (!is_within(other.blocks, loop.blocks)) continue;
        loop.accesses += other.accesses;
        loop.checks += other.checks;
        loop.noting.insert(loop.noting.end(), other.noting.begin(), other.noting.end());
      }
      if (needs_place(code, loop)) outermost.push_back(&loop);
    }
  }
  std::ranges::stable_sort(outermost, std::ranges::greater(), &Loop::accesses);
  outermost.resize(std::min(outermost.size(), most));
  for (Loop* const loop : outermost) loop->placed = true;
  for (Code& code : code_) set_places(code);
}

void CheckQueue::place_busiest_loops(size_t most) {
  std::vector<Loop*> busiest;
  for (Code& code : code_)
    for (Loop& loop : code.loops)
      if (needs_place(code, loop)) busiest.push_back(&loop);
  std::ranges::stable_sort(busiest, std::ranges::greater(), &Loop::accesses);
  busiest.resize(std::min(busiest.size(), most));
  for (Loop* const loop : busiest) loop->placed = true;
  for (Code& code : code_) set_places(code);
}

void CheckQueue::collect_places(bool can_join_ends) {
  places_.clear();
  ends_.clear();
  for (const Code& code : code_) {
    for (Instruction* const before : code.flow.places(!code.is_entry)) {
      // A block's merge instruction stands in front of its last one; these ends have none.
      if (before->opcode() == spv::Op::OpReturn)
        ends_.push_back(before);
      else
        places_.push_back({before, false});
    }
  }
  joins_ends_ = can_join_ends && ends_.size() > 1;
  if (!joins_ends_)
    for (Instruction* const end : ends_) places_.push_back({end, false});
  for (const Code& code : code_)
    for (const Loop& loop : code.loops)
      if (loop.placed) places_.push_back({loop.next, true});
}

// A loop with a place checks there all that has slots, in each iteration.
CheckQueue::Repeats CheckQueue::repeats_in(const Code& code, uint32_t label) {
  const auto contains = [&](const Loop& loop) { return loop.blocks.contains(label); };
  const auto innermost = std::ranges::find_if(code.loops, contains);
  if (innermost == code.loops.end()) return Repeats::if_function_does;
  if (std::ranges::any_of(code.loops, [&](const Loop& loop) {
        return contains(loop) && code.flow.can_repeat(label, loop.blocks);
      }))
    return Repeats::yes;
  return innermost->placed ? Repeats::never : Repeats::if_function_does;
}

void CheckQueue::assign_slots() {
  std::unordered_map<const Instruction*, Repeats> repeats;
  auto code = code_.begin();
  for (Function& function : *module_.context().module()) {
    for (const BasicBlock& block : function)
      for (const Instruction& instruction : block)
        if (notes(instruction)) repeats[&instruction] = repeats_in(*code, block.id());
    ++code;
  }
  slots_.assign(checks_.entry_point().function, accesses_, [&](const Instruction& instruction) {
    const auto found = repeats.find(&instruction);
    return found == repeats.end() ? Repeats::never : found->second;
  });
  const bool unbounded = std::ranges::any_of(
      repeats, [&](const auto& one) { return one.second == Repeats::yes && !logged_.contains(one.first); });
  const auto has_none = [&](const auto& access) {
    return logged_.contains(access.first) && !slots_.has(*access.first);
  };
  std::erase_if(accesses_, has_none);
  std::erase_if(logged_, [&](const Instruction* access) { return !accesses_.contains(access); });
  table_.entries.resize(slots_.size());
  table_.room = choose_room(unbounded);
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

// Between two places no access is executed twice, unless that is unbounded. In a loop the queue is checked
// once half of its slots are in use; the last ones are for what has no room.
uint32_t CheckQueue::choose_room(bool unbounded) const {
  if (std::ranges::all_of(accesses_, [&](const auto& access) { return slots_.has(*access.first); })) return 0;
  if (unbounded) return SQA_QUEUE_MANY;
  std::unordered_map<uint32_t, uint64_t> known;
  const uint64_t slots = slots_in(checks_.entry_point().function, known);
  const bool loops = std::ranges::any_of(places_, &Place::in_loop);
  for (const uint32_t room : {SQA_QUEUE_FEW, SQA_QUEUE_SOME})
    if (slots + most_in_queue <= (loops ? room / 2 : room)) return room;
  return SQA_QUEUE_MANY;
}

size_t CheckQueue::find_places(bool can_join_ends, bool atomics_order) {
  atomics_order_ = atomics_order;
  find_noting_functions();
  for (Function& function : *module_.context().module()) {
    const bool is_entry = function.result_id() == checks_.entry_point().function;
    NoteFlow flow(
        function, [this](const Instruction& i) { return notes(i); },
        [this, is_entry](const Instruction& i) { return separates(i, is_entry); });
    std::vector<Loop> loops = loops_of(function, flow);
    code_.push_back({std::move(flow), std::move(loops), is_entry});
  }
  place_loops();
  collect_places(can_join_ends);
  const size_t most = checks() ? most_places : most_places_of_logs;
  if (places_.size() > most) {
    for (Code& code : code_) {
      for (Loop& loop : code.loops) loop.placed = false;
      set_places(code);
    }
    collect_places(can_join_ends);
    const size_t left = most - std::min(most, places_.size());
    checks() ? place_outermost_loops(left) : place_busiest_loops(left);
    collect_places(can_join_ends);
  }
  assign_slots();
  if (table_.room != 0) {
    // Loops may leave something in the queue.
    for (Code& code : code_) code.flow.set_places_at_begins({});
    collect_places(can_join_ends);
  }
  return places_.size() + (joins_ends_ ? 1 : 0);
}

// Each copy of a loop's body would note its own accesses, and drivers unroll loops without a hint, too. On
// lavapipe a store to the queue is code for each invocation of a vector, and the passes for coroutines take
// time with the square of its uses: a compute shader with four accesses in loops of a fixed number of
// iterations took 20 s.
void CheckQueue::stop_unrolling() {
  for (const Code& code : code_)
    for (const Loop& loop : code.loops)
      if (std::ranges::any_of(code.loops, [&](const Loop& other) {
            return other.accesses != 0 && (&other == &loop || is_within(other.blocks, loop.blocks));
          }))
        remove_unroll_hint(*loop.merge);
}

void CheckQueue::emit_checks() {
  stop_unrolling();
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
