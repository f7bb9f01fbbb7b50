// SPDX-License-Identifier: Apache-2.0
// The code of stops: what a trace does for a debugger (docs/internals/debug.md).
#include "instrument/ir/decorations.h"
#include "instrument/passes/printf_arguments.h"
#include "instrument/passes/trace_pass.h"
#include "instrument/passes/trace_plan.h"
#include "instrument/runtime/abi_debug.h"

namespace shaderqa {

void TracePass::write_stop(SiteBuilder& site, uint32_t number) {
  const uint32_t root = root_address();
  const uint32_t piece = module_.constant(number);
  const uint32_t bit = module_.constant(abi::debug_bit(record_.shader_hash, number));
  const uint32_t function = runtime_.function("sqa_debug_at");
  site.emit(spv::Op::OpFunctionCall, module_.void_type(), {function, root, piece, bit});
}

void TracePass::write_change(SiteBuilder& site, uint32_t number, const ChangeableVariable& variable) {
  const ModuleView& view = module_.view();
  const uint32_t uint_type = module_.uint_type(), zero = module_.constant(0), one = module_.constant(1);
  const auto storage =
      static_cast<spv::StorageClass>(view.definition(view.type_of(variable.pointer)).word(2));
  uint32_t pointer = variable.pointer;
  if (!variable.members.empty()) {
    std::vector<uint32_t> operands{pointer};
    for (const uint32_t member : variable.members) operands.push_back(module_.constant(member));
    const uint32_t type = module_.pointer_type(storage, variable.type);
    pointer = module_.take_id();
    site.emit_as(pointer, spv::Op::OpAccessChain, type, operands);
  }
  const InstructionView vector = view.definition(variable.type, spv::Op::OpTypeVector);
  const uint32_t component = vector ? vector.word(2) : variable.type;
  const bool is_bool = view.definition(component).op() == spv::Op::OpTypeBool;
  const uint32_t value = site.emit(spv::Op::OpLoad, variable.type, {pointer});
  std::vector<uint32_t> words(4, zero);
  for (uint32_t i = 0; i < variable.dwords; ++i) {
    uint32_t part = vector ? site.emit(spv::Op::OpCompositeExtract, component, {value}, {i}) : value;
    if (is_bool)
      part = site.emit(spv::Op::OpSelect, uint_type, {part, one, zero});
    else if (component != uint_type)
      part = site.emit(spv::Op::OpBitcast, uint_type, {part});
    words[i] = part;
  }
  const uint32_t four = module_.vector_type(uint_type, 4);
  const uint32_t before =
      site.emit(spv::Op::OpCompositeConstruct, four, {words[0], words[1], words[2], words[3]});
  const uint32_t id = module_.constant(number), replace = runtime_.function("sqa_debug_replace");
  const uint32_t after = site.emit(spv::Op::OpFunctionCall, four, {replace, id, before});
  std::vector<uint32_t> parts;
  for (uint32_t i = 0; i < variable.dwords; ++i) {
    uint32_t part = site.emit(spv::Op::OpCompositeExtract, uint_type, {after}, {i});
    if (is_bool)
      part = site.emit(spv::Op::OpINotEqual, component, {part, zero});
    else if (component != uint_type)
      part = site.emit(spv::Op::OpBitcast, component, {part});
    parts.push_back(part);
  }
  uint32_t changed = parts[0];
  if (vector) {
    changed = module_.take_id();
    site.emit_as(changed, spv::Op::OpCompositeConstruct, variable.type, parts);
  }
  site.emit_as(0, spv::Op::OpStore, 0, std::vector<uint32_t>{pointer, changed});
}

void TracePass::load_before_store(uint32_t store, std::vector<uint32_t>& dwords) {
  const ModuleView& view = module_.view();
  const InstructionView i = view.at(store);
  SiteBuilder site(module_, instructions_.at(store));
  const uint32_t type = view.definition(view.type_of(i.word(1))).word(3);
  const uint32_t loaded = module_.take_id();
  // An address needs its alignment, which is the first literal.
  constexpr uint32_t aligned = static_cast<uint32_t>(spv::MemoryAccessMask::Aligned);
  std::vector<uint32_t> literals;
  if (i.op() == spv::Op::OpStore && (i.word(3) & aligned) != 0) literals = {aligned, i.word(4)};
  site.emit_as(loaded, spv::Op::OpLoad, type, std::vector<uint32_t>{i.word(1)}, literals);
  flatten_value(site, type, loaded, dwords);
}

void TracePass::write_check(SiteBuilder& site, const CheckedAccess& access) {
  const ModuleView& view = module_.view();
  const uint32_t uint_type = module_.uint_type(), void_type = module_.void_type();
  if (access.bytes != 0) {
    std::vector<uint32_t> dwords;
    flatten_argument(site, access.pointer, dwords);
    const uint32_t root = root_address(), bytes = module_.constant(access.bytes);
    const uint32_t function = runtime_.function("sqa_debug_check_address");
    site.emit(spv::Op::OpFunctionCall, void_type, {function, root, dwords[0], dwords[1], bytes});
    return;
  }
  uint32_t block = access.variable;
  if (access.descriptor != 0) {
    const InstructionView pointer = view.definition(view.type_of(access.variable));
    const InstructionView array = view.definition(pointer.word(3));
    const uint32_t type =
        module_.pointer_type(static_cast<spv::StorageClass>(pointer.word(2)), array.word(2));
    block = site.emit(spv::Op::OpAccessChain, type, {access.variable, access.descriptor});
    const Decorations decorations(view);
    for (const uint32_t id : {access.pointer, access.descriptor})
      if (decorations.find(id, spv::Decoration::NonUniform)) {
        module_.add_annotation(
            spv::Op::OpDecorate,
            std::vector<uint32_t>{block, static_cast<uint32_t>(spv::Decoration::NonUniform)});
        break;
      }
  }
  uint32_t index = access.index;
  if (view.type_of(index) != uint_type) index = site.emit(spv::Op::OpBitcast, uint_type, {index});
  const uint32_t length = site.emit(spv::Op::OpArrayLength, uint_type, {block}, {access.member});
  const uint32_t function = runtime_.function("sqa_debug_check_index");
  site.emit(spv::Op::OpFunctionCall, void_type, {function, index, length});
}

}  // namespace shaderqa
