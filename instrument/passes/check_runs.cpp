// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/check_runs.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "instrument/accesses/merged_accesses.h"
#include "instrument/ir/site_builder.h"
#include "instrument/ir/structured_loops.h"
#include "instrument/passes/check_queue.h"
#include "instrument/passes/function_words.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

// The values of all accesses of a run live until its end, and each iteration selects among them. They are
// arguments of one function, of which SPIR-V allows 255 (Universal Limits): four for each access, and two.
constexpr size_t most_of_run = 60;

// Between two accesses of a run, so that a long function is not looked through again and again.
constexpr size_t most_blocks_of_run = 8;

// How many of the last runs a check may belong to: those in a selection come behind that in front of it.
constexpr size_t most_open_runs = 4;

// Each place where checks are skipped costs time. On an H100 a copy with one took 1.8 times its own time
// instead of 2.0 with a second version, a stencil with several 2.5 times instead of 2.0.
constexpr size_t most_skipping_runs = 1;

// The types of what AccessCheck::arguments holds, without `live`, which is a bool: uvec4 descriptor or uvec2
// address, and so on as runtime/accesses.glsl has them.
std::vector<uint32_t> components_of(std::string_view function) {
  if (function == "sqa_access_address" || function == "sqa_words_address" || function == "sqa_log_address")
    return {2, 1, 1};
  return {4, 1, 1, 1};
}

}  // namespace

// Whether each invocation that comes to the last access of the run comes to that of the check next.
bool CheckRuns::continues(const Run& run, const AccessCheck& check) {
  const AccessCheck& last = run.back();
  if (!last.shares || !check.shares || last.function != check.function || run.size() == most_of_run)
    return false;
  if (!paths_)
    paths_.emplace(module_.context(), [](const Instruction& i) { return separates_accesses(i.opcode()); });
  size_t blocks = 0;
  for (const Instruction* i = last.access->at.instruction; i;) {
    if (i == check.access->at.instruction) return true;
    if (const spvtools::opt::BasicBlock* const next = paths_->behind(*i)) {
      if (++blocks == most_blocks_of_run) return false;
      i = &*next->begin();
    } else if (separates_accesses(i->opcode())) {
      return false;
    } else {
      i = i->NextNode();
    }
  }
  return false;
}

CheckRuns::Run* CheckRuns::run_of(const AccessCheck& check) {
  const size_t first = runs_.size() - std::min(runs_.size(), most_open_runs);
  for (size_t i = runs_.size(); i-- > first;)
    if (continues(runs_[i], check)) return &runs_[i];
  return nullptr;
}

AccessCheck& CheckRuns::add(AccessCheck check) {
  Run* run = run_of(check);
  if (!run) run = &runs_.emplace_back();
  return run->emplace_back(std::move(check));
}

bool CheckRuns::prefer_words(bool together) {
  const auto has_words = [](const Run& run) {
    return std::ranges::none_of(run, &std::string_view::empty, &AccessCheck::words_function);
  };
  const auto is_direct = [](const Run& run) { return std::ranges::all_of(run, &AccessCheck::direct); };
  if (together && !std::ranges::all_of(runs_, has_words)) return false;
  const bool may_be_direct = !together || std::ranges::all_of(runs_, is_direct);
  bool any = false;
  for (Run& run : runs_) {
    if (!has_words(run)) continue;
    const bool direct = may_be_direct && is_direct(run);
    for (AccessCheck& check : run) check.function = direct ? "sqa_direct_set" : check.words_function;
    any = any || direct;
  }
  return any;
}

void CheckRuns::count(CheckCopies& copies, bool loops) const {
  for (const Run& run : runs_)
    copies.add(*run.back().access->at.instruction, loops ? 1 : static_cast<uint32_t>(run.size()));
}

uint32_t CheckRuns::emit_call(Instruction* before, const std::vector<uint32_t>& operands) {
  SiteBuilder site(module_, before);
  const uint32_t result = module_.take_id();
  site.emit_as(result, spv::Op::OpFunctionCall, module_.void_type(), operands);
  return result;
}

