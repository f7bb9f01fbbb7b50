// SPDX-License-Identifier: Apache-2.0
#include "instrument/runtime/runtime_import.h"

#include <algorithm>
#include <bit>

namespace shaderqa {
namespace {

constexpr uint32_t spirv_1_5 = 0x00010500;

template <typename Function>
void for_each_bit(uint32_t mask, Function&& function) {
  for (; mask != 0; mask &= mask - 1) function(static_cast<uint32_t>(std::countr_zero(mask)));
}

uint32_t bits(auto value) { return static_cast<uint32_t>(value); }

void append(std::vector<uint32_t>& out, spv::Op op, std::initializer_list<uint32_t> operands) {
  out.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | bits(op));
  out.insert(out.end(), operands);
}

}  // namespace

RuntimeImport::RuntimeImport(const InstrumentOptions& options, ModuleEditor& module,
                             const RuntimeModule& runtime)
    : options_(options), module_(module) {
  use(runtime);
}

void RuntimeImport::use(const RuntimeModule& runtime) {
  runtime_ = &runtime;
  for (auto* of_id : {&needed_, &fresh_}) of_id->assign(runtime.bound(), 0);
  ids_.assign(runtime.bound(), 0);
}

uint32_t RuntimeImport::function(std::string_view name) {
  const int index = runtime_->function(name);
  if (index < 0) return 0;
  need_function(static_cast<size_t>(index));
  return ids_[runtime_->functions()[static_cast<size_t>(index)].id];
}

void RuntimeImport::substitute(std::string_view name, std::string_view other) {
  const int index = runtime_->function(name), other_index = runtime_->function(other);
  if (index < 0 || other_index < 0) return;
  const uint32_t id = ids_[runtime_->functions()[static_cast<size_t>(index)].id];
  if (id == 0) return;
  need_function(static_cast<size_t>(other_index));
  ids_[runtime_->functions()[static_cast<size_t>(other_index)].id] = id;
  std::erase(functions_, static_cast<size_t>(index));
}

void RuntimeImport::keep_out_of_line(std::string_view name) { out_of_line_.emplace(name); }

bool RuntimeImport::leaves_out(InstructionView call) const {
  return call.op() == spv::Op::OpFunctionCall && !options_.sync.race_map &&
         runtime_->name(call.word(3)) == "sqa_map_race";
}

void RuntimeImport::need_function(size_t index) {
  const RuntimeFunction& function = runtime_->functions()[index];
  if (ids_[function.id] != 0) return;
  ids_[function.id] = module_.take_id();
  functions_.push_back(index);
  for (uint32_t i = function.first; i < function.last; ++i) {
    const RuntimeInstruction& instruction = runtime_->code()[i];
    const InstructionView view = runtime_->view(instruction);
    if (leaves_out(view)) continue;
    for_each_bit(instruction.ids & ~instruction.device_scopes & ~instruction.barrier_semantics,
                 [&](uint32_t word) { needed_[view.word(word)] = 1; });
    if (view.op() == spv::Op::OpFunctionCall) {
      const int callee = runtime_->function_by_id(view.word(3));
      if (callee >= 0) need_function(static_cast<size_t>(callee));
    }
  }
}

void RuntimeImport::import_global(const RuntimeInstruction& global) {
  const InstructionView view = runtime_->view(global);
  constexpr uint32_t uniform = static_cast<uint32_t>(spv::StorageClass::Uniform);
  if (view.op() == spv::Op::OpTypePointer && view.word(2) == uniform)
    record_.pointees[view.word(1)] = view.word(3);
  if (view.op() == spv::Op::OpTypePointer && view.word(2) == bits(spv::StorageClass::PhysicalStorageBuffer))
    references_.insert(view.word(1));
  // The only one.
  if (view.op() == spv::Op::OpVariable && view.word(3) == uniform && has_record_address()) {
    record_.variable = view.word(2);
    record_.block_pointer = module_.pointer_type(spv::StorageClass::PhysicalStorageBuffer,
                                                 ids_[record_.pointees.at(view.word(1))]);
    return;
  }
  const bool typed = view.op() >= spv::Op::OpConstantTrue;
  const uint32_t type = typed ? ids_[view.word(1)] : 0;
  const uint32_t id = view.word(typed ? 2 : 1);
  std::vector<uint32_t> operands(view.words.begin() + (typed ? 3 : 2), view.words.end());
  for_each_bit(global.ids, [&](uint32_t word) {
    const uint32_t first = typed ? 3 : 2;
    if (word >= first) operands[word - first] = ids_[view.word(word)];
  });
  switch (view.op()) {
    case spv::Op::OpTypeStruct:
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeRuntimeArray:
      fresh_[id] = 1;
      ids_[id] = module_.add_global(view.op(), 0, operands);
      break;
    case spv::Op::OpVariable:
      if (const auto replaced = replaced_.find(runtime_->name(id)); replaced != replaced_.end()) {
        ids_[id] = replaced->second;
        break;
      }
      fresh_[id] = 1;
      ids_[id] = module_.add_variable(static_cast<spv::StorageClass>(view.word(3)), type);
      module_.add_name(ids_[id], runtime_->name(id));
      break;
    default:
      ids_[id] = module_.global(view.op(), type, operands);
      break;
  }
}

