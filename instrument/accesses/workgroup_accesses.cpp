// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/workgroup_accesses.h"

#include <algorithm>

#include "instrument/accesses/common_fences.h"
#include "instrument/accesses/passed_on_reads.h"
#include "instrument/ir/atomics.h"
#include "instrument/ir/scopes.h"
#include "instrument/runtime/abi_report.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

// Chains are a few instructions long in valid modules, and may be endless in malformed ones.
constexpr uint32_t max_depth = 64;

constexpr uint32_t bits(auto value) { return static_cast<uint32_t>(value); }
constexpr uint32_t workgroup_memory = bits(spv::MemorySemanticsMask::WorkgroupMemory);
constexpr uint32_t releasing = bits(spv::MemorySemanticsMask::Release) |
                               bits(spv::MemorySemanticsMask::AcquireRelease) |
                               bits(spv::MemorySemanticsMask::SequentiallyConsistent);
constexpr uint32_t any_order = releasing | bits(spv::MemorySemanticsMask::Acquire);
constexpr uint32_t acquiring = any_order & ~bits(spv::MemorySemanticsMask::Release);

bool is_same(const WorkgroupPlace& a, const WorkgroupPlace& b) {
  return a.start == b.start && a.is_parameter == b.is_parameter && a.offset == b.offset && a.type == b.type &&
         a.in_bytes == b.in_bytes;
}

}  // namespace

WorkgroupAccessFinder::WorkgroupAccessFinder(const ModuleView& module, spvtools::opt::IRContext& context,
                                             const Decorations& decorations, const WorkgroupMemory& memory,
                                             std::span<const PlacedInstruction> placed)
    : module_(module),
      context_(context),
      decorations_(decorations),
      memory_(memory),
      layout_(module, decorations),
      placed_(placed) {
  for (auto& function : *context.module()) {
    const uint32_t id = function.result_id();
    uint32_t index = 0;
    function.ForEachParam([&](const spvtools::opt::Instruction* each) {
      parameters_.emplace(each->result_id(), Parameter{id, index});
      parameter_ids_.emplace(std::pair{id, index}, each->result_id());
      ++index;
    });
  }
  // Reads the words, since an earlier pass may have deleted the instruction in the IR.
  for (const PlacedInstruction& each : placed)
    if (const InstructionView i = module.at(each.offset); i.op() == spv::Op::OpFunctionCall)
      calls_[i.word(3)].push_back(i);
}

bool WorkgroupAccessFinder::is_workgroup(uint32_t pointer) const {
  const InstructionView type = module_.definition(module_.type_of(pointer), spv::Op::OpTypePointer);
  return type && static_cast<spv::StorageClass>(type.word(2)) == spv::StorageClass::Workgroup;
}

// The place that every call passes, if it is the same; else what the shader computes.
WorkgroupPlace WorkgroupAccessFinder::parameter(uint32_t id, uint32_t type, uint32_t depth) const {
  const auto known = parameters_.find(id);
  if (known == parameters_.end() || !memory_.is_finite(type)) return {};
  WorkgroupPlace flow;
  flow.start = id;
  flow.is_parameter = true;
  flow.type = type;
  const auto calls = calls_.find(known->second.function);
  if (calls == calls_.end()) return flow;
  WorkgroupPlace common;
  bool first = true;
  for (const InstructionView call : calls->second) {
    const WorkgroupPlace argument = resolve(call.word(4 + known->second.index), depth + 1);
    if (argument.in_bytes && argument.start != 0 && (!argument.indices.empty() || argument.is_parameter))
      return {};
    if (argument.start == 0 || argument.is_parameter || !argument.indices.empty()) return flow;
    if (!first && !is_same(argument, common)) return argument.in_bytes ? WorkgroupPlace{} : flow;
    common = argument;
    first = false;
  }
  return common;
}

