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
#include "instrument/passes/function_words.h"
#include "instrument/runtime/abi_exact.h"
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

// In loops the queue is checked from there on.
constexpr uint32_t loop_length = SQA_QUEUE_ROOM / 2;

// The number of an access's kind stands above that of its site. No module has as many sites.
constexpr uint32_t kind_shift = 24;

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
  static const std::vector<Kind> all = {{"sqa_access_set", "sqa_note_set", false, {4, 0, 0, 1}},
                                        {"sqa_access_address", "sqa_note_address", false, {0, 0, 1}},
                                        {"sqa_access_image", "sqa_note_image", true, {4, 0, 0, 0}},
                                        {"sqa_access_input", "sqa_note_image", true, {4, 0, 0}},
                                        {"sqa_access_sampled", "sqa_note_sample", true, {4, 0, 0, 3, 0, 1}}};
  return all;
}

bool CheckQueue::is_constant(uint32_t id) const {
  const Instruction* const value = global_of(module_.context(), id);
  return value && spvOpcodeIsConstant(value->opcode()) != 0;
}

bool CheckQueue::can_note(std::string_view function, const std::vector<uint32_t>& arguments) const {
  const auto kind = std::ranges::find(kinds(), function, &Kind::check);
  if (kind == kinds().end()) return false;
  for (size_t i = 0; i < kind->constants.size(); ++i)
    if (kind->constants[i] != 0 && !is_constant(arguments[i])) return false;
  return true;
}

std::vector<uint32_t> CheckQueue::note(std::string_view function, uint32_t site,
                                       const std::vector<uint32_t>& arguments) {
  const auto kind = std::ranges::find(kinds(), function, &Kind::check);
  Sites& known = sites_[kind->check];
  known.sites.push_back(site);
  std::vector<uint32_t> constant, varying;
  for (size_t i = 0; i < kind->constants.size(); ++i)
    (kind->constants[i] != 0 ? constant : varying).push_back(arguments[i]);
  known.arguments.push_back(std::move(constant));
  const auto number =
      static_cast<uint32_t>(kind - kinds().begin()) << kind_shift | static_cast<uint32_t>(known.sites.size());
  std::vector<uint32_t> operands{checks_.runtime().function(kind->noting), module_.constant(number)};
  operands.insert(operands.end(), varying.begin(), varying.end());
  if (kind->check == "sqa_access_input") operands.push_back(module_.constant(0));
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
    for (BasicBlock& other : function)
      if (other.id() == target) loop.next = start_of(other);
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

void CheckQueue::add_loops(std::vector<Loop>& loops) {
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

size_t CheckQueue::find_places() {
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
        places_.push_back({&instruction, false});
      }
    }
    if (functions_.contains(function.result_id())) find_loops(function, loops);
  }
  add_loops(loops);
  return places_.size();
}

void CheckQueue::emit_checks(const std::set<std::string_view>& functions) {
  const uint32_t root = checks_.root(), type = module_.void_type();
  for (const std::string_view function : functions) sites_[function].function = module_.take_id();
  for (const Place& place : places_) {
    SiteBuilder site(module_, place.before);
    const uint32_t least = module_.constant(place.in_loop ? loop_length : 1);
    for (const auto& [check, sites] : sites_)
      site.emit_as(module_.take_id(), spv::Op::OpFunctionCall, type, std::vector{sites.function, least});
    const uint32_t end = checks_.runtime().function("sqa_end_queue");
    site.emit_as(module_.take_id(), spv::Op::OpFunctionCall, type, std::vector{end, root, least});
  }
}

void CheckQueue::finish() {
  for (size_t i = 0; i < kinds().size(); ++i)
    if (const auto found = sites_.find(kinds()[i].check); found != sites_.end())
      write_function(kinds()[i], i, found->second);
}