void RuntimeImport::import_annotation(const RuntimeInstruction& annotation) {
  const InstructionView view = runtime_->view(annotation);
  const uint32_t target = view.word(1);
  if (ids_[target] == 0 || !fresh_[target]) return;
  std::vector<uint32_t> operands(view.words.begin() + 1, view.words.end());
  operands[0] = ids_[target];
  if (view.op() == spv::Op::OpDecorate && operands[1] == bits(spv::Decoration::DescriptorSet))
    operands[2] = options_.sync.record_set;
  module_.add_annotation(view.op(), operands);
}

uint32_t RuntimeImport::variable(std::string_view name) const {
  for (const RuntimeInstruction& global : runtime_->globals()) {
    const InstructionView view = runtime_->view(global);
    if (view.op() == spv::Op::OpVariable && runtime_->name(view.word(2)) == name) return ids_[view.word(2)];
  }
  return 0;
}

uint32_t RuntimeImport::barrier_semantics(const RuntimeInstruction& barrier) {
  using Mask = spv::MemorySemanticsMask;
  const bool acquires = barrier.acquires;
  uint32_t semantics = bits(acquires ? Mask::AcquireRelease : Mask::Release) |
                       bits(barrier.of_workgroup ? Mask::WorkgroupMemory : Mask::UniformMemory);
  if (module_.view().vulkan_memory_model()) {
    semantics |= bits(Mask::MakeAvailable);
    if (acquires) semantics |= bits(Mask::MakeVisible);
  }
  return module_.constant(semantics);
}

bool RuntimeImport::copy_record_access(InstructionView access, std::vector<uint32_t>& out) {
  const auto emit = [&](spv::Op op, std::initializer_list<uint32_t> operands) { append(out, op, operands); };
  if (access.op() == spv::Op::OpLoad) {
    const auto alignment = record_.loaded.find(access.word(3));
    if (alignment == record_.loaded.end()) return false;
    ids_[access.word(2)] = module_.take_id();
    emit(spv::Op::OpLoad, {ids_[access.word(1)], ids_[access.word(2)], ids_[access.word(3)],
                           bits(spv::MemoryAccessMask::Aligned), alignment->second});
    return true;
  }
  if (access.op() != spv::Op::OpAccessChain || access.word(3) != record_.variable) return false;
  const uint32_t place = module_.take_id(), record = module_.take_id();
  emit(spv::Op::OpAccessChain, {module_.pointer_type(spv::StorageClass::PushConstant, record_.block_pointer),
                                place, record_.constant.variable, module_.constant(record_.constant.member)});
  emit(spv::Op::OpLoad, {record_.block_pointer, record, place});
  const uint32_t pointee = ids_[record_.pointees.at(access.word(1))];
  ids_[access.word(2)] = module_.take_id();
  const size_t start = out.size();
  emit(spv::Op::OpAccessChain, {module_.pointer_type(spv::StorageClass::PhysicalStorageBuffer, pointee),
                                ids_[access.word(2)], record});
  for (uint32_t i = 4; i < access.size(); ++i) out.push_back(ids_[access.word(i)]);
  out[start] += (access.size() - 4) << 16;
  // Records begin at multiples of 16; a chain with a component leads to a dword, one without to a quad.
  constexpr uint32_t with_component = 7;
  record_.loaded[access.word(2)] = access.size() == with_component ? 4 : 16;
  return true;
}

