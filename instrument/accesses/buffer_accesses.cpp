// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/buffer_accesses.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "instrument/accesses/common_fences.h"
#include "instrument/ir/atomics.h"
#include "instrument/ir/scopes.h"
#include "instrument/ir/subgroup_exchange.h"
#include "instrument/runtime/abi_report.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

using Root = ResolvedPointer::Root;

constexpr uint32_t uniform_memory = static_cast<uint32_t>(spv::MemorySemanticsMask::UniformMemory);
constexpr uint32_t image_memory = static_cast<uint32_t>(spv::MemorySemanticsMask::ImageMemory);
constexpr uint32_t ordering_semantics =
    static_cast<uint32_t>(spv::MemorySemanticsMask::Acquire) |
    static_cast<uint32_t>(spv::MemorySemanticsMask::Release) |
    static_cast<uint32_t>(spv::MemorySemanticsMask::AcquireRelease) |
    static_cast<uint32_t>(spv::MemorySemanticsMask::SequentiallyConsistent);
constexpr uint32_t releasing_semantics =
    ordering_semantics & ~static_cast<uint32_t>(spv::MemorySemanticsMask::Acquire);
constexpr uint32_t acquiring_semantics =
    ordering_semantics & ~static_cast<uint32_t>(spv::MemorySemanticsMask::Release);

bool has_texel_buffers(spvtools::opt::IRContext& context) {
  const auto types = context.types_values();
  return std::any_of(types.begin(), types.end(), [](const spvtools::opt::Instruction& type) {
    return type.opcode() == spv::Op::OpTypeImage &&
           static_cast<spv::Dim>(type.GetSingleWordInOperand(1)) == spv::Dim::Buffer;
  });
}

}  // namespace

bool is_workgroup_atomic(const ModuleView& module, InstructionView instruction) {
  if (!is_atomic(instruction.op())) return false;
  const auto scope = module.constant(instruction.word(atomic_has_result(instruction.op()) ? 4 : 2));
  if (!scope) return false;
  const auto known = static_cast<spv::Scope>(*scope);
  return known == spv::Scope::Workgroup || known == spv::Scope::Subgroup || known == spv::Scope::Invocation;
}

void join_barriers(BufferAccesses& found) {
  for (BufferAccesses::Barrier& barrier : found.workgroup_barriers) {
    auto& [at, buffers, images, whole] = barrier;
    buffers = images = {buffers.releases || images.releases, buffers.acquires || images.acquires,
                        buffers.narrow || images.narrow};
  }
  auto& [all, common] = found.buffer_barriers;
  for (const BufferAccesses::MemoryBarrier& one : found.image_barriers.all) {
    const bool known = std::ranges::any_of(
        all, [&](const BufferAccesses::MemoryBarrier& each) { return each.at.offset == one.at.offset; });
    if (!known) all.push_back(one);
  }
  if (!found.image_barriers.all.empty()) common = common && found.image_barriers.common;
  for (BufferAccesses::MemoryBarrier& one : all) one.early = one.early && common;
  found.image_barriers = {};
  found.joined = true;
}

void forget_images(BufferAccesses& found) {
  for (BufferAccesses::Barrier& barrier : found.workgroup_barriers) barrier.images = {};
  found.image_barriers = {};
}

AccessFinder::AccessFinder(const ModuleView& module, spvtools::opt::IRContext& context,
                           const Decorations& decorations, std::span<const PlacedInstruction> placed,
                           bool images)
    : module_(module),
      context_(context),
      placed_(placed),
      layout_(module, decorations),
      variables_(module, placed),
      roots_(module, decorations, layout_, variables_),
      texel_buffers_(has_texel_buffers(context)),
      fenced_memory_(uniform_memory | (images || texel_buffers_ ? image_memory : 0u)) {
  for (auto& function : *context.module()) {
    const uint32_t id = function.result_id();
    function.ForEachParam([&](const spvtools::opt::Instruction* parameter) {
      roots_.add_parameter(id, parameter->result_id());
    });
  }
  // Reads the words, since an earlier pass may have deleted the instruction in the IR.
  for (const PlacedInstruction& each : placed)
    if (module.at(each.offset).op() == spv::Op::OpFunctionCall) roots_.add_call(module.at(each.offset));
}

void AccessFinder::add(const BufferAccess& access) {
  switch (access.place.root) {
    case Root::unchecked:
      break;
    case Root::unknown:
      ++found_.unknown_place;
      break;
    default:
      found_.accesses.push_back(access);
      break;
  }
}