WorkgroupPlace WorkgroupAccessFinder::resolve(uint32_t id, uint32_t depth) const {
  const InstructionView definition = module_.definition(id);
  const InstructionView type = module_.definition(module_.type_of(id), spv::Op::OpTypePointer);
  if (!definition || !type || depth > max_depth) return {};
  switch (definition.op()) {
    case spv::Op::OpVariable: {
      if (!memory_.is_finite(type.word(3))) return {};
      WorkgroupPlace place;
      place.start = id;
      place.type = type.word(3);
      place.in_bytes = decorations_.find(place.type, spv::Decoration::Block).has_value();
      return place;
    }
    case spv::Op::OpFunctionParameter:
      return parameter(id, type.word(3), depth);
    case spv::Op::OpCopyObject:
      return resolve(definition.word(3), depth + 1);
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain: {
      WorkgroupPlace place = resolve(definition.word(3), depth + 1);
      if (place.start == 0) return {};
      for (uint32_t i = 4; i < definition.size(); ++i)
        if (!memory_.step(place, definition.word(i))) return {};
      return place;
    }
    default:
      return {};
  }
}

void WorkgroupAccessFinder::memory(const PlacedInstruction& at, uint32_t access, uint32_t pointer,
                                   bool only_reads) {
  if (!is_workgroup(pointer)) return;
  const uint32_t tag = ++count_;
  WorkgroupAccess found{at, access, only_reads, resolve(pointer), {}, 0, tag};
  if (found.place.start == 0) {
    ++found_.unknown_place;
    return;
  }
  auto runs = memory_.runs_of(found.place.type, found.place.in_bytes);
  const auto extent = memory_.extent_of(found.place.type);
  if (!runs || !extent) {
    ++found_.unknown_layout;
    return;
  }
  found.runs = std::move(*runs);
  found.bytes = static_cast<uint32_t>(extent->size);
  found_.accesses.push_back(std::move(found));
}

// Invocation scope and an unknown one: the first orders nothing, the second may order everything.
bool WorkgroupAccessFinder::orders(uint32_t scope, uint32_t semantics, uint32_t ordering) const {
  const auto value = module_.constant(semantics);
  if (value && ((*value & workgroup_memory) == 0 || (*value & ordering) == 0)) return false;
  const auto scope_value = module_.constant(scope);
  return !scope_value || static_cast<spv::Scope>(*scope_value) != spv::Scope::Invocation;
}

void WorkgroupAccessFinder::atomic(const PlacedInstruction& at, InstructionView i) {
  const bool result = atomic_has_result(i.op());
  const uint32_t pointer = i.word(result ? 3 : 1);
  const uint32_t scope = i.word(result ? 4 : 2), semantics = i.word(result ? 5 : 3);
  found_.atomics.push_back({at, orders(scope, semantics, releasing), orders(scope, semantics, acquiring)});
  memory(at, SQA_ACCESS_ATOMIC, pointer, i.op() == spv::Op::OpAtomicLoad);
}

void WorkgroupAccessFinder::arguments(const PlacedInstruction& at, InstructionView call) {
  for (uint32_t n = 4; n < call.size(); ++n) {
    if (!is_workgroup(call.word(n))) continue;
    const auto id = parameter_ids_.find({call.word(3), n - 4});
    if (id == parameter_ids_.end()) continue;
    const WorkgroupPlace inside = resolve(id->second);
    if (!inside.is_parameter) continue;
    found_.arguments.push_back({at, id->second, resolve(call.word(n))});
  }
}

void WorkgroupAccessFinder::find_order(const PlacedInstruction& at, InstructionView i) {
  if (i.op() == spv::Op::OpMemoryBarrier) {
    if (orders(i.word(1), i.word(2), any_order))
      found_.fences.push_back({at, !is_subgroup_scope(module_, i.word(1))});
    return;
  }
  const auto scope = module_.constant(i.word(1));
  const auto known = static_cast<spv::Scope>(scope.value_or(bits(spv::Scope::Workgroup)));
  if (known == spv::Scope::Invocation) return;
  const bool narrow = is_subgroup_scope(module_, i.word(2));
  const bool orders_any = orders(i.word(2), i.word(3), any_order);
  // One whose memory scope is the subgroup orders for that, as a barrier of it does; and a barrier of the
  // subgroup whose memory scope is wider is a memory barrier, too.
  if (known == spv::Scope::Subgroup || (narrow && orders_any)) found_.subgroup_barriers.push_back(at);
  if (known == spv::Scope::Subgroup && !narrow && orders_any) found_.fences.push_back({at});
  if (known != spv::Scope::Subgroup)
    found_.barriers.push_back({at, orders(i.word(2), i.word(3), releasing) && !narrow,
                               orders(i.word(2), i.word(3), acquiring) && !narrow});
}

