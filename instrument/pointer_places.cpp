#include "instrument/pointer_places.h"

#include "instrument/runtime/abi.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

using Root = ResolvedPointer::Root;
using spvtools::opt::Instruction;

// Selections double the work at each level.
constexpr uint32_t max_selection_depth = 4;

// Where instructions at the end of a block may stand.
Instruction* end_of(spvtools::opt::BasicBlock& block) {
  Instruction* merge = block.GetMergeInst();
  return merge ? merge : block.terminator();
}

}  // namespace

const DescriptorSlots* PointerPlaces::slots_of(const ResolvedPointer& pointer) const {
  const auto set = decorations_.find(pointer.variable, spv::Decoration::DescriptorSet);
  const auto binding = decorations_.find(pointer.variable, spv::Decoration::Binding);
  if (!set || !binding || *set >= SQA_MAX_SETS) return nullptr;
  for (const DescriptorSlots& slots : options_.descriptors)
    if (slots.set == *set && slots.binding == *binding) return &slots;
  return nullptr;
}

// Of an integer of any width; what does not fit is no offset of a descriptor's range.
uint32_t PointerPlaces::to_uint(SiteBuilder& site, uint32_t value) {
  const uint32_t uint_type = module_.uint_type();
  const uint32_t own_type = module_.view().type_of(value);
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

uint32_t PointerPlaces::descriptor_constant(const DescriptorSlots& slots) {
  const uint32_t type = module_.vector_type(module_.uint_type(), 4);
  const uint32_t set = module_.constant(slots.set);
  const uint32_t slot = module_.constant(slots.slot);
  const uint32_t count = module_.constant(slots.count);
  const uint32_t dynamic = module_.constant(slots.dynamic);
  return module_.global(spv::Op::OpConstantComposite, type, {set, slot, count, dynamic});
}

// No descriptors: no index is in bounds.
PointerPlace PointerPlaces::nowhere() {
  return {descriptor_constant({0, 0, 0, 0, SQA_NOT_DYNAMIC}), module_.constant(0), 0, 0};
}

PointerPlace PointerPlaces::emit(SiteBuilder& site, const ResolvedPointer& pointer) {
  PointerPlace place;
  if (pointer.root == Root::descriptor) {
    const DescriptorSlots* slots = slots_of(pointer);
    if (!slots) return nowhere();
    place.descriptor = descriptor_constant(*slots);
    place.index = pointer.array_element.id != 0 ? to_uint(site, pointer.array_element.id)
                                                : module_.constant(pointer.array_element.constant);
  } else if (pointer.root == Root::flow) {
    const InstructionView definition = module_.view().definition(pointer.variable);
    place = definition.op() == spv::Op::OpSelect ? select(site, definition)
                                                 : load(site, variables_of(pointer.variable));
  } else {
    return nowhere();
  }
  place.constant += pointer.offset;
  const uint32_t type = module_.uint_type();
  for (const ScaledIndex& index : pointer.indices) {
    uint32_t part = to_uint(site, index.id);
    if (index.stride != 1) {
      const uint32_t stride = module_.constant(index.stride);
      part = site.emit(spv::Op::OpIMul, type, {part, stride});
    }
    place.offset = place.offset == 0 ? part : site.emit(spv::Op::OpIAdd, type, {place.offset, part});
  }
  return place;
}

PointerPlace PointerPlaces::select(SiteBuilder& site, InstructionView selection) {
  if (depth_ >= max_selection_depth) return nowhere();
  ++depth_;
  const auto side = [&](uint32_t id) {
    const ResolvedPointer pointer = roots_.resolve(id);
    // A column of a row-major matrix is no vector to those who do not know.
    PointerPlace place = pointer.matrix.component_stride != 0 ? nowhere() : emit(site, pointer);
    place.offset = sum(site, place.offset, place.constant);
    return place;
  };
  const PointerPlace yes = side(selection.word(4));
  const PointerPlace no = side(selection.word(5));
  --depth_;
  const uint32_t uint_type = module_.uint_type();
  const uint32_t uvec4 = module_.vector_type(uint_type, 4);
  const uint32_t bvec4 = module_.vector_type(module_.bool_type(), 4);
  const uint32_t condition = selection.word(3);
  // Old SPIR-V selects vectors only by vectors.
  const uint32_t conditions =
      site.emit(spv::Op::OpCompositeConstruct, bvec4, {condition, condition, condition, condition});
  PointerPlace place;
  place.descriptor = site.emit(spv::Op::OpSelect, uvec4, {conditions, yes.descriptor, no.descriptor});
  place.index = site.emit(spv::Op::OpSelect, uint_type, {condition, yes.index, no.index});
  place.offset = site.emit(spv::Op::OpSelect, uint_type, {condition, yes.offset, no.offset});
  return place;
}

PointerPlaces::Variables PointerPlaces::add_variables() {
  const uint32_t uint_type = module_.uint_type();
  const auto variable = [&](uint32_t type) {
    return module_.add_variable(spv::StorageClass::Private,
                                module_.pointer_type(spv::StorageClass::Private, type));
  };
  Variables variables;
  variables.descriptor = variable(module_.vector_type(uint_type, 4));
  variables.index = variable(uint_type);
  variables.offset = variable(uint_type);
  return variables;
}

const PointerPlaces::Variables& PointerPlaces::variables_of(uint32_t pointer) {
  const auto known = variables_.find(pointer);
  if (known != variables_.end()) return known->second;
  pending_.push_back(pointer);
  return variables_.emplace(pointer, add_variables()).first->second;
}

PointerPlace PointerPlaces::load(SiteBuilder& site, const Variables& variables) {
  const uint32_t uint_type = module_.uint_type();
  const uint32_t uvec4 = module_.vector_type(uint_type, 4);
  PointerPlace place;
  place.descriptor = site.emit(spv::Op::OpLoad, uvec4, {variables.descriptor});
  place.index = site.emit(spv::Op::OpLoad, uint_type, {variables.index});
  place.offset = site.emit(spv::Op::OpLoad, uint_type, {variables.offset});
  return place;
}

void PointerPlaces::store(SiteBuilder& site, const Variables& variables, const ResolvedPointer& pointer) {
  const PointerPlace place = pointer.matrix.component_stride != 0 ? nowhere() : emit(site, pointer);
  const uint32_t offset = sum(site, place.offset, place.constant);
  const auto put = [&](uint32_t variable, uint32_t value) {
    const uint32_t operands[] = {variable, value};
    site.emit_as(0, spv::Op::OpStore, 0, operands);
  };
  put(variables.descriptor, place.descriptor);
  put(variables.index, place.index);
  put(variables.offset, offset);
}

void PointerPlaces::write_parameter(uint32_t parameter, const Variables& variables) {
  const auto found = roots_.parameter_of(parameter);
  if (!found) return;
  for (const PlacedInstruction& at : placed_) {
    const InstructionView call = module_.view().at(at.offset);
    if (call.op() != spv::Op::OpFunctionCall || call.word(3) != found->function) continue;
    SiteBuilder site(module_, at.instruction);
    store(site, variables, roots_.resolve(call.word(4 + found->index)));
  }
}

// Each block before stores into variables that the phi's block takes over when it is entered: a phi's value
// may still be used where its block is left.
void PointerPlaces::write_phi(uint32_t phi, const Variables& variables) {
  const InstructionView definition = module_.view().definition(phi, spv::Op::OpPhi);
  const Variables incoming = add_variables();
  for (auto& function : *module_.context().module()) {
    for (auto& block : function) {
      for (uint32_t i = 3; i + 1 < definition.size(); i += 2) {
        if (block.id() != definition.word(i + 1)) continue;
        SiteBuilder site(module_, end_of(block));
        store(site, incoming, roots_.resolve(definition.word(i)));
      }
      bool here = false;
      Instruction* first = nullptr;
      for (Instruction& instruction : block) {
        here = here || instruction.result_id() == phi;
        if (!first && instruction.opcode() != spv::Op::OpPhi) first = &instruction;
      }
      if (!here || !first) continue;
      SiteBuilder site(module_, first);
      const PointerPlace place = load(site, incoming);
      const uint32_t values[][2] = {{variables.descriptor, place.descriptor},
                                    {variables.index, place.index},
                                    {variables.offset, place.offset}};
      for (const auto& operands : values) site.emit_as(0, spv::Op::OpStore, 0, operands);
    }
  }
}

void PointerPlaces::finish() {
  while (!pending_.empty()) {
    const uint32_t pointer = pending_.back();
    pending_.pop_back();
    const Variables variables = variables_.at(pointer);
    if (module_.view().definition(pointer, spv::Op::OpPhi))
      write_phi(pointer, variables);
    else
      write_parameter(pointer, variables);
  }
}

}  // namespace shaderqa