bool AccessFinder::is_buffer(InstructionView pointer_type) {
  if (!pointer_type) return false;
  const auto storage = static_cast<spv::StorageClass>(pointer_type.word(2));
  return storage == spv::StorageClass::StorageBuffer || storage == spv::StorageClass::Uniform ||
         storage == spv::StorageClass::PhysicalStorageBuffer;
}

void AccessFinder::matrix(const PlacedInstruction& at, const MatrixAccess& access) {
  // Many invocations execute it, and each may signal that it is done.
  found_.exchanges.push_back(at);
  if (!is_buffer(module_.definition(module_.type_of(access.pointer), spv::Op::OpTypePointer))) return;
  if (!access.lines) {
    ++found_.unknown_lines;
    return;
  }
  add({at,
       access.stores ? uint32_t{SQA_ACCESS_STORE} : uint32_t{SQA_ACCESS_LOAD},
       access.pointer,
       roots_.resolve(access.pointer),
       {},
       0,
       0,
       *access.lines});
}

void AccessFinder::memory(const PlacedInstruction& at, uint32_t access, uint32_t pointer, uint32_t size_id) {
  const InstructionView type = module_.definition(module_.type_of(pointer), spv::Op::OpTypePointer);
  if (!is_buffer(type)) return;
  BufferAccess found{at, access, pointer, roots_.resolve(pointer), {}, 0, 0, {}};
  if (size_id != 0) {
    if (const auto size = module_.constant(size_id))
      found.runs.push_back({0, *size});
    else
      found.size = size_id;
  } else if (auto runs = layout_.footprint(type.word(3), found.place.matrix)) {
    found.runs = std::move(*runs);
  } else if (found.place.root != Root::unchecked && found.place.root != Root::unknown) {
    ++found_.unknown_layout;
    return;
  }
  add(found);
}

void AccessFinder::texel(const PlacedInstruction& at, uint32_t access, const ResolvedPointer& image,
                         uint32_t image_type, uint32_t coordinate) {
  InstructionView type = module_.definition(image_type);
  if (type && type.op() == spv::Op::OpTypeSampledImage) type = module_.definition(type.word(2));
  if (!type || type.op() != spv::Op::OpTypeImage || static_cast<spv::Dim>(type.word(3)) != spv::Dim::Buffer)
    return;
  add({at, access, 0, image, {}, 0, coordinate, {}});
}

void AccessFinder::atomic(const PlacedInstruction& at, InstructionView instruction, uint32_t pointer) {
  const InstructionView type = module_.definition(module_.type_of(pointer), spv::Op::OpTypePointer);
  if (!type) return;
  const auto storage = static_cast<spv::StorageClass>(type.word(2));
  const uint32_t scope = instruction.word(atomic_has_result(instruction.op()) ? 4 : 2);
  const uint32_t semantics = instruction.word(atomic_has_result(instruction.op()) ? 5 : 3);
  if (storage == spv::StorageClass::Function || storage == spv::StorageClass::Private) return;
  add_fence(at, buffer_fence(scope, semantics), semantics);
  if (storage == spv::StorageClass::Workgroup) {
    found_.workgroup_atomics.push_back(at);
    found_.exchanges.push_back(at);
    return;
  }
  found_.atomics.push_back(
      {at, false, !is_workgroup_atomic(module_, instruction), acquires(scope, semantics)});
  if (storage != spv::StorageClass::Image) return memory(at, SQA_ACCESS_ATOMIC, pointer, 0);
  const InstructionView texel_pointer = module_.definition(pointer, spv::Op::OpImageTexelPointer);
  if (!texel_pointer) return;
  const InstructionView image =
      module_.definition(module_.type_of(texel_pointer.word(3)), spv::Op::OpTypePointer);
  if (image)
    texel(at, SQA_ACCESS_ATOMIC, roots_.resolve(texel_pointer.word(3)), image.word(3), texel_pointer.word(4));
}

// A specialisation constant may be anything.
AccessFinder::Fence AccessFinder::buffer_fence(uint32_t scope, uint32_t semantics) const {
  const auto bits = module_.constant(semantics);
  if (bits && ((*bits & fenced_memory_) == 0 || (*bits & ordering_semantics) == 0)) return Fence::none;
  const auto scope_value = module_.constant(scope);
  if (!scope_value) return Fence::device;
  switch (static_cast<spv::Scope>(*scope_value)) {
    case spv::Scope::CrossDevice:
    case spv::Scope::Device:
    case spv::Scope::QueueFamily:
      return Fence::device;
    case spv::Scope::Invocation:
      return Fence::none;
    default:
      return Fence::workgroup;
  }
}

