// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/workgroup_memory.h"

#include <algorithm>

namespace shaderqa {
namespace {

// No device has more workgroup memory, and malformed modules may ask for any amount.
constexpr uint64_t max_size = uint64_t{1} << 24;
// Types of malformed modules may contain themselves.
constexpr uint32_t max_depth = 32;
constexpr uint32_t type_budget = 1024;

std::optional<uint32_t> bounded(uint64_t size) {
  if (size > max_size) return std::nullopt;
  return static_cast<uint32_t>(size);
}

uint64_t aligned(uint64_t offset, uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

}  // namespace

uint32_t WorkgroupMemory::length_of(InstructionView array) const {
  return constants_.value(array.word(3)).value_or(0);
}

uint32_t WorkgroupMemory::scalar_bits(uint32_t type) const {
  for (uint32_t depth = 0; depth < max_depth; ++depth) {
    const InstructionView definition = module_.definition(type);
    if (!definition) return 0;
    switch (definition.op()) {
      case spv::Op::OpTypeBool:
        return 32;
      case spv::Op::OpTypeInt:
      case spv::Op::OpTypeFloat:
        return definition.word(2);
      case spv::Op::OpTypePointer:
        return 64;
      case spv::Op::OpTypeVector:
      case spv::Op::OpTypeMatrix:
      case spv::Op::OpTypeArray:
        type = definition.word(2);
        break;
      default:
        return 0;
    }
  }
  return 0;
}

std::optional<uint32_t> WorkgroupMemory::size_of(uint32_t type, bool in_bytes) const {
  const InstructionView definition = module_.definition(type);
  if (!definition) return std::nullopt;
  switch (definition.op()) {
    case spv::Op::OpTypeBool:
      return in_bytes ? 4 : 1;
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
    case spv::Op::OpTypePointer: {
      const uint32_t bytes = bytes_.scalar_size(type);
      if (bytes == 0) return std::nullopt;
      return in_bytes ? bytes : 1;
    }
    case spv::Op::OpTypeVector: {
      const auto component = size_of(definition.word(2), in_bytes);
      if (!component) return std::nullopt;
      return bounded(uint64_t{*component} * definition.word(3));
    }
    case spv::Op::OpTypeMatrix: {
      const auto column = size_of(definition.word(2), false);
      if (in_bytes || !column) return std::nullopt;
      return bounded(uint64_t{*column} * definition.word(3));
    }
    case spv::Op::OpTypeArray: {
      const auto stride = stride_of(type, in_bytes);
      const uint32_t length = length_of(definition);
      if (!stride || length == 0) return std::nullopt;
      return bounded(uint64_t{*stride} * length);
    }
    case spv::Op::OpTypeStruct: {
      uint64_t end = 0;
      for (uint32_t member = 0; member + 2 < definition.size(); ++member) {
        const auto offset = decorations_.find_member(type, member, spv::Decoration::Offset);
        const auto size = size_of_member(type, member, definition.word(member + 2), in_bytes);
        if (!size || (in_bytes && !offset)) return std::nullopt;
        end = in_bytes ? std::max(end, uint64_t{*offset} + *size) : end + *size;
        if (!bounded(end)) return std::nullopt;
      }
      return static_cast<uint32_t>(end);
    }
    default:
      return std::nullopt;
  }
}

std::optional<uint32_t> WorkgroupMemory::size_of_member(uint32_t structure, uint32_t member, uint32_t type,
                                                        bool in_bytes) const {
  const InstructionView matrix = module_.definition(type, spv::Op::OpTypeMatrix);
  if (!in_bytes || !matrix) return size_of(type, in_bytes);
  const MatrixLayout layout = bytes_.member_matrix(structure, member);
  const InstructionView column = module_.definition(matrix.word(2), spv::Op::OpTypeVector);
  if (layout.stride == 0 || !column) return std::nullopt;
  return bounded(uint64_t{layout.stride} * (layout.row_major ? column.word(3) : matrix.word(3)));
}

std::optional<uint32_t> WorkgroupMemory::stride_of(uint32_t array, bool in_bytes) const {
  if (in_bytes) return decorations_.find(array, spv::Decoration::ArrayStride);
  return size_of(module_.definition(array).word(2), false);
}

std::optional<std::vector<MemoryRun>> WorkgroupMemory::runs_of(uint32_t type, bool in_bytes) const {
  const InstructionView definition = module_.definition(type);
  if (!definition) return std::nullopt;
  // Blocks with matrices keep their layout in the member around the matrix.
  if (in_bytes && definition.op() != spv::Op::OpTypeStruct) return bytes_.footprint(type, {});
  if (definition.op() != spv::Op::OpTypeStruct) {
    const auto size = size_of(type, in_bytes);
    if (!size) return std::nullopt;
    return std::vector<MemoryRun>{{0, *size}};
  }
  std::vector<MemoryRun> runs;
  uint64_t end = 0;
  for (uint32_t member = 0; member + 2 < definition.size(); ++member) {
    const uint32_t member_type = definition.word(member + 2);
    if (in_bytes) {
      const auto offset = decorations_.find_member(type, member, spv::Decoration::Offset);
      const auto parts = bytes_.footprint(member_type, bytes_.member_matrix(type, member));
      if (!offset || !parts) return std::nullopt;
      for (const MemoryRun& part : *parts) runs.push_back({*offset + part.offset, part.size});
    } else {
      const auto size = size_of(member_type, false);
      if (!size || !bounded(end + *size)) return std::nullopt;
      runs = {{0, static_cast<uint32_t>(end + *size)}};
      end += *size;
    }
  }
  std::ranges::sort(runs, {}, &MemoryRun::offset);
  return runs;
}

bool WorkgroupMemory::step(WorkgroupPlace& place, uint32_t index) const {
  const InstructionView type = module_.definition(place.type);
  if (!type) return false;
  const auto advance = [&](uint32_t stride) {
    if (const auto constant = module_.constant(index))
      place.offset += *constant * stride;
    else
      place.indices.push_back({index, stride});
  };
  switch (type.op()) {
    case spv::Op::OpTypeStruct: {
      const auto member = module_.constant(index);
      if (!member || *member + 2 >= type.size()) return false;
      if (place.in_bytes) {
        const auto offset = decorations_.find_member(place.type, *member, spv::Decoration::Offset);
        if (!offset) return false;
        place.offset += *offset;
      } else {
        for (uint32_t before = 0; before < *member; ++before) {
          const auto size = size_of(type.word(before + 2), false);
          if (!size) return false;
          place.offset += *size;
        }
      }
      place.type = type.word(*member + 2);
      return true;
    }
    case spv::Op::OpTypeArray: {
      const auto stride = stride_of(place.type, place.in_bytes);
      if (!stride) return false;
      advance(*stride);
      place.type = type.word(2);
      return true;
    }
    case spv::Op::OpTypeMatrix:
    case spv::Op::OpTypeVector: {
      // What a matrix in a block looks like is not kept.
      const auto stride = size_of(type.word(2), place.in_bytes);
      if (!stride || (place.in_bytes && type.op() == spv::Op::OpTypeMatrix)) return false;
      advance(*stride);
      place.type = type.word(2);
      return true;
    }
    default:
      return false;
  }
}

std::string WorkgroupMemory::shape_of(uint32_t type, bool in_bytes) const {
  const InstructionView definition = module_.definition(type);
  if (!definition) return {};
  const auto elements = [&](uint32_t length, uint32_t stride) {
    return "[" + std::to_string(length) + "*" + std::to_string(stride) +
           shape_of(definition.word(2), in_bytes);
  };
  switch (definition.op()) {
    case spv::Op::OpTypeArray:
      return elements(length_of(definition), stride_of(type, in_bytes).value_or(0));
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
      return elements(definition.word(3), size_of(definition.word(2), in_bytes).value_or(0));
    case spv::Op::OpTypeStruct: {
      std::string shape = "{";
      uint32_t end = 0;
      for (uint32_t member = 0; member + 2 < definition.size(); ++member) {
        const uint32_t offset =
            in_bytes ? decorations_.find_member(type, member, spv::Decoration::Offset).value_or(0) : end;
        const std::string name = decorations_.member_name(type, member);
        shape += std::to_string(offset) + "." + (name.empty() ? std::to_string(member) : name) + ":" +
                 shape_of(definition.word(member + 2), in_bytes) + ";";
        end += size_of(definition.word(member + 2), in_bytes).value_or(0);
      }
      return shape + "}";
    }
    default:
      return {};
  }
}

std::optional<WorkgroupMemory::Extent> WorkgroupMemory::extent_of(uint32_t type) const {
  const InstructionView definition = module_.definition(type);
  if (!definition) return std::nullopt;
  switch (definition.op()) {
    case spv::Op::OpTypeVector: {
      const auto component = extent_of(definition.word(2));
      if (!component) return std::nullopt;
      const uint32_t count = definition.word(3);
      return Extent{component->size * count, component->size * (count == 3 ? 4 : count)};
    }
    case spv::Op::OpTypeMatrix:
    case spv::Op::OpTypeArray: {
      const auto element = extent_of(definition.word(2));
      const uint32_t count =
          definition.op() == spv::Op::OpTypeArray ? length_of(definition) : definition.word(3);
      if (!element || count == 0) return std::nullopt;
      const uint64_t stride = aligned(element->size, element->alignment);
      if (stride > max_size) return std::nullopt;
      return Extent{stride * count, element->alignment};
    }
    case spv::Op::OpTypeStruct: {
      Extent extent;
      for (uint32_t member = 2; member < definition.size(); ++member) {
        const auto part = extent_of(definition.word(member));
        if (!part || extent.size > max_size) return std::nullopt;
        extent.alignment = std::max(extent.alignment, part->alignment);
        extent.size = aligned(extent.size, part->alignment) + part->size;
      }
      extent.size = aligned(extent.size, extent.alignment);
      return extent;
    }
    case spv::Op::OpTypeBool:
      return Extent{4, 4};
    default: {
      const uint32_t size = bytes_.scalar_size(type);
      if (size == 0) return std::nullopt;
      return Extent{size, size};
    }
  }
}

bool WorkgroupMemory::is_finite(uint32_t type) const {
  uint32_t budget = type_budget;
  return is_finite(type, budget, 0);
}

bool WorkgroupMemory::is_finite(uint32_t type, uint32_t& budget, uint32_t depth) const {
  const InstructionView definition = module_.definition(type);
  if (!definition || budget == 0 || depth > max_depth) return false;
  --budget;
  switch (definition.op()) {
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
    case spv::Op::OpTypeArray:
      return is_finite(definition.word(2), budget, depth + 1);
    case spv::Op::OpTypeStruct:
      for (uint32_t member = 2; member < definition.size(); ++member)
        if (!is_finite(definition.word(member), budget, depth + 1)) return false;
      return true;
    default:
      return true;
  }
}

const std::vector<WorkgroupMemory::Variable>& WorkgroupMemory::find_variables() {
  variables_.clear();
  for_each_instruction(module_.words(), header_words, [&](InstructionView i, uint32_t) {
    if (i.op() == spv::Op::OpFunction) return false;
    if (i.op() != spv::Op::OpVariable ||
        static_cast<spv::StorageClass>(i.word(3)) != spv::StorageClass::Workgroup)
      return true;
    const InstructionView pointer = module_.definition(i.word(1), spv::Op::OpTypePointer);
    const uint32_t type = pointer ? pointer.word(3) : 0;
    Variable variable;
    variable.id = i.word(2);
    variable.in_bytes = decorations_.find(type, spv::Decoration::Block).has_value();
    variable.initialised = i.size() > 4;
    if (is_finite(type)) {
      const auto extent = extent_of(type);
      const auto size = size_of(type, variable.in_bytes);
      const uint64_t bytes = variable.in_bytes ? size.value_or(0) : extent.value_or(Extent{}).size;
      if (size && extent && bytes <= max_size) {
        variable.size = size;
        variable.bytes = static_cast<uint32_t>(aligned(bytes, 16));
      }
    }
    variables_.push_back(variable);
    return true;
  });
  return variables_;
}

}  // namespace shaderqa
