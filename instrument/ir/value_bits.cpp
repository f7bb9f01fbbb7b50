// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/value_bits.h"

namespace shaderqa {

NumericType numeric_type(const ModuleView& view, uint32_t type) {
  NumericType numeric;
  numeric.component_type = type;
  InstructionView definition = view.definition(type);
  if (definition && definition.op() == spv::Op::OpTypeVector) {
    numeric.components = definition.word(3);
    numeric.component_type = definition.word(2);
    definition = view.definition(numeric.component_type);
  }
  if (!definition || numeric.components == 0 || numeric.components > 16) return numeric;
  switch (definition.op()) {
    case spv::Op::OpTypeFloat:
      numeric.floating = true;
      if (definition.size() == 3) numeric.width = definition.word(2);
      break;
    case spv::Op::OpTypeInt:
      numeric.width = definition.word(2);
      break;
    case spv::Op::OpTypeBool:
      numeric.boolean = true;
      numeric.width = 1;
      break;
    default:
      break;
  }
  return numeric;
}

std::vector<uint32_t> components(SiteBuilder& site, const NumericType& type, uint32_t value) {
  if (type.components == 1) return {value};
  std::vector<uint32_t> result;
  for (uint32_t i = 0; i < type.components; ++i)
    result.push_back(site.emit(spv::Op::OpCompositeExtract, type.component_type, {value}, {i}));
  return result;
}

uint32_t all_of(SiteBuilder& site, const std::vector<uint32_t>& bools) {
  uint32_t all = bools[0];
  for (size_t i = 1; i < bools.size(); ++i)
    all = site.emit(spv::Op::OpLogicalAnd, site.module().bool_type(), {all, bools[i]});
  return all;
}

uint32_t first_false(SiteBuilder& site, const std::vector<uint32_t>& bools,
                     const std::vector<uint32_t>& values, uint32_t size) {
  ModuleEditor& module = site.module();
  const uint32_t type = module.vector_type(module.uint_type(), size);
  if (bools.size() == 1) return values[0];
  // Up to SPIR-V 1.3 the condition has as many components as what it selects.
  const uint32_t condition_type = module.vector_type(module.bool_type(), size);
  uint32_t result = values.back();
  for (size_t i = bools.size() - 1; i-- > 0;) {
    uint32_t condition = bools[i];
    if (size != 1) {
      const std::vector<uint32_t> all(size, bools[i]);
      condition = module.take_id();
      site.emit_as(condition, spv::Op::OpCompositeConstruct, condition_type, all);
    }
    result = site.emit(spv::Op::OpSelect, type, {condition, result, values[i]});
  }
  return result;
}

}  // namespace shaderqa
