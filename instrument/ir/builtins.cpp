// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/builtins.h"

#include <algorithm>
#include <unordered_set>

#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

constexpr uint32_t input_storage = static_cast<uint32_t>(spv::StorageClass::Input);
constexpr uint32_t builtin_decoration = static_cast<uint32_t>(spv::Decoration::BuiltIn);

std::vector<spv::BuiltIn> invocation_builtins(Stage stage) {
  switch (stage) {
    case Stage::vertex:
      return {spv::BuiltIn::VertexIndex, spv::BuiltIn::InstanceIndex};
    case Stage::tessellation_control:
    case Stage::geometry:
      return {spv::BuiltIn::PrimitiveId, spv::BuiltIn::InvocationId};
    case Stage::tessellation_evaluation:
      return {spv::BuiltIn::PrimitiveId};
    case Stage::fragment:
      return {spv::BuiltIn::FragCoord};
    case Stage::compute:
    case Stage::task:
    case Stage::mesh:
      return {spv::BuiltIn::GlobalInvocationId};
    case Stage::unknown:
      return {};
    default:
      return {spv::BuiltIn::LaunchIdKHR};
  }
}

// Whether values of two types have the same components, but for their signs.
bool have_same_shape(spvtools::opt::IRContext& context, uint32_t a, uint32_t b) {
  const spvtools::opt::Instruction* left = context.get_def_use_mgr()->GetDef(a);
  const spvtools::opt::Instruction* right = context.get_def_use_mgr()->GetDef(b);
  if (left == nullptr || right == nullptr || left->opcode() != right->opcode()) return false;
  switch (left->opcode()) {
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
      return left->GetSingleWordInOperand(0) == right->GetSingleWordInOperand(0);
    case spv::Op::OpTypeVector:
      return left->GetSingleWordInOperand(1) == right->GetSingleWordInOperand(1) &&
             have_same_shape(context, left->GetSingleWordInOperand(0), right->GetSingleWordInOperand(0));
    default:
      return true;
  }
}

}  // namespace

std::optional<InputVariable> Builtins::find(spv::BuiltIn builtin, bool* in_block) {
  const ModuleView& view = module_.view();
  std::optional<InputVariable> found;
  std::unordered_set<uint32_t> blocks;  // structures with this built-in as a member
  const auto variable = [&](uint32_t id) -> std::optional<InputVariable> {
    const InstructionView definition = view.definition(id, spv::Op::OpVariable);
    if (!definition || definition.word(3) != input_storage) return std::nullopt;
    const InstructionView pointer = view.definition(definition.word(1), spv::Op::OpTypePointer);
    if (!pointer) return std::nullopt;
    return InputVariable{id, pointer.word(3)};
  };
  const auto in_interface = [&](uint32_t id) {
    return std::ranges::find(entry_point_.interface, id) != entry_point_.interface.end();
  };
  for_each_instruction(view.words(), header_words, [&](InstructionView i, uint32_t offset) {
    if (offset >= view.functions_offset()) return false;
    if (i.op() == spv::Op::OpDecorate && i.word(2) == builtin_decoration && i.size() == 4 &&
        static_cast<spv::BuiltIn>(i.word(3)) == builtin) {
      const auto candidate = variable(i.word(1));
      if (candidate && (!found || (in_interface(candidate->id) && !in_interface(found->id))))
        found = candidate;
    }
    if (i.op() == spv::Op::OpMemberDecorate && i.word(3) == builtin_decoration && i.size() == 5 &&
        static_cast<spv::BuiltIn>(i.word(4)) == builtin)
      blocks.insert(i.word(1));
    return true;
  });
  *in_block = false;
  if (found || blocks.empty()) return found;
  for (const uint32_t id : entry_point_.interface) {
    const auto candidate = variable(id);
    if (candidate && blocks.contains(candidate->type)) *in_block = true;
  }
  return found;
}

std::optional<InputVariable> Builtins::input(spv::BuiltIn builtin, uint32_t type) {
  const auto known = inputs_.find(builtin);
  if (known != inputs_.end()) return known->second;
  bool in_block = false;
  std::optional<InputVariable> variable = find(builtin, &in_block);
  // A shader that gives it another type is not valid, but not every driver says so.
  const bool is_other = variable && !have_same_shape(module_.context(), variable->type, type);
  if (is_other) variable.reset();
  if (!variable && !in_block && !is_other) {
    const uint32_t pointer = module_.pointer_type(spv::StorageClass::Input, type);
    variable = InputVariable{module_.add_variable(spv::StorageClass::Input, pointer), type};
    const uint32_t decoration[] = {variable->id, builtin_decoration, static_cast<uint32_t>(builtin)};
    module_.add_annotation(spv::Op::OpDecorate, decoration);
  }
  if (variable) module_.add_to_interface(variable->id);
  inputs_.emplace(builtin, variable);
  return variable;
}

uint32_t Builtins::type_of_new(spv::BuiltIn builtin) {
  switch (builtin) {
    case spv::BuiltIn::FragCoord:
      return module_.vector_type(module_.float_type(), 4);
    case spv::BuiltIn::HelperInvocation:
      return module_.bool_type();
    case spv::BuiltIn::GlobalInvocationId:
    case spv::BuiltIn::LaunchIdKHR:
      return module_.vector_type(module_.uint_type(), 3);
    default:
      return module_.global(spv::Op::OpTypeInt, 0, {32, 1});
  }
}

