// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/memory_layout.h"

#include <algorithm>

namespace shaderqa {
namespace {

// Types that one footprint looks at. Structures of malformed modules may contain themselves.
constexpr uint32_t type_budget = 4096;

void merge(std::vector<MemoryRun>& runs) {
  std::ranges::sort(runs, {}, &MemoryRun::offset);
  size_t kept = 0;
  for (const MemoryRun& run : runs) {
    if (kept != 0 && run.offset <= runs[kept - 1].offset + runs[kept - 1].size) {
      MemoryRun& last = runs[kept - 1];
      last.size = std::max(last.offset + last.size, run.offset + run.size) - last.offset;
    } else {
      runs[kept++] = run;
    }
  }
  runs.resize(kept);
}

}  // namespace

uint32_t MemoryLayout::scalar_size(uint32_t type) const {
  const InstructionView definition = module_.definition(type);
  if (!definition) return 0;
  switch (definition.op()) {
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat: {
      const uint32_t width = definition.word(2);
      return width == 8 || width == 16 || width == 32 || width == 64 ? width / 8 : 0;
    }
    case spv::Op::OpTypePointer:
      return static_cast<spv::StorageClass>(definition.word(2)) == spv::StorageClass::PhysicalStorageBuffer
                 ? 8
                 : 0;
    default:
      return 0;
  }
}

bool MemoryLayout::has_storage_only_scalars(uint32_t type) const {
  return any_scalar(type, [this](InstructionView scalar) {
    const bool integer = scalar.op() == spv::Op::OpTypeInt;
    const uint32_t width = scalar.word(2);
    if (width == 8) return integer && !module_.has_capability(spv::Capability::Int8);
    return width == 16 &&
           !module_.has_capability(integer ? spv::Capability::Int16 : spv::Capability::Float16);
  });
}

bool MemoryLayout::has_whole_words(uint32_t type) const {
  return !any_scalar(type, [](InstructionView scalar) { return scalar.word(2) < 32; });
}

template <typename Predicate>
bool MemoryLayout::any_scalar(uint32_t type, const Predicate& predicate) const {
  uint32_t budget = type_budget;
  const auto visit = [&](const auto& self, uint32_t id) -> bool {
    const InstructionView definition = module_.definition(id);
    if (!definition || budget == 0) return true;
    --budget;
    switch (definition.op()) {
      case spv::Op::OpTypeInt:
      case spv::Op::OpTypeFloat:
        return predicate(definition);
      case spv::Op::OpTypeVector:
      case spv::Op::OpTypeMatrix:
      case spv::Op::OpTypeArray:
      case spv::Op::OpTypeRuntimeArray:
        return self(self, definition.word(2));
      case spv::Op::OpTypeStruct:
        for (uint32_t i = 2; i < definition.size(); ++i)
          if (self(self, definition.word(i))) return true;
        return false;
      default:
        return false;
    }
  };
  return visit(visit, type);
}

MatrixLayout MemoryLayout::member_matrix(uint32_t structure, uint32_t member) const {
  MatrixLayout matrix;
  matrix.stride = decorations_.find_member(structure, member, spv::Decoration::MatrixStride).value_or(0);
  matrix.row_major = decorations_.find_member(structure, member, spv::Decoration::RowMajor).has_value();
  return matrix;
}

bool MemoryLayout::add_repeated(const std::vector<MemoryRun>& element, uint32_t count, uint32_t stride,
                                uint32_t offset, std::vector<MemoryRun>& runs) const {
  if (element.empty() || count == 0) return true;
  if (stride == 0 || count > UINT32_MAX / stride) return false;
  if (element.size() == 1 && element[0].size >= stride) {
    runs.push_back({offset + element[0].offset, (count - 1) * stride + element[0].size});
    return true;
  }
  // Runs of neighbours may still meet: twice as many for now.
  if (count > 2 * max_memory_runs / element.size()) return false;
  for (uint32_t i = 0; i < count; ++i)
    for (const MemoryRun& run : element) runs.push_back({offset + i * stride + run.offset, run.size});
  return true;
}

bool MemoryLayout::add(uint32_t type, const MatrixLayout& matrix, uint32_t offset, uint32_t& budget,
                       std::vector<MemoryRun>& runs) const {
  const InstructionView definition = module_.definition(type);
  if (!definition || budget == 0 || runs.size() > 16 * max_memory_runs) return false;
  --budget;
  switch (definition.op()) {
    case spv::Op::OpTypeVector: {
      const uint32_t size = scalar_size(definition.word(2));
      if (size == 0) return false;
      const uint32_t stride = matrix.component_stride != 0 ? matrix.component_stride : size;
      return add_repeated({{0, size}}, definition.word(3), stride, offset, runs);
    }
    case spv::Op::OpTypeMatrix: {
      const InstructionView column = module_.definition(definition.word(2), spv::Op::OpTypeVector);
      if (!column || matrix.stride == 0) return false;
      const uint32_t size = scalar_size(column.word(2));
      if (size == 0 || column.word(3) > 4 || definition.word(3) > 4) return false;
      const uint32_t lines = matrix.row_major ? column.word(3) : definition.word(3);
      const uint32_t length = matrix.row_major ? definition.word(3) : column.word(3);
      return add_repeated({{0, size * length}}, lines, matrix.stride, offset, runs);
    }
    case spv::Op::OpTypeArray: {
      const auto stride = decorations_.find(type, spv::Decoration::ArrayStride);
      const auto count = module_.constant(definition.word(3));
      if (!stride || !count) return false;
      std::vector<MemoryRun> element;
      if (!add(definition.word(2), matrix, 0, budget, element)) return false;
      merge(element);
      return add_repeated(element, *count, *stride, offset, runs);
    }
    case spv::Op::OpTypeStruct:
      for (uint32_t member = 0; member + 2 < definition.size(); ++member) {
        const auto at = decorations_.find_member(type, member, spv::Decoration::Offset);
        if (!at || !add(definition.word(member + 2), member_matrix(type, member), offset + *at, budget, runs))
          return false;
      }
      return true;
    default: {
      const uint32_t size = scalar_size(type);
      if (size != 0) runs.push_back({offset, size});
      return size != 0;
    }
  }
}

std::optional<std::vector<MemoryRun>> MemoryLayout::footprint(uint32_t type,
                                                              const MatrixLayout& matrix) const {
  std::vector<MemoryRun> runs;
  uint32_t budget = type_budget;
  if (!add(type, matrix, 0, budget, runs)) return std::nullopt;
  merge(runs);
  if (runs.size() > max_memory_runs) return std::nullopt;
  return runs;
}

}  // namespace shaderqa
