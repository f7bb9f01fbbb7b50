// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/pointer_places.h"

#include <algorithm>

#include "instrument/accesses/buffered_descriptors.h"
#include "instrument/ir/block_start.h"
#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_exact.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

using Root = ResolvedPointer::Root;
using spvtools::opt::Instruction;

// How many definitions deep to go. No shader comes near.
constexpr uint32_t max_definition_depth = 256;

// Where instructions may be inserted at the end of a block.
Instruction* end_of(spvtools::opt::BasicBlock& block) {
  Instruction* merge = block.GetMergeInst();
  return merge ? merge : block.terminator();
}

}  // namespace

const DescriptorSlots* PointerPlaces::slots_of(const ResolvedPointer& pointer) const {
  const auto set = decorations_.find(pointer.variable, spv::Decoration::DescriptorSet);
  const auto binding = decorations_.find(pointer.variable, spv::Decoration::Binding);
  if (!set || !binding) return nullptr;
  for (const DescriptorSlots& slots : options_.descriptors)
    if (slots.set == *set && slots.binding == *binding)
      return slots.table() < SQA_MAX_SETS ? &slots : nullptr;
  return nullptr;
}

// The low 32 bits of an integer of any width. A larger value is no offset in a descriptor's range. A texel's
// coordinate may be a vector, whose other components nobody uses.
uint32_t PointerPlaces::to_uint(SiteBuilder& site, uint32_t value) {
  const uint32_t uint_type = module_.uint_type();
  uint32_t own_type = module_.view().type_of(value);
  if (const InstructionView vector = module_.view().definition(own_type, spv::Op::OpTypeVector)) {
    own_type = vector.word(2);
    value = site.emit(spv::Op::OpCompositeExtract, own_type, {value}, {0});
  }
  if (own_type == uint_type) return value;
  const InstructionView type = module_.view().definition(own_type, spv::Op::OpTypeInt);
  if (type.word(2) == 32) return site.emit(spv::Op::OpBitcast, uint_type, {value});
  const bool extends_sign = type.word(2) < 32 && type.word(3) != 0;
  return site.emit(extends_sign ? spv::Op::OpSConvert : spv::Op::OpUConvert, uint_type, {value});
}

uint32_t PointerPlaces::sum(SiteBuilder& site, uint32_t value, uint32_t constant) {
  const uint32_t type = module_.uint_type();
  if (value == 0) return module_.constant(constant);
  if (constant == 0) return value;
  const uint32_t term = module_.constant(constant);
  return site.emit(spv::Op::OpIAdd, type, {value, term});
}

uint32_t PointerPlaces::product(SiteBuilder& site, uint32_t value, uint32_t constant) {
  if (constant == 1) return value;
  const uint32_t type = module_.uint_type();
  const uint32_t factor = module_.constant(constant);
  return site.emit(spv::Op::OpIMul, type, {value, factor});
}

uint32_t PointerPlaces::descriptor_constant(const DescriptorSlots& slots) {
  const uint32_t type = module_.vector_type(module_.uint_type(), 4);
  const uint32_t set = module_.constant(slots.table() | slots.direct << SQA_DIRECT_SHIFT);
  const uint32_t slot = module_.constant(slots.slot);
  const uint32_t count = module_.constant(slots.count);
  const uint32_t dynamic = module_.constant(slots.dynamic);
  return module_.global(spv::Op::OpConstantComposite, type, {set, slot, count, dynamic});
}

uint32_t PointerPlaces::descriptor_of_own(const BufferAccess& access) {
  DescriptorSlots slots =
      with_declared_kind(*slots_of(access.place), module_.view(), decorations_, access.place.variable);
  slots.count = access.reach;
  return descriptor_constant(slots);
}

// No descriptors: no index is in bounds.
PointerTarget PointerPlaces::nowhere() {
  return {descriptor_constant({0, 0, 0, 0, SQA_NOT_DYNAMIC, 0}), module_.constant(0), 0, 0};
}