InvocationKind Builtins::invocation_kind() const {
  switch (entry_point_.stage) {
    case Stage::vertex:
      return InvocationKind::vertex;
    case Stage::tessellation_control:
    case Stage::tessellation_evaluation:
    case Stage::geometry:
      return InvocationKind::primitive;
    case Stage::fragment:
      return InvocationKind::fragment;
    case Stage::compute:
    case Stage::task:
    case Stage::mesh:
      return InvocationKind::global_id;
    case Stage::unknown:
      return InvocationKind::none;
    default:
      return InvocationKind::launch_id;
  }
}

bool Builtins::can_record_invocation() {
  for (const spv::BuiltIn builtin : invocation_builtins(entry_point_.stage))
    if (!input(builtin, type_of_new(builtin))) return false;
  return entry_point_.stage != Stage::unknown;
}

std::optional<InputVariable> Builtins::invocation_vector() {
  const InvocationKind kind = invocation_kind();
  if (kind != InvocationKind::global_id && kind != InvocationKind::launch_id) return std::nullopt;
  const spv::BuiltIn builtin = invocation_builtins(entry_point_.stage).front();
  return input(builtin, type_of_new(builtin));
}

// Scalars of either signedness, as uint.
uint32_t Builtins::load_uint(SiteBuilder& site, spv::BuiltIn builtin) {
  const InputVariable variable = *input(builtin, type_of_new(builtin));
  const uint32_t value = site.emit(spv::Op::OpLoad, variable.type, {variable.id});
  if (variable.type == module_.uint_type()) return value;
  return site.emit(spv::Op::OpBitcast, module_.uint_type(), {value});
}

std::vector<uint32_t> Builtins::invocation(SiteBuilder& site) {
  const uint32_t uint_type = module_.uint_type();
  std::vector<uint32_t> dwords;
  const auto builtins = invocation_builtins(entry_point_.stage);
  if (invocation_kind() == InvocationKind::fragment) {
    const InputVariable coord = *input(spv::BuiltIn::FragCoord, 0);
    const uint32_t value = site.emit(spv::Op::OpLoad, coord.type, {coord.id});
    for (uint32_t i = 0; i < 2; ++i) {
      const uint32_t component = site.emit(spv::Op::OpCompositeExtract, module_.float_type(), {value}, {i});
      dwords.push_back(site.emit(spv::Op::OpConvertFToU, uint_type, {component}));
    }
  } else if (invocation_kind() == InvocationKind::global_id ||
             invocation_kind() == InvocationKind::launch_id) {
    const InputVariable variable = *input(builtins.front(), 0);
    const uint32_t uint3 = module_.vector_type(uint_type, 3);
    uint32_t value = site.emit(spv::Op::OpLoad, variable.type, {variable.id});
    if (variable.type != uint3) value = site.emit(spv::Op::OpBitcast, uint3, {value});
    for (uint32_t i = 0; i < 3; ++i)
      dwords.push_back(site.emit(spv::Op::OpCompositeExtract, uint_type, {value}, {i}));
  } else {
    for (const spv::BuiltIn builtin : builtins) dwords.push_back(load_uint(site, builtin));
  }
  while (dwords.size() < SHADERQA_INVOCATION_DWORDS) dwords.push_back(module_.constant(0));
  return dwords;
}

bool Builtins::has_subgroup_inputs(std::initializer_list<spv::BuiltIn> builtins) {
  constexpr uint32_t spirv_1_3 = 0x00010300;
  if (module_.version() < spirv_1_3 || invocation_kind() != InvocationKind::global_id) return false;
  const auto has_input = [&](auto builtin) { return input(builtin, module_.uint_type()).has_value(); };
  return std::ranges::all_of(builtins, has_input);
}

bool Builtins::can_number_lanes() { return has_subgroup_inputs({spv::BuiltIn::SubgroupLocalInvocationId}); }

bool Builtins::can_number_subgroups() {
  return has_subgroup_inputs({spv::BuiltIn::NumSubgroups, spv::BuiltIn::SubgroupId,
                              spv::BuiltIn::SubgroupSize, spv::BuiltIn::SubgroupLocalInvocationId});
}

uint32_t Builtins::subgroup(SiteBuilder& site, spv::BuiltIn builtin) {
  module_.add_capability(spv::Capability::GroupNonUniform);
  return load_uint(site, builtin);
}

uint32_t Builtins::live(SiteBuilder& site) {
  if (entry_point_.stage != Stage::fragment) return module_.bool_constant(true);
  const uint32_t bool_type = module_.bool_type();
  uint32_t helper = 0;
  if (module_.view().has_capability(spv::Capability::DemoteToHelperInvocation)) {
    helper = site.emit(spv::Op::OpIsHelperInvocationEXT, bool_type, {});
  } else if (const auto variable = input(spv::BuiltIn::HelperInvocation, bool_type)) {
    helper = site.emit(spv::Op::OpLoad, bool_type, {variable->id});
  } else {
    return module_.bool_constant(true);
  }
  return site.emit(spv::Op::OpLogicalNot, bool_type, {helper});
}

}  // namespace shaderqa