std::vector<uint32_t> CheckRuns::operands_of(const Checks& checks, uint32_t count) {
  std::vector<uint32_t> operands;
  if (checks.size() == 1) {
    operands = {checks_.runtime().function(checks.front()->function), checks_.root(), checks_.hash(),
                checks.front()->site};
    operands.insert(operands.end(), checks.front()->arguments.begin(), checks.front()->arguments.end());
    return operands;
  }
  operands.push_back(loop_function(checks, count != 0));
  for (const AccessCheck* check : checks)
    operands.insert(operands.end(), check->arguments.begin(), check->arguments.end() - 1);
  // Nothing in between ends an invocation or makes it a helper, so they agree.
  operands.push_back(checks.back()->arguments.back());
  if (count != 0) operands.push_back(count);
  return operands;
}

// void f(arguments of the first check, ..., bool live, uint checks): i = 0; do check(arguments of check i,
// live); while (++i < checks); Without `counted` the number of checks is a constant.
uint32_t CheckRuns::loop_function(const Checks& checks, bool counted) {
  const std::vector<uint32_t> components = components_of(checks.front()->function);
  const uint32_t uint_type = module_.uint_type(), bool_type = module_.bool_type();
  std::vector<uint32_t> type_operands{module_.void_type()}, parameters;
  for (size_t i = 0; i < checks.size(); ++i)
    for (const uint32_t count : components) type_operands.push_back(module_.vector_type(uint_type, count));
  type_operands.push_back(bool_type);
  if (counted) type_operands.push_back(uint_type);
  const uint32_t type = module_.global(spv::Op::OpTypeFunction, 0, type_operands);

  FunctionWords words(module_), next_words(module_);
  const uint32_t function = module_.take_id();
  module_.add_name(function, "sqa_checks");
  words.add(spv::Op::OpFunction, {module_.void_type(), function, 0, type});
  for (size_t i = 1; i < type_operands.size(); ++i)
    parameters.push_back(words.result(spv::Op::OpFunctionParameter, type_operands[i], {}));
  const uint32_t live = parameters[checks.size() * components.size()];
  const uint32_t count = counted ? parameters.back() : module_.constant(static_cast<uint32_t>(checks.size()));

  const uint32_t entry = module_.take_id(), header = module_.take_id(), body = module_.take_id(),
                 next = module_.take_id(), merge = module_.take_id(), iteration = module_.take_id(),
                 more = module_.take_id();
  words.label(entry);
  words.add(spv::Op::OpBranch, {header});
  words.label(header);
  words.add(spv::Op::OpPhi, {uint_type, iteration, module_.constant(0), entry, more, next});
  // The arguments of the first check need no selection.
  Chooser chooser(module_, next_words, more);
  std::vector<uint32_t> values;
  const auto argument = [&](uint32_t parts) {
    std::vector<uint32_t> others = values;
    others.front() = 0;
    const uint32_t chosen = chooser.choose(others, parts);
    if (chosen == values.front()) return chosen;
    return words.result(spv::Op::OpPhi, module_.vector_type(uint_type, parts),
                        {values.front(), entry, chosen, next});
  };
  for (const AccessCheck* check : checks) values.push_back(check->site);
  std::vector<uint32_t> call{
      module_.void_type(), module_.take_id(), checks_.runtime().function(checks.front()->function),
      checks_.root(),      checks_.hash(),    argument(2)};
  for (size_t n = 0; n < components.size(); ++n) {
    for (size_t i = 0; i < checks.size(); ++i) values[i] = parameters[i * components.size() + n];
    call.push_back(argument(components[n]));
  }
  call.push_back(live);
  words.add(spv::Op::OpLoopMerge, {merge, next, static_cast<uint32_t>(spv::LoopControlMask::DontUnroll)});
  words.add(spv::Op::OpBranch, {body});
  words.label(body);
  words.add(spv::Op::OpFunctionCall, call);
  words.add(spv::Op::OpIAdd, {uint_type, more, iteration, module_.constant(1)});
  words.add(spv::Op::OpBranchConditional,
            {words.result(spv::Op::OpULessThan, bool_type, {more, count}), next, merge});
  words.label(next);
  words.append(next_words.take());
  words.add(spv::Op::OpBranch, {header});
  words.label(merge);
  words.add(spv::Op::OpReturn, {});
  words.add(spv::Op::OpFunctionEnd, {});
  checks_.runtime().add_function(words.take());
  return function;
}

