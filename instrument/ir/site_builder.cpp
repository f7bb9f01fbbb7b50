// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/site_builder.h"

#include <memory>

#include "source/opt/instruction.h"

namespace shaderqa {

using spvtools::opt::Instruction;
using spvtools::opt::Operand;

void SiteBuilder::emit_as(uint32_t result, spv::Op op, uint32_t type, Words ids, Words literals) {
  std::vector<Operand> operands;
  operands.reserve(ids.size() + literals.size());
  for (const uint32_t& id : ids) operands.emplace_back(SPV_OPERAND_TYPE_ID, &id, &id + 1);
  for (const uint32_t& literal : literals)
    operands.emplace_back(SPV_OPERAND_TYPE_LITERAL_INTEGER, &literal, &literal + 1);
  auto instruction = std::make_unique<Instruction>(&module_.context(), op, type, result, operands);
  instruction->UpdateDebugInfoFrom(before_);
  before_->InsertBefore(std::move(instruction));
}

uint32_t SiteBuilder::emit(spv::Op op, uint32_t type, std::initializer_list<uint32_t> ids,
                           std::initializer_list<uint32_t> literals) {
  const uint32_t result = module_.take_id();
  emit_as(result, op, type, Words(ids.begin(), ids.size()), Words(literals.begin(), literals.size()));
  return result;
}

}  // namespace shaderqa