PointerTarget PointerPlaces::emit(SiteBuilder& site, const ResolvedPointer& pointer) {
  PointerTarget place;
  if (pointer.root == Root::descriptor) {
    const DescriptorSlots* slots = slots_of(pointer);
    if (!slots) return nowhere();
    place.descriptor =
        descriptor_constant(with_declared_kind(*slots, module_.view(), decorations_, pointer.variable));
    place.index = pointer.array_element.id != 0 ? to_uint(site, pointer.array_element.id)
                                                : module_.constant(pointer.array_element.constant);
  } else if (pointer.root == Root::flow) {
    const InstructionView definition = module_.view().definition(pointer.variable);
    const bool kept = definition.op() == spv::Op::OpPhi || definition.op() == spv::Op::OpFunctionParameter;
    place = kept ? load(site, variable_of(pointer.variable)) : at_definition(pointer.variable);
  } else {
    return nowhere();
  }
  place.constant += pointer.offset;
  const uint32_t type = module_.uint_type();
  for (const ScaledIndex& index : pointer.indices) {
    const uint32_t part = product(site, to_uint(site, index.id), index.stride);
    place.offset = place.offset == 0 ? part : site.emit(spv::Op::OpIAdd, type, {place.offset, part});
  }
  return place;
}

PointerTarget PointerPlaces::passed_on(SiteBuilder& site, uint32_t pointer) {
  const ResolvedPointer resolved = roots_.resolve(pointer);
  PointerTarget place;
  // Without the layout, a column of a row-major matrix cannot be treated as a vector.
  if (resolved.root == Root::unknown || resolved.matrix.component_stride != 0) {
    const InstructionView definition = module_.view().definition(pointer);
    const bool null =
        definition && (definition.op() == spv::Op::OpConstantNull || definition.op() == spv::Op::OpUndef);
    if (!null) ++unfollowed_;
    place = nowhere();
  } else {
    place = emit(site, resolved);
  }
  place.offset = sum(site, place.offset, place.constant);
  place.constant = 0;
  return place;
}

Instruction* PointerPlaces::instruction_of(uint32_t id) {
  if (instructions_.empty()) {
    // Reads the words: an earlier pass may have deleted instructions, but none of these.
    for (const PlacedInstruction& at : placed_) {
      const InstructionView i = module_.view().at(at.offset);
      if (i.op() == spv::Op::OpSelect || i.op() == spv::Op::OpLoad || i.op() == spv::Op::OpFunctionCall)
        instructions_.emplace(i.word(2), at.instruction);
    }
  }
  const auto found = instructions_.find(id);
  return found == instructions_.end() ? nullptr : found->second;
}

// Computed once, next to the pointer: code that can use the pointer can use its place.
PointerTarget PointerPlaces::at_definition(uint32_t pointer) {
  const auto known = definitions_.find(pointer);
  if (known != definitions_.end()) return known->second;
  Instruction* definition = instruction_of(pointer);
  if (!definition || depth_ >= max_definition_depth) {
    ++unfollowed_;
    return nowhere();
  }
  // In a malformed module a definition may need itself.
  definitions_.emplace(pointer, nowhere());
  ++depth_;
  SiteBuilder site(module_, definition->NextNode());
  const PointerTarget place = define(site, *definition);
  --depth_;
  return definitions_[pointer] = place;
}

PointerTarget PointerPlaces::define(SiteBuilder& site, const Instruction& definition) {
  if (definition.opcode() == spv::Op::OpSelect) return select(site, definition);
  if (definition.opcode() == spv::Op::OpFunctionCall)
    return load(site, variable_of(definition.GetSingleWordInOperand(0)));
  const auto path = roots_.variables().path(definition.GetSingleWordInOperand(0));
  return path ? load(site, shadow_pointer(site, *path, definition.type_id())) : nowhere();
}

PointerTarget PointerPlaces::select(SiteBuilder& site, const Instruction& selection) {
  const PointerTarget yes = passed_on(site, selection.GetSingleWordInOperand(1));
  const PointerTarget no = passed_on(site, selection.GetSingleWordInOperand(2));
  const uint32_t uint_type = module_.uint_type();
  const uint32_t uvec4 = module_.vector_type(uint_type, 4);
  const uint32_t bvec4 = module_.vector_type(module_.bool_type(), 4);
  const uint32_t condition = selection.GetSingleWordInOperand(0);
  // Old SPIR-V can select vectors only by a vector of conditions.
  const uint32_t conditions =
      site.emit(spv::Op::OpCompositeConstruct, bvec4, {condition, condition, condition, condition});
  PointerTarget place;
  place.descriptor = site.emit(spv::Op::OpSelect, uvec4, {conditions, yes.descriptor, no.descriptor});
  place.index = site.emit(spv::Op::OpSelect, uint_type, {condition, yes.index, no.index});
  place.offset = site.emit(spv::Op::OpSelect, uint_type, {condition, yes.offset, no.offset});
  return place;
}