void AccessFinder::add_fence(const PlacedInstruction& at, Fence fence, uint32_t semantics) {
  if (fence == Fence::device) found_.fences.push_back(at);
  if (fence == Fence::workgroup) found_.workgroup_fences.push_back(at);
  const auto bits = module_.constant(semantics);
  if (fence != Fence::none && (!bits || (*bits & releasing_semantics) != 0))
    found_.releases.push_back({at, fence == Fence::device});
}

bool AccessFinder::acquires(uint32_t scope, uint32_t semantics) const {
  const auto bits = module_.constant(semantics);
  return buffer_fence(scope, semantics) != Fence::none && (!bits || (*bits & acquiring_semantics) != 0);
}

bool AccessFinder::is_wide(uint32_t scope) const {
  const auto known = module_.constant(scope);
  return !known || (static_cast<spv::Scope>(*known) != spv::Scope::Subgroup &&
                    static_cast<spv::Scope>(*known) != spv::Scope::Invocation);
}

void AccessFinder::add_memory_barrier(const PlacedInstruction& at, uint32_t scope, uint32_t semantics) {
  const auto bits = module_.constant(semantics);
  const auto known = module_.constant(scope);
  if (bits && (*bits & ordering_semantics) == 0) return;
  if (known && static_cast<spv::Scope>(*known) == spv::Scope::Invocation) return;
  if (!bits || (*bits & uniform_memory) != 0) found_.buffer_barriers.all.push_back({at, is_wide(scope)});
  if (!bits || (*bits & image_memory) != 0) found_.image_barriers.all.push_back({at, is_wide(scope)});
}

// memory: of these semantics.
BufferAccesses::Semantics AccessFinder::semantics_of(InstructionView barrier, bool whole,
                                                     uint32_t memory) const {
  const auto bits = module_.constant(barrier.word(3));
  if (bits && (*bits & memory) == 0) return {};
  const auto scope = module_.constant(barrier.word(2));
  const bool alone = scope && static_cast<spv::Scope>(*scope) == spv::Scope::Invocation;
  const bool reaches = is_wide(barrier.word(2)) || !whole;
  return {
      reaches && (!bits || (*bits & releasing_semantics) != 0),
      reaches && !alone && (!bits || (*bits & acquiring_semantics) != 0),
      whole && is_subgroup_scope(module_, barrier.word(2)) && (!bits || (*bits & ordering_semantics) != 0)};
}

void AccessFinder::add_control_barrier(const PlacedInstruction& at, InstructionView barrier) {
  const uint32_t memory_scope = barrier.word(2), semantics = barrier.word(3);
  const auto execution = module_.constant(barrier.word(1));
  const bool alone = execution && static_cast<spv::Scope>(*execution) == spv::Scope::Invocation;
  const bool whole = !is_subgroup_scope(module_, barrier.word(1));
  if (!alone) {
    found_.workgroup_barriers.push_back({at, semantics_of(barrier, whole, uniform_memory),
                                         semantics_of(barrier, whole, image_memory), whole});
    if (acquires(memory_scope, semantics)) found_.acquiring.push_back(at);
  }
  if (!whole) {
    found_.exchanges.push_back(at);
    if (is_wide(memory_scope)) add_memory_barrier(at, memory_scope, semantics);
  }
  // Within its workgroup it orders as a barrier does.
  if (buffer_fence(memory_scope, semantics) == Fence::device) add_fence(at, Fence::device, semantics);
}

void AccessFinder::find_common_fences(BufferAccesses::MemoryBarriers& barriers) {
  std::vector<spvtools::opt::Instruction*> memory_barriers, control_barriers;
  for (const BufferAccesses::MemoryBarrier& barrier : barriers.all)
    if (barrier.wide) memory_barriers.push_back(barrier.at.instruction);
  for (const BufferAccesses::Barrier& barrier : found_.workgroup_barriers)
    if (barrier.whole) control_barriers.push_back(barrier.at.instruction);
  barriers.common = are_fences_common(context_, memory_barriers, control_barriers);
  for (BufferAccesses::MemoryBarrier& barrier : barriers.all)
    barrier.early =
        barriers.common && barrier.wide && follows_barrier(*barrier.at.instruction, control_barriers);
}

