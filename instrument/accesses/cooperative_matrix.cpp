// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/cooperative_matrix.h"

namespace shaderqa {
namespace {

// Opcodes as numbers: SPIR-V headers of older distributions do not have all of them.
constexpr uint32_t type_khr = 4456, load_khr = 4457, store_khr = 4458;
constexpr uint32_t type_nv = 5358, load_nv = 5359, store_nv = 5360;
constexpr uint32_t load_tensor_nv = 5367, store_tensor_nv = 5368;
constexpr uint32_t vector_load_nv = 5302, vector_store_nv = 5303;
constexpr uint32_t row_major_khr = 0, column_major_khr = 1;

uint32_t number(InstructionView instruction) { return static_cast<uint32_t>(instruction.op()); }

std::optional<bool> is_row_major(const ModuleView& module, InstructionView access, uint32_t layout) {
  if (number(access) == load_khr || number(access) == store_khr) {
    const auto value = module.constant(layout);
    if (!value || (*value != row_major_khr && *value != column_major_khr)) return std::nullopt;
    return *value == row_major_khr;
  }
  const InstructionView column_major = module.definition(layout);
  if (column_major.op() == spv::Op::OpConstantTrue) return false;
  if (column_major.op() == spv::Op::OpConstantFalse) return true;
  return std::nullopt;
}

std::optional<MatrixLines> lines_of(const ModuleView& module, const MemoryLayout& layout,
                                    InstructionView access, uint32_t type, uint32_t pointer,
                                    uint32_t layout_id, uint32_t stride) {
  const InstructionView matrix = module.definition(type);
  if (!matrix || (number(matrix) != type_khr && number(matrix) != type_nv)) return std::nullopt;
  const InstructionView pointer_type = module.definition(module.type_of(pointer), spv::Op::OpTypePointer);
  const auto row_major = is_row_major(module, access, layout_id);
  const auto scope = module.constant(matrix.word(3));
  if (!pointer_type || !row_major || !scope || stride == 0) return std::nullopt;
  MatrixLines lines;
  lines.of_workgroup = static_cast<spv::Scope>(*scope) == spv::Scope::Workgroup;
  if (!lines.of_workgroup && static_cast<spv::Scope>(*scope) != spv::Scope::Subgroup) return std::nullopt;
  lines.count = matrix.word(*row_major ? 4 : 5);
  lines.length = matrix.word(*row_major ? 5 : 4);
  lines.component_size = layout.scalar_size(matrix.word(2));
  lines.stride = stride;
  // Units are those of the pointer's pointee, whatever the matrix consists of.
  uint32_t unit = pointer_type.word(3);
  uint32_t components = 1;
  if (const InstructionView vector = module.definition(unit, spv::Op::OpTypeVector)) {
    unit = vector.word(2);
    components = vector.word(3);
  }
  lines.stride_unit = layout.scalar_size(unit) * components;
  if (lines.component_size == 0 || lines.stride_unit == 0) return std::nullopt;
  return lines;
}

}  // namespace

std::optional<MatrixAccess> matrix_access(const ModuleView& module, const MemoryLayout& layout,
                                          InstructionView i) {
  // Optional operands at the end may be missing.
  const auto operand = [&](uint32_t word) { return word < i.size() ? i.word(word) : 0; };
  switch (number(i)) {
    case load_khr:
      return MatrixAccess{false, i.word(3),
                          lines_of(module, layout, i, i.word(1), i.word(3), i.word(4), operand(5))};
    case store_khr:
      return MatrixAccess{
          true, i.word(1),
          lines_of(module, layout, i, module.type_of(i.word(2)), i.word(1), i.word(3), operand(4))};
    case load_nv:
      return MatrixAccess{false, i.word(3),
                          lines_of(module, layout, i, i.word(1), i.word(3), operand(5), i.word(4))};
    case store_nv:
      return MatrixAccess{
          true, i.word(1),
          lines_of(module, layout, i, module.type_of(i.word(2)), i.word(1), operand(4), i.word(3))};
    case load_tensor_nv:
    case vector_load_nv:
      return MatrixAccess{false, i.word(3), std::nullopt};
    case store_tensor_nv:
    case vector_store_nv:
      return MatrixAccess{true, i.word(1), std::nullopt};
    default:
      return std::nullopt;
  }
}

}  // namespace shaderqa