uint32_t PointerPlaces::place_type() {
  if (place_type_ == 0) {
    const uint32_t uint_type = module_.uint_type();
    const uint32_t members[] = {module_.vector_type(uint_type, 4), uint_type, uint_type};
    place_type_ = module_.add_global(spv::Op::OpTypeStruct, 0, members);
  }
  return place_type_;
}

// The same type with places instead of pointers. Members without pointers keep their index, but not their
// type.
uint32_t PointerPlaces::shadow_type(uint32_t type) {
  if (!roots_.variables().holds_pointers(type)) return module_.uint_type();
  const InstructionView definition = module_.view().definition(type);
  if (definition.op() == spv::Op::OpTypePointer) return place_type();
  if (const auto known = shadow_types_.find(type); known != shadow_types_.end()) return known->second;
  std::vector<uint32_t> operands;
  if (definition.op() == spv::Op::OpTypeArray) {
    operands = {shadow_type(definition.word(2)), definition.word(3)};
  } else {
    for (uint32_t i = 2; i < definition.size(); ++i) operands.push_back(shadow_type(definition.word(i)));
  }
  const uint32_t shadow = module_.add_global(definition.op(), 0, operands);
  shadow_types_.emplace(type, shadow);
  return shadow;
}

uint32_t PointerPlaces::variable_of(uint32_t id) {
  const auto known = variables_.find(id);
  if (known != variables_.end()) return known->second;
  pending_.push_back(id);
  const uint32_t variable = module_.add_variable(
      spv::StorageClass::Private, module_.pointer_type(spv::StorageClass::Private, place_type()));
  variables_.emplace(id, variable);
  return variable;
}

// The pointers in it lead nowhere at first: a load without an earlier store is not followed.
uint32_t PointerPlaces::shadow_of(uint32_t variable) {
  const auto known = variables_.find(variable);
  if (known != variables_.end()) return known->second;
  pending_.push_back(variable);
  const ModuleView& view = module_.view();
  const uint32_t type = shadow_type(view.definition(view.type_of(variable), spv::Op::OpTypePointer).word(3));
  const uint32_t pointer = module_.pointer_type(spv::StorageClass::Private, type);
  const uint32_t null = module_.global(spv::Op::OpConstantNull, type, {});
  const uint32_t shadow = module_.add_variable(spv::StorageClass::Private, pointer, null);
  variables_.emplace(variable, shadow);
  return shadow;
}

// type: the type at the path, in the application's variable.
uint32_t PointerPlaces::shadow_pointer(SiteBuilder& site, const PointerVariables::Path& path, uint32_t type) {
  const uint32_t shadow = shadow_of(path.variable);
  if (path.indices.empty()) return shadow;
  std::vector<uint32_t> operands{shadow};
  operands.insert(operands.end(), path.indices.begin(), path.indices.end());
  const uint32_t pointer_type = module_.pointer_type(spv::StorageClass::Private, shadow_type(type));
  const uint32_t pointer = module_.take_id();
  site.emit_as(pointer, spv::Op::OpAccessChain, pointer_type, operands);
  return pointer;
}

PointerTarget PointerPlaces::load(SiteBuilder& site, uint32_t place_pointer) {
  const uint32_t uint_type = module_.uint_type();
  const uint32_t uvec4 = module_.vector_type(uint_type, 4);
  const uint32_t value = site.emit(spv::Op::OpLoad, place_type(), {place_pointer});
  PointerTarget place;
  place.descriptor = site.emit(spv::Op::OpCompositeExtract, uvec4, {value}, {0});
  place.index = site.emit(spv::Op::OpCompositeExtract, uint_type, {value}, {1});
  place.offset = site.emit(spv::Op::OpCompositeExtract, uint_type, {value}, {2});
  return place;
}

// Takes a place whose constant has been added to its offset.
void PointerPlaces::store(SiteBuilder& site, uint32_t place_pointer, const PointerTarget& place) {
  const uint32_t value =
      site.emit(spv::Op::OpCompositeConstruct, place_type(), {place.descriptor, place.index, place.offset});
  const uint32_t operands[] = {place_pointer, value};
  site.emit_as(0, spv::Op::OpStore, 0, operands);
}