void AccessFinder::find_order() {
  for (const PlacedInstruction& at : placed_) {
    const InstructionView i = module_.at(at.offset);
    switch (i.op()) {
      case spv::Op::OpControlBarrier:
        add_control_barrier(at, i);
        break;
      case spv::Op::OpMemoryBarrier:
        add_memory_barrier(at, i.word(1), i.word(2));
        add_fence(at, buffer_fence(i.word(1), i.word(2)), i.word(2));
        if (acquires(i.word(1), i.word(2))) found_.acquiring.push_back(at);
        break;
      case spv::Op::OpBeginInvocationInterlockEXT:
        found_.interlock_begins.push_back(at);
        break;
      case spv::Op::OpEndInvocationInterlockEXT:
        found_.interlock_ends.push_back(at);
        break;
      default:
        break;
    }
  }
  find_common_fences(found_.buffer_barriers);
  find_common_fences(found_.image_barriers);
  find_used_atomics();
  // Fences of the workgroup order nothing for invocations that learn nothing from others.
  if (!found_.acquires && !found_.acquires_in_workgroup) {
    found_.workgroup_fences.clear();
    std::erase_if(found_.releases, [](const BufferAccesses::Release& release) { return !release.device; });
  }
  // Without atomics no invocation of another workgroup can know that the fence was passed.
  if (found_.atomics.empty() && !found_.acquires_in_workgroup) found_.fences.clear();
  if (found_.fences.empty() && found_.workgroup_fences.empty()) {
    found_.atomics.clear();
    found_.releases.clear();
    found_.acquires = found_.acquires_in_workgroup = false;
  }
  if (!found_.acquires_in_workgroup) found_.workgroup_atomics.clear();
}

// Literals that look like an id count as a use of it.
void AccessFinder::find_used_atomics() {
  constexpr size_t of_workgroup = SIZE_MAX;
  std::unordered_map<uint32_t, size_t> results;
  for (size_t n = 0; n < found_.atomics.size(); ++n) {
    const InstructionView i = module_.at(found_.atomics[n].at.offset);
    if (atomic_has_result(i.op())) results.emplace(i.word(2), n);
  }
  for (const PlacedInstruction& at : found_.workgroup_atomics) {
    const InstructionView i = module_.at(at.offset);
    if (atomic_has_result(i.op())) results.emplace(i.word(2), of_workgroup);
  }
  if (results.empty()) return;
  for (const PlacedInstruction& at : placed_) {
    const InstructionView i = module_.at(at.offset);
    for (uint32_t n = 1; n < i.size(); ++n) {
      const auto used = results.find(i.word(n));
      if (used == results.end() || (n == 2 && atomic_has_result(i.op()) && is_atomic(i.op()))) continue;
      if (used->second == of_workgroup) {
        found_.acquires_in_workgroup = true;
      } else {
        found_.atomics[used->second].used = true;
        found_.acquires = true;
      }
    }
  }
}

BufferAccesses AccessFinder::find() {
  for (const PlacedInstruction& at : placed_) {
    const InstructionView i = module_.at(at.offset);
    switch (i.op()) {
      case spv::Op::OpLoad:
        memory(at, SQA_ACCESS_LOAD, i.word(3), 0);
        break;
      case spv::Op::OpStore:
        memory(at, SQA_ACCESS_STORE, i.word(1), 0);
        break;
      case spv::Op::OpCopyMemory:
        memory(at, SQA_ACCESS_LOAD, i.word(2), 0);
        memory(at, SQA_ACCESS_STORE, i.word(1), 0);
        break;
      case spv::Op::OpCopyMemorySized:
        memory(at, SQA_ACCESS_LOAD, i.word(2), i.word(3));
        memory(at, SQA_ACCESS_STORE, i.word(1), i.word(3));
        break;
      case spv::Op::OpImageRead:
      case spv::Op::OpImageFetch:
      case spv::Op::OpImageSparseRead:
      case spv::Op::OpImageSparseFetch:
        texel(at, SQA_ACCESS_LOAD, roots_.resolve_image(i.word(3)), module_.type_of(i.word(3)), i.word(4));
        break;
      case spv::Op::OpImageWrite:
        texel(at, SQA_ACCESS_STORE, roots_.resolve_image(i.word(1)), module_.type_of(i.word(1)), i.word(2));
        break;
      default:
        if (is_subgroup_exchange(i.op())) found_.exchanges.push_back(at);
        if (is_atomic(i.op()))
          atomic(at, i, i.word(atomic_has_result(i.op()) ? 3 : 1));
        else if (const auto access = matrix_access(module_, layout_, i))
          matrix(at, *access);
        break;
    }
  }
  find_order();
  if (texel_buffers_) join_barriers(found_);
  return std::move(found_);
}

}  // namespace shaderqa