namespace {

// void f(uint least): for (i = 0; i < length; ++i) if (the access noted there is of the kind) { body }
class QueueLoop {
 public:
  QueueLoop(CheckCalls& checks, uint32_t function, bool images)
      : checks_(checks), module_(checks.module()), words(module_) {
    const uint32_t uint_type = module_.uint_type();
    const uint32_t type = module_.global(spv::Op::OpTypeFunction, 0, {module_.void_type(), uint_type});
    module_.add_name(function, "sqa_check_noted");
    words.add(spv::Op::OpFunction, {module_.void_type(), function, 0, type});
    const uint32_t least = words.result(spv::Op::OpFunctionParameter, uint_type, {});
    words.label(entry_);
    const uint32_t length = call(uint_type, "sqa_queue_length", {module_.bool_constant(images), least});
    words.add(spv::Op::OpBranch, {header_});
    words.label(header_);
    words.add(spv::Op::OpPhi, {uint_type, i, module_.constant(0), entry_, more_, next_});
    const uint32_t inside = words.result(spv::Op::OpULessThan, module_.bool_type(), {i, length});
    words.add(spv::Op::OpLoopMerge, {merge_, next_, static_cast<uint32_t>(spv::LoopControlMask::DontUnroll)});
    words.add(spv::Op::OpBranchConditional, {inside, body_, merge_});
    words.label(body_);
  }
  uint32_t call(uint32_t type, std::string_view function, std::vector<uint32_t> arguments) {
    const uint32_t result = module_.take_id();
    arguments.insert(arguments.begin(), {type, result, checks_.runtime().function(function)});
    words.add(spv::Op::OpFunctionCall, arguments);
    return result;
  }
  void begin_if(uint32_t condition) {
    words.add(spv::Op::OpSelectionMerge, {after_, 0});
    words.add(spv::Op::OpBranchConditional, {condition, then_, after_});
    words.label(then_);
  }
  std::vector<uint32_t> finish() {
    words.add(spv::Op::OpBranch, {after_});
    words.label(after_);
    words.add(spv::Op::OpBranch, {next_});
    words.label(next_);
    words.add(spv::Op::OpIAdd, {module_.uint_type(), more_, i, module_.constant(1)});
    words.add(spv::Op::OpBranch, {header_});
    words.label(merge_);
    words.add(spv::Op::OpReturn, {});
    words.add(spv::Op::OpFunctionEnd, {});
    return words.take();
  }

 private:
  CheckCalls& checks_;
  ModuleEditor& module_;
  const uint32_t entry_ = module_.take_id(), header_ = module_.take_id(), body_ = module_.take_id(),
                 then_ = module_.take_id(), after_ = module_.take_id(), next_ = module_.take_id(),
                 merge_ = module_.take_id(), more_ = module_.take_id();

 public:
  const uint32_t i = module_.take_id();
  FunctionWords words;
};

}  // namespace

void CheckQueue::write_function(const Kind& kind, size_t number, const Sites& sites) {
  const uint32_t uint_type = module_.uint_type(), float_type = module_.float_type();
  const auto vector = [&](uint32_t components) { return module_.vector_type(uint_type, components); };
  QueueLoop loop(checks_, sites.function, kind.image);
  FunctionWords& words = loop.words;
  const auto part = [&](uint32_t value, uint32_t component) {
    return words.result(spv::Op::OpCompositeExtract, uint_type, {value, component});
  };
  const uint32_t noted = kind.image ? loop.call(vector(3), "sqa_noted_image", {loop.i})
                                    : loop.call(vector(4), "sqa_noted_buffer", {loop.i});
  const uint32_t first = part(noted, 0);
  const uint32_t of_kind =
      words.result(spv::Op::OpShiftRightLogical, uint_type, {first, module_.constant(kind_shift)});
  loop.begin_if(words.result(spv::Op::OpIEqual, module_.bool_type(),
                             {of_kind, module_.constant(static_cast<uint32_t>(number))}));
  const uint32_t site =
      words.result(spv::Op::OpBitwiseAnd, uint_type, {first, module_.constant((1u << kind_shift) - 1)});
  if (sites.sites.empty()) {  // none of its accesses could be noted
    checks_.runtime().add_function(loop.finish());
    return;
  }
  Chooser chooser(module_, words, site, sites.sites.size() + 1);
  const auto choose = [&](std::vector<uint32_t> values, uint32_t components) {
    values.insert(values.begin(), values.front());
    return chooser.choose(values, components);
  };
  std::vector<uint32_t> arguments{checks_.root(), checks_.hash(), choose(sites.sites, 2)}, varying;
  if (kind.image) {
    uint32_t texel = loop.call(vector(4), "sqa_noted_texel", {loop.i}), level = part(noted, 2);
    if (kind.check == "sqa_access_sampled") {
      texel = words.result(spv::Op::OpBitcast, module_.vector_type(float_type, 4), {texel});
      level = words.result(spv::Op::OpBitcast, float_type, {level});
    }
    varying = {part(noted, 1), texel, level};
  } else if (kind.check == "sqa_access_set") {
    varying = {part(noted, 1), part(noted, 2)};
  } else {
    const uint32_t x = part(noted, 1), y = part(noted, 2);
    varying = {words.result(spv::Op::OpCompositeConstruct, vector(2), {x, y}), part(noted, 3)};
  }
  size_t constants = 0, others = 0;
  for (const uint32_t components : kind.constants) {
    if (components == 0) {
      arguments.push_back(varying[others++]);
      continue;
    }
    std::vector<uint32_t> values;
    for (const auto& of_site : sites.arguments) values.push_back(of_site[constants]);
    ++constants;
    arguments.push_back(choose(values, components));
  }
  arguments.push_back(module_.bool_constant(true));
  loop.call(module_.void_type(), kind.check, arguments);
  checks_.runtime().add_function(loop.finish());
}

}  // namespace shaderqa