void WorkgroupAccessFinder::find_common_fences() {
  std::vector<spvtools::opt::Instruction*> fences, barriers;
  for (const WorkgroupAccesses::Fence& fence : found_.fences)
    if (fence.wide) fences.push_back(fence.at.instruction);
  for (const WorkgroupAccesses::Barrier& barrier : found_.barriers)
    barriers.push_back(barrier.at.instruction);
  found_.common_fences = are_fences_common(context_, fences, barriers);
  for (WorkgroupAccesses::Fence& fence : found_.fences)
    fence.early = found_.common_fences && fence.wide && follows_barrier(*fence.at.instruction, barriers);
}

// Literals that look like an id count as a use of it.
void WorkgroupAccessFinder::find_used_atomics() {
  const bool releases = std::ranges::any_of(found_.atomics, &WorkgroupAccesses::Atomic::releases);
  if (found_.fences.empty() && !releases) {
    found_.atomics.clear();
    return;
  }
  std::unordered_map<uint32_t, size_t> results;
  for (size_t n = 0; n < found_.atomics.size(); ++n) {
    const InstructionView i = module_.at(found_.atomics[n].at.offset);
    if (atomic_has_result(i.op())) results.emplace(i.word(2), n);
  }
  for (const PlacedInstruction& at : placed_) {
    const InstructionView i = module_.at(at.offset);
    for (uint32_t n = 1; n < i.size(); ++n) {
      const auto used = results.find(i.word(n));
      if (used == results.end() || (n == 2 && is_atomic(i.op()) && atomic_has_result(i.op()))) continue;
      found_.atomics[used->second].used = true;
    }
  }
  if (std::ranges::none_of(found_.atomics, &WorkgroupAccesses::Atomic::used)) found_.atomics.clear();
}

WorkgroupAccesses WorkgroupAccessFinder::find() {
  for (const PlacedInstruction& at : placed_) {
    const InstructionView i = module_.at(at.offset);
    switch (i.op()) {
      case spv::Op::OpLoad:
        memory(at, SQA_ACCESS_LOAD, i.word(3));
        break;
      case spv::Op::OpStore:
        memory(at, SQA_ACCESS_STORE, i.word(1));
        break;
      case spv::Op::OpCopyMemory:
        memory(at, SQA_ACCESS_LOAD, i.word(2));
        memory(at, SQA_ACCESS_STORE, i.word(1));
        break;
      case spv::Op::OpCopyMemorySized:
        for (const uint32_t pointer : {i.word(2), i.word(1)}) found_.unknown_layout += is_workgroup(pointer);
        break;
      case spv::Op::OpFunctionCall:
        arguments(at, i);
        break;
      case spv::Op::OpMemoryBarrier:
      case spv::Op::OpControlBarrier:
        find_order(at, i);
        break;
      default:
        if (is_atomic(i.op()))
          atomic(at, i);
        else if (const auto access = matrix_access(module_, layout_, i))
          found_.matrices = found_.matrices || is_workgroup(access->pointer);
        break;
    }
  }
  find_common_fences();
  find_used_atomics();
  found_.exchange_width = find_passed_on_reads(found_.accesses, module_);
  // Without fences and releases beside it, a barrier of the subgroup must order memory by itself.
  if (found_.fences.empty() && found_.atomics.empty())
    std::erase_if(found_.subgroup_barriers, [&](const PlacedInstruction& at) {
      const InstructionView i = module_.at(at.offset);
      return !orders(i.word(2), i.word(3), any_order);
    });
  return std::move(found_);
}

bool WorkgroupAccesses::all_barriers_order(bool strict) const {
  return std::ranges::all_of(barriers, [&](const Barrier& barrier) { return barrier.orders(strict); });
}

bool WorkgroupAccesses::are_ordered_partly(bool strict) const {
  if (all_barriers_order(strict)) return false;
  if (!atomics.empty()) return true;
  const bool wide = std::ranges::any_of(fences, &Fence::wide);
  // Under strict, what was released at one barrier may be acquired anywhere behind it.
  if (strict)
    return (wide || std::ranges::any_of(barriers, &Barrier::ordering)) &&
           (!fences.empty() || std::ranges::any_of(barriers, &Barrier::acquires));
  return std::ranges::any_of(fences, &Fence::early) || (wide && !common_fences);
}

}  // namespace shaderqa
