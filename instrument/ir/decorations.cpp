// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/decorations.h"

namespace shaderqa {
namespace {

uint64_t key(uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; }

}  // namespace

Decorations::Decorations(const ModuleView& module) {
  for_each_instruction(module.words(), header_words, [&](InstructionView i, uint32_t offset) {
    if (offset >= module.functions_offset()) return false;
    switch (i.op()) {
      case spv::Op::OpName:
        names_.emplace(i.word(1), literal_string(i, 2));
        break;
      case spv::Op::OpMemberName:
        member_names_.emplace(key(i.word(1), i.word(2)), literal_string(i, 3));
        break;
      case spv::Op::OpDecorate:
        decorations_.emplace(key(i.word(1), i.word(2)), i.word(3));
        break;
      case spv::Op::OpMemberDecorate:
        member_decorations_.emplace(std::make_tuple(i.word(1), i.word(2), i.word(3)), i.word(4));
        break;
      default:
        break;
    }
    return true;
  });
}

std::optional<uint32_t> Decorations::find(uint32_t id, spv::Decoration decoration) const {
  const auto found = decorations_.find(key(id, static_cast<uint32_t>(decoration)));
  if (found == decorations_.end()) return std::nullopt;
  return found->second;
}

std::optional<uint32_t> Decorations::find_member(uint32_t structure, uint32_t member,
                                                 spv::Decoration decoration) const {
  const auto found = member_decorations_.find({structure, member, static_cast<uint32_t>(decoration)});
  if (found == member_decorations_.end()) return std::nullopt;
  return found->second;
}

std::string Decorations::name(uint32_t id) const {
  const auto found = names_.find(id);
  return found == names_.end() ? std::string() : found->second;
}

std::string Decorations::member_name(uint32_t structure, uint32_t member) const {
  const auto found = member_names_.find(key(structure, member));
  return found == member_names_.end() ? std::string() : found->second;
}

bool is_uniform_block(const ModuleView& module, const Decorations& decorations, uint32_t variable) {
  const InstructionView pointer = module.definition(module.type_of(variable), spv::Op::OpTypePointer);
  if (!pointer || static_cast<spv::StorageClass>(pointer.word(2)) != spv::StorageClass::Uniform) return false;
  InstructionView type = module.definition(pointer.word(3));
  while (type && (type.op() == spv::Op::OpTypeArray || type.op() == spv::Op::OpTypeRuntimeArray))
    type = module.definition(type.word(2));
  return type && decorations.find(type.word(1), spv::Decoration::Block).has_value();
}

}  // namespace shaderqa