void PointerPlaces::write_parameter(uint32_t parameter, uint32_t variable) {
  const auto found = roots_.parameter_of(parameter);
  if (!found) return;
  for (const PlacedInstruction& at : placed_) {
    const InstructionView call = module_.view().at(at.offset);
    if (call.op() != spv::Op::OpFunctionCall || call.word(3) != found->function) continue;
    SiteBuilder site(module_, at.instruction);
    store(site, variable, passed_on(site, call.word(4 + found->index)));
  }
}

// Each predecessor block stores into a variable, which the phi's block copies on entry: the phi's previous
// value may still be used where its block is left.
void PointerPlaces::write_phi(uint32_t phi, uint32_t variable) {
  const InstructionView definition = module_.view().definition(phi, spv::Op::OpPhi);
  const uint32_t incoming = module_.add_variable(
      spv::StorageClass::Private, module_.pointer_type(spv::StorageClass::Private, place_type()));
  for (auto& function : *module_.context().module()) {
    for (auto& block : function) {
      for (uint32_t i = 3; i + 1 < definition.size(); i += 2) {
        if (block.id() != definition.word(i + 1)) continue;
        SiteBuilder site(module_, end_of(block));
        store(site, incoming, passed_on(site, definition.word(i)));
      }
      if (std::none_of(block.begin(), block.end(),
                       [&](const Instruction& i) { return i.result_id() == phi; }))
        continue;
      SiteBuilder site(module_, start_of(block));
      store(site, variable, load(site, incoming));
    }
  }
}

void PointerPlaces::write_result(uint32_t function, uint32_t variable) {
  for (auto& each : *module_.context().module()) {
    if (each.result_id() != function) continue;
    for (auto& block : each) {
      Instruction* last = block.terminator();
      if (!last || last->opcode() != spv::Op::OpReturnValue) continue;
      SiteBuilder site(module_, end_of(block));
      store(site, variable, passed_on(site, last->GetSingleWordInOperand(0)));
    }
  }
}

// Each store and load of places comes directly after that of the pointers, so that both stay in the same
// order.
void PointerPlaces::write_shadow(uint32_t variable) {
  const ModuleView& view = module_.view();
  for (const PlacedInstruction& at : placed_) {
    const InstructionView i = view.at(at.offset);
    if (i.op() != spv::Op::OpStore) continue;
    const auto target = roots_.variables().path(i.word(1));
    const uint32_t value = i.word(2);
    const uint32_t type = view.type_of(value);
    if (!target || target->variable != variable || !roots_.variables().holds_pointers(type)) continue;
    SiteBuilder site(module_, at.instruction->NextNode());
    if (view.definition(type, spv::Op::OpTypePointer)) {
      const PointerTarget place = passed_on(site, value);
      store(site, shadow_pointer(site, *target, type), place);
      continue;
    }
    // A whole structure or array: null, or loaded from another such variable.
    const InstructionView source = view.definition(value);
    uint32_t places = module_.global(spv::Op::OpConstantNull, shadow_type(type), {});
    if (source.op() == spv::Op::OpLoad) {
      const auto from = roots_.variables().path(source.word(3));
      Instruction* load = instruction_of(value);
      if (!from || !load) continue;
      SiteBuilder beside(module_, load->NextNode());
      places = beside.emit(spv::Op::OpLoad, shadow_type(type), {shadow_pointer(beside, *from, type)});
    }
    const uint32_t operands[] = {shadow_pointer(site, *target, type), places};
    site.emit_as(0, spv::Op::OpStore, 0, operands);
  }
}

void PointerPlaces::finish() {
  while (!pending_.empty()) {
    const uint32_t id = pending_.back();
    pending_.pop_back();
    const uint32_t variable = variables_.at(id);
    switch (module_.view().definition(id).op()) {
      case spv::Op::OpPhi:
        write_phi(id, variable);
        break;
      case spv::Op::OpFunction:
        write_result(id, variable);
        break;
      case spv::Op::OpVariable:
        write_shadow(id);
        break;
      default:
        write_parameter(id, variable);
        break;
    }
  }
}

}  // namespace shaderqa
