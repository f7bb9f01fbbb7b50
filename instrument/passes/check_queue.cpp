// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/check_queue.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "instrument/accesses/merged_accesses.h"
#include "instrument/ir/block_start.h"
#include "instrument/ir/site_builder.h"
#include "instrument/ir/structured_loops.h"
#include "instrument/passes/entry_code.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_image.h"
#include "source/opcode.h"
#include "source/opt/module.h"

namespace shaderqa {
namespace {

using spvtools::opt::BasicBlock;
using spvtools::opt::Function;
using spvtools::opt::Instruction;

// Each place has the code of all checks. Above so many, only those loops have one that are within no other
// and have most accesses. In the others accesses may be too many for the queue, which a note says then.
constexpr size_t most_places = 5;

// The first dword of a noted access has, from the lowest bit on: the number of its site, the number of its
// Common, and its SQA_NOTED_*.
constexpr uint32_t site_bits = 18, common_bits = 11;

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

// As runtime/accesses.glsl and runtime/image.glsl have them.
const std::vector<CheckQueue::Kind>& CheckQueue::kinds() {
  static const std::vector<Kind> all = {{"sqa_access_set", "sqa_note_set", {4, 0, 0, 1}},
                                        {"sqa_access_address", "sqa_note_address", {0, 0, 1}},
                                        {"sqa_access_image", "sqa_note_image", {4, 0, 0, 0}},
                                        {"sqa_access_input", "sqa_note_input", {4, 0, 0}},
                                        {"sqa_access_sampled", "sqa_note_sample", {4, 0, 0, 3, 0, 1}}};
  return all;
}

bool CheckQueue::is_constant(uint32_t id, uint32_t components) const {
  const Instruction* const value = global_of(module_.context(), id);
  if (!value || spvOpcodeIsConstant(value->opcode()) == 0) return false;
  return components != 3 || value->opcode() == spv::Op::OpConstantComposite;
}

namespace {

uint32_t form_of(std::string_view function, const auto& kinds) {
  return static_cast<uint32_t>(
      std::ranges::find_if(kinds, [&](const auto& kind) { return kind.check == function; }) - kinds.begin());
}

}  // namespace

bool CheckQueue::can_note(std::string_view function, const std::vector<uint32_t>& arguments) const {
  const uint32_t form = form_of(function, kinds());
  if (form == kinds().size() || sites_.sites.size() + 1 >= 1u << site_bits ||
      sites_.common.size() + 1 >= 1u << common_bits)
    return false;
  const std::vector<uint32_t>& constants = kinds()[form].constants;
  for (size_t i = 0; i < constants.size(); ++i)
    if (constants[i] != 0 && !is_constant(arguments[i], constants[i])) return false;
  if (form != SQA_NOTED_SAMPLE || is_constant(arguments[1], 1)) return true;
  // The layer of a cube is noted in the index's place.
  const Instruction* const how = global_of(module_.context(), arguments[5]);
  return how->opcode() == spv::Op::OpConstant && (how->GetSingleWordInOperand(0) & SQA_SAMPLE_CUBE) == 0;
}

uint32_t CheckQueue::slots_of(std::string_view function, const std::vector<uint32_t>& arguments) const {
  const uint32_t form = form_of(function, kinds());
  if (form < SQA_NOTED_IMAGE) return 1;
  return form == SQA_NOTED_IMAGE && is_constant(arguments[1], 1) ? 1 : most_slots;
}

CheckQueue::Common CheckQueue::common_of(uint32_t form, const std::vector<uint32_t>& arguments) const {
  const uint32_t zero = module_.constant(0);
  Common common{zero, zero, zero, zero, zero, zero};
  if (form == SQA_NOTED_ADDRESS) {
    common[0] = module_.global(spv::Op::OpConstantComposite, module_.vector_type(module_.uint_type(), 4),
                               {zero, zero, zero, zero});
    common[2] = arguments[2];
    return common;
  }
  common[0] = arguments[0];
  const bool varies = form == SQA_NOTED_INPUT || !is_constant(arguments[1], 1);
  common[1] = varies ? module_.constant(SQA_NOTED_VARIES) : arguments[1];
  if (form == SQA_NOTED_SET) common[2] = arguments[3];
  if (form != SQA_NOTED_SAMPLE) return common;
  const Instruction* const offsets = global_of(module_.context(), arguments[3]);
  for (uint32_t n = 0; n < 3; ++n) common[2 + n] = offsets->GetSingleWordInOperand(n);
  common[5] = arguments[5];
  return common;
}

std::vector<uint32_t> CheckQueue::note(std::string_view function, uint32_t site,
                                       const std::vector<uint32_t>& arguments) {
  const uint32_t form = form_of(function, kinds());
  forms_ |= 1u << form;
  sites_.sites.push_back(site);
  const Common common = common_of(form, arguments);
  auto known = std::ranges::find(sites_.common, common);
  if (known == sites_.common.end()) known = sites_.common.insert(known, common);
  const auto number = static_cast<uint32_t>(sites_.sites.size()) |
                      static_cast<uint32_t>(known - sites_.common.begin() + 1) << site_bits |
                      form << (site_bits + common_bits);
  const bool may_omit_index = form == SQA_NOTED_SET || form == SQA_NOTED_IMAGE;
  const bool has_index = !may_omit_index || !is_constant(arguments[1], 1);
  std::string noting(kinds()[form].noting);
  if (may_omit_index && has_index) noting += "_of";
  std::vector<uint32_t> operands{checks_.runtime().function(noting), module_.constant(room_),
                                 module_.constant(number)};
  const std::vector<uint32_t>& constants = kinds()[form].constants;
  for (size_t i = 0; i < constants.size(); ++i) {
    const bool is_index = form != SQA_NOTED_ADDRESS && i == 1;
    const bool is_how = form == SQA_NOTED_SAMPLE && i == 5;
    if ((constants[i] == 0 && (!is_index || has_index)) || is_how) operands.push_back(arguments[i]);
  }
  operands.push_back(arguments.back());
  return operands;
}

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
    if (loop.next) loops.push_back(std::move(loop));
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

bool CheckQueue::add_loops(std::vector<Loop>& loops) {
  const size_t all = loops.size();
  if (places_.size() + static_cast<size_t>(std::ranges::count_if(loops, &Loop::accesses)) > most_places) {
    for (Loop& loop : loops) {
      if (!loop.outermost) continue;
      for (const Loop& other : loops)
        if (&other != &loop && is_within(other.blocks, loop.blocks)) loop.accesses += other.accesses;
    }
    std::erase_if(loops, [](const Loop& loop) { return !loop.outermost; });
    std::ranges::stable_sort(loops, std::ranges::greater(), &Loop::accesses);
    loops.resize(std::min(loops.size(), most_places - std::min(most_places, places_.size())));
  }
  for (const Loop& loop : loops)
    if (loop.accesses != 0) places_.push_back({loop.next, true});
  return loops.size() == all;
}

uint64_t CheckQueue::slots_in(uint32_t function, std::unordered_map<uint32_t, uint64_t>& known) const {
  const auto [found, is_new] = known.emplace(function, 0);
  const Function* const code = is_new ? function_with(module_.context(), function) : nullptr;
  if (!code) return found->second;
  uint64_t slots = 0;
  code->ForEachInst([&](const Instruction* i) {
    if (const auto access = accesses_.find(i); access != accesses_.end()) slots += access->second;
    if (i->opcode() == spv::Op::OpFunctionCall && functions_.contains(i->GetSingleWordInOperand(0)))
      slots += slots_in(i->GetSingleWordInOperand(0), known);
  });
  slots = std::min<uint64_t>(slots, SQA_QUEUE_MANY);
  known[function] = slots;
  return slots;
}

// Between two places no access is executed twice, if all loops have one. In a loop it checks once half of the
// slots are in use; the last slots are for what has no room.
uint32_t CheckQueue::choose_room(bool loops, bool all_have_places) const {
  if (!all_have_places) return SQA_QUEUE_MANY;
  std::unordered_map<uint32_t, uint64_t> known;
  const uint64_t slots = slots_in(checks_.entry_point().function, known);
  for (const uint32_t room : {SQA_QUEUE_FEW, SQA_QUEUE_SOME})
    if (slots + most_slots <= (loops ? room / 2 : room)) return room;
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
  const bool has_loops = !loops.empty();
  const bool all_have_places = add_loops(loops);
  room_ = choose_room(has_loops, all_have_places);
  return places_.size() + (joins_ends_ ? 1 : 0);
}

void CheckQueue::emit_checks() {
  if (joins_ends_) places_.push_back({call_code(module_, checks_.entry_point()), false});
  function_ = module_.take_id();
  const uint32_t root = checks_.root(), type = module_.void_type();
  for (const Place& place : places_) {
    SiteBuilder site(module_, place.before);
    const uint32_t least = module_.constant(place.in_loop ? room_ / 2 : 1);
    site.emit_as(module_.take_id(), spv::Op::OpFunctionCall, type, std::vector{function_, least});
    const uint32_t end = checks_.runtime().function("sqa_end_queue");
    site.emit_as(module_.take_id(), spv::Op::OpFunctionCall, type, std::vector{end, root, least});
  }
}

// void f(uint least): for (i = 0; i < length; ++i) check the access noted there
void CheckQueue::finish() {
  const uint32_t uint_type = module_.uint_type(), void_type = module_.void_type();
  const uint32_t entry = module_.take_id(), header = module_.take_id(), body = module_.take_id(),
                 next = module_.take_id(), merge = module_.take_id(), more = module_.take_id(),
                 i = module_.take_id();
  FunctionWords words(module_);
  const auto call = [&](uint32_t type, std::string_view function, std::vector<uint32_t> arguments) {
    const uint32_t result = module_.take_id();
    arguments.insert(arguments.begin(), {type, result, checks_.runtime().function(function)});
    words.add(spv::Op::OpFunctionCall, arguments);
    return result;
  };
  module_.add_name(function_, "sqa_check_noted");
  words.add(spv::Op::OpFunction,
            {void_type, function_, 0, module_.global(spv::Op::OpTypeFunction, 0, {void_type, uint_type})});
  const uint32_t least = words.result(spv::Op::OpFunctionParameter, uint_type, {});
  words.label(entry);
  const uint32_t length = call(uint_type, "sqa_queue_length", {least});
  words.add(spv::Op::OpBranch, {header});
  words.label(header);
  words.add(spv::Op::OpPhi, {uint_type, i, module_.constant(0), entry, more, next});
  const uint32_t inside = words.result(spv::Op::OpULessThan, module_.bool_type(), {i, length});
  words.add(spv::Op::OpLoopMerge, {merge, next, static_cast<uint32_t>(spv::LoopControlMask::DontUnroll)});
  words.add(spv::Op::OpBranchConditional, {inside, body, merge});
  words.label(body);
  const uint32_t noted = call(module_.vector_type(uint_type, 3), "sqa_noted", {module_.constant(room_), i});
  const uint32_t slots = call(uint_type, "sqa_check_access_noted", chosen(words, i, noted));
  words.add(spv::Op::OpBranch, {next});
  words.label(next);
  words.add(spv::Op::OpIAdd, {uint_type, more, i, slots});
  words.add(spv::Op::OpBranch, {header});
  words.label(merge);
  words.add(spv::Op::OpReturn, {});
  words.add(spv::Op::OpFunctionEnd, {});
  checks_.runtime().add_function(words.take());
}

// The arguments of sqa_check_access_noted.
std::vector<uint32_t> CheckQueue::chosen(FunctionWords& words, uint32_t slot, uint32_t noted) {
  const uint32_t uint_type = module_.uint_type();
  const auto bits = [&](uint32_t value, uint32_t shift, uint32_t count) {
    const uint32_t shifted =
        words.result(spv::Op::OpShiftRightLogical, uint_type, {value, module_.constant(shift)});
    return words.result(spv::Op::OpBitwiseAnd, uint_type, {shifted, module_.constant((1u << count) - 1)});
  };
  const uint32_t first = words.result(spv::Op::OpCompositeExtract, uint_type, {noted, 0});
  const uint32_t form = std::has_single_bit(forms_)
                            ? module_.constant(static_cast<uint32_t>(std::countr_zero(forms_)))
                            : bits(first, site_bits + common_bits, 3);
  const auto choose = [](Chooser& chooser, std::vector<uint32_t> values, uint32_t components) {
    values.insert(values.begin(), values.front());
    return chooser.choose(values, components);
  };
  Chooser sites(module_, words, bits(first, 0, site_bits), sites_.sites.size() + 1);
  Chooser common(module_, words, bits(first, site_bits, common_bits), sites_.common.size() + 1);
  std::vector<uint32_t> parts;
  for (size_t part = 0; part < Common().size(); ++part) {
    std::vector<uint32_t> values;
    for (const Common& each : sites_.common) values.push_back(each[part]);
    parts.push_back(choose(common, values, part == 0 ? 4 : 1));
  }
  const uint32_t site = choose(sites, sites_.sites, 2);
  const uint32_t rest = words.result(spv::Op::OpCompositeConstruct, module_.vector_type(uint_type, 4),
                                     {parts[2], parts[3], parts[4], parts[5]});
  return {checks_.root(),
          checks_.hash(),
          module_.constant(room_),
          slot,
          noted,
          module_.constant(forms_),
          form,
          site,
          parts[0],
          parts[1],
          rest};
}

}  // namespace shaderqa