bool RuntimeImport::copy_varying_address(InstructionView conversion, std::vector<uint32_t>& out) {
  if (varying_zero_ == 0 || conversion.op() != spv::Op::OpBitcast ||
      !references_.contains(conversion.word(1)))
    return false;
  const uint32_t uvec2 = module_.vector_type(module_.uint_type(), 2);
  const uint32_t zero = module_.take_id(), address = module_.take_id();
  // A phi may have asked for it.
  if (ids_[conversion.word(2)] == 0) ids_[conversion.word(2)] = module_.take_id();
  append(out, spv::Op::OpLoad, {uvec2, zero, varying_zero_});
  append(out, spv::Op::OpBitwiseOr, {uvec2, address, ids_[conversion.word(3)], zero});
  append(out, spv::Op::OpBitcast, {ids_[conversion.word(1)], ids_[conversion.word(2)], address});
  return true;
}

void RuntimeImport::copy_function(const RuntimeFunction& function, std::vector<uint32_t>& out) {
  const bool vulkan_model = module_.view().vulkan_memory_model();
  for (uint32_t i = function.first; i < function.last; ++i) {
    const RuntimeInstruction& instruction = runtime_->code()[i];
    const InstructionView view = runtime_->view(instruction);
    if (view.op() == spv::Op::OpMemoryBarrier && !options_.memory_barrier) continue;
    if (leaves_out(view)) continue;
    if (record_.variable != 0 && copy_record_access(view, out)) continue;
    if (copy_varying_address(view, out)) continue;
    const size_t start = out.size();
    out.insert(out.end(), view.words.begin(), view.words.end());
    if (view.op() == spv::Op::OpFunction && out_of_line_.contains(function.name))
      out[start + 3] |= bits(spv::FunctionControlMask::DontInline);
    for_each_bit(instruction.ids, [&](uint32_t word) {
      const uint32_t id = view.word(word);
      // Ids of the body. Globals and functions have theirs already.
      if (ids_[id] == 0 && (instruction.device_scopes >> word & 1) == 0 &&
          (instruction.barrier_semantics >> word & 1) == 0) {
        ids_[id] = module_.take_id();
        fresh_[id] = 1;
      }
      out[start + word] = ids_[id];
    });
    for_each_bit(instruction.device_scopes, [&](uint32_t word) { out[start + word] = scope_; });
    for_each_bit(instruction.barrier_semantics,
                 [&](uint32_t word) { out[start + word] = barrier_semantics(instruction); });
    // In the Vulkan model only non-private stores take part in what a barrier makes available.
    if (vulkan_model && view.op() == spv::Op::OpStore && view.size() == 5)
      out[start + 3] |= bits(spv::MemoryAccessMask::NonPrivatePointer);
  }
}

std::vector<uint32_t> RuntimeImport::finish(uint32_t entry_function) {
  if (functions_.empty()) return {};
  const bool vulkan_model = module_.view().vulkan_memory_model();

  for (const spv::Capability capability : runtime_->capabilities()) module_.add_capability(capability);
  if (module_.version() < spirv_1_5) module_.add_extension("SPV_KHR_physical_storage_buffer");
  module_.context().module()->GetMemoryModel()->SetInOperand(
      0, {bits(spv::AddressingModel::PhysicalStorageBuffer64)});

  spv::Scope scope = spv::Scope::Device;
  if (vulkan_model) {
    if (options_.vulkan_memory_model_device_scope)
      module_.add_capability(spv::Capability::VulkanMemoryModelDeviceScope);
    else
      scope = spv::Scope::QueueFamily;
  }
  scope_ = module_.constant(bits(scope));

  // A global is needed if a later needed one refers to it.
  const auto& globals = runtime_->globals();
  for (auto global = globals.rbegin(); global != globals.rend(); ++global) {
    const InstructionView view = runtime_->view(*global);
    if (!needed_[view.word(view.op() >= spv::Op::OpConstantTrue ? 2 : 1)]) continue;
    for_each_bit(global->ids, [&](uint32_t word) { needed_[view.word(word)] = 1; });
  }
  for (const RuntimeInstruction& global : globals) {
    const InstructionView view = runtime_->view(global);
    if (needed_[view.word(view.op() >= spv::Op::OpConstantTrue ? 2 : 1)]) import_global(global);
  }

  if (record_.variable != 0)
    record_.constant =
        add_push_constant(module_, entry_function, record_.block_pointer, options_.sync.record_constant);

  std::vector<uint32_t> words;
  // In the runtime's order, callees first.
  std::ranges::sort(functions_);
  for (const size_t index : functions_) {
    const RuntimeFunction& function = runtime_->functions()[index];
    module_.add_name(ids_[function.id], function.name);
    copy_function(function, words);
  }
  words.insert(words.end(), added_.begin(), added_.end());
  for (const RuntimeInstruction& annotation : runtime_->annotations()) import_annotation(annotation);
  return words;
}

}  // namespace shaderqa