// The second version of the shader makes only those checks of the run that it needs.
void CheckRuns::emit_run(const Run& run) {
  Checks all, needed;
  for (const AccessCheck& check : run) all.push_back(&check);
  const uint32_t call = emit_call(run.back().access->at.instruction, operands_of(all));
  if (run.front().logged) unwatched_.log(call);
  for (const AccessCheck& check : run)
    if (!unwatched_.leave_out(call, *check.access, check.slots)) needed.push_back(&check);
  if (!needed.empty() && needed.size() != all.size()) unwatched_.keep_in_part(call, operands_of(needed));
}

bool CheckRuns::can_skip() const {
  spvtools::opt::Function* const entry = module_.context().GetFunction(checks_.entry_point().function);
  if (!entry) return false;
  const auto once = instructions_outside_loops(*entry);
  size_t runs = 0;
  for (const Run& run : runs_) {
    if (std::ranges::none_of(run, [&](const AccessCheck& check) { return can_skip(check); })) continue;
    if (++runs > most_skipping_runs || !once.contains(run.back().access->at.instruction)) return false;
  }
  return true;
}

// Nothing orders the accesses of a run among themselves, so those that may be skipped come last.
void CheckRuns::emit_skipping(const Run& run) {
  Checks checks;
  for (const AccessCheck& check : run)
    if (!can_skip(check)) checks.push_back(&check);
  const auto needed = static_cast<uint32_t>(checks.size());
  for (const AccessCheck& check : run) {
    if (!can_skip(check)) continue;
    checks.push_back(&check);
    unwatched_.skip(*check.access, check.slots);
  }
  Instruction* const before = run.back().access->at.instruction;
  SiteBuilder site(module_, before);
  std::vector<uint32_t> operands;
  if (needed == checks.size()) {
    operands = operands_of(checks);
  } else if (needed == 0) {
    operands = operands_of(checks);
    operands.back() =
        site.emit(spv::Op::OpLogicalAnd, module_.bool_type(), {operands.back(), unwatched_.watched(site)});
  } else {
    const uint32_t all = module_.constant(static_cast<uint32_t>(checks.size())),
                   some = module_.constant(needed);
    operands = operands_of(
        checks, site.emit(spv::Op::OpSelect, module_.uint_type(), {unwatched_.watched(site), all, some}));
  }
  emit_call(before, operands);
}

size_t CheckRuns::add_to(CheckQueue& queue, CheckCopies& copies, bool loops) {
  size_t left = 0;
  for (Run& run : runs_) {
    uint32_t noted = 0;
    for (AccessCheck& check : run) {
      if (check.waits && queue.can_note(check.function, check.arguments)) {
        queue.add(*check.access->at.instruction, check.function, check.arguments);
        noted += check.logged ? 0 : 1;
      } else if (!check.logged) {
        ++left;
      }
    }
    if (noted != 0) copies.add(*run.back().access->at.instruction, loops ? 1 : noted);
  }
  return left;
}

void CheckRuns::emit_noting(CheckQueue& queue) {
  for (Run& run : runs_)
    for (AccessCheck& check : run) {
      Instruction* const before = check.access->at.instruction;
      const bool noted = check.waits && queue.can_note(*before, check.function, check.arguments);
      if (noted && (check.logged || can_skip(check))) {
        SiteBuilder site(module_, before);
        uint32_t needed = 0;
        if (check.logged) {
          needed = unwatched_.logs(site, *check.access, check.slots);
        } else {
          unwatched_.skip(*check.access, check.slots);
          needed = unwatched_.watched(site);
        }
        uint32_t& live = check.arguments.back();
        live = site.emit(spv::Op::OpLogicalAnd, module_.bool_type(), {live, needed});
      }
      SiteBuilder site(module_, before);
      if (noted)
        queue.note(site, *before, check.function, check.site, check.arguments);
      else
        emit_call(before, operands_of({&check}));
    }
}

void CheckRuns::emit(bool loops) {
  const bool skips = loops && can_skip();
  for (const Run& run : runs_) {
    if (skips) {
      emit_skipping(run);
    } else if (loops) {
      emit_run(run);
    } else {
      for (const AccessCheck& check : run) emit_run({check});
    }
  }
}

}  // namespace shaderqa
