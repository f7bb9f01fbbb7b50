#include "instrument/merged_loads.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "instrument/runtime/abi.h"
#include "source/opcode.h"

namespace shaderqa {
namespace {

constexpr uint32_t max_bytes = 1024;

// What lies behind one of these may see other memory than what lies before it, or does not run.
bool separates(spv::Op op) {
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

// A block that the shader cannot write through this variable, and read as one piece.
bool may_merge(const BufferAccess& access, const ModuleView& module, const Decorations& decorations) {
  if (access.access != SQA_ACCESS_LOAD || access.runs.size() != 1 ||
      access.place.root != ResolvedPointer::Root::descriptor)
    return false;
  const InstructionView pointer =
      module.definition(module.type_of(access.place.variable), spv::Op::OpTypePointer);
  if (!pointer || static_cast<spv::StorageClass>(pointer.word(2)) != spv::StorageClass::Uniform) return false;
  InstructionView type = module.definition(pointer.word(3));
  while (type && (type.op() == spv::Op::OpTypeArray || type.op() == spv::Op::OpTypeRuntimeArray))
    type = module.definition(type.word(2));
  return type && decorations.find(type.word(1), spv::Decoration::Block).has_value();
}

bool same_base(const ResolvedPointer& a, const ResolvedPointer& b) {
  return a.variable == b.variable && a.array_element == b.array_element && a.indices == b.indices;
}

uint32_t begin_of(const BufferAccess& access) { return access.place.offset + access.runs[0].offset; }
uint32_t end_of(const BufferAccess& access) { return begin_of(access) + access.runs[0].size; }

// Of one stretch of code; those that went into others are added to `gone`.
void merge(std::vector<BufferAccess*>& loads, std::unordered_set<const BufferAccess*>& gone) {
  const auto in_code = [](const BufferAccess* a, const BufferAccess* b) {
    return a->at.offset < b->at.offset;
  };
  while (!loads.empty()) {
    const ResolvedPointer& base = loads.front()->place;
    const auto others = std::stable_partition(
        loads.begin(), loads.end(), [&](const BufferAccess* load) { return same_base(load->place, base); });
    std::vector<BufferAccess*> same(loads.begin(), others);
    loads.erase(loads.begin(), others);
    std::ranges::stable_sort(same, {}, [](const BufferAccess* load) { return begin_of(*load); });
    for (auto first = same.begin(); first != same.end();) {
      const uint32_t begin = begin_of(**first);
      uint32_t end = end_of(**first);
      auto last = first + 1;
      while (last != same.end() && begin_of(**last) <= end && end_of(**last) - begin <= max_bytes)
        end = std::max(end, end_of(**last++));
      BufferAccess& kept = **std::min_element(first, last, in_code);
      for (; first != last; ++first) {
        if (*first == &kept) continue;
        gone.insert(*first);
        ++kept.merged;
      }
      kept.runs[0] = {begin - kept.place.offset, end - begin};
    }
  }
}

}  // namespace

void merge_uniform_loads(std::vector<BufferAccess>& accesses, std::span<const PlacedInstruction> placed,
                         const ModuleView& module, const Decorations& decorations) {
  std::unordered_map<uint32_t, BufferAccess*> loads;  // by offset of the instruction
  for (BufferAccess& access : accesses)
    if (may_merge(access, module, decorations)) loads.emplace(access.at.offset, &access);
  std::unordered_set<const BufferAccess*> gone;
  std::vector<BufferAccess*> stretch;
  for (const PlacedInstruction& at : placed) {
    if (const auto load = loads.find(at.offset); load != loads.end()) stretch.push_back(load->second);
    if (separates(module.at(at.offset).op())) merge(stretch, gone);
  }
  merge(stretch, gone);
  std::vector<BufferAccess> left;
  for (BufferAccess& access : accesses)
    if (!gone.contains(&access)) left.push_back(std::move(access));
  accesses = std::move(left);
}

}  // namespace shaderqa
