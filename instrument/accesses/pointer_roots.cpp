// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/pointer_roots.h"

namespace shaderqa {
namespace {

using Root = ResolvedPointer::Root;

// Chains are a few instructions long in valid modules, and may be endless in malformed ones.
constexpr uint32_t max_depth = 64;

}  // namespace

void PointerRoots::add_parameter(uint32_t function, uint32_t parameter) {
  parameters_.emplace(parameter, Parameter{function, parameter_counts_[function]++});
}

std::optional<PointerRoots::Parameter> PointerRoots::parameter_of(uint32_t id) const {
  const auto found = parameters_.find(id);
  if (found == parameters_.end()) return std::nullopt;
  return found->second;
}

void PointerRoots::add_call(InstructionView call) { calls_[call.word(3)].push_back(call); }

ResolvedPointer PointerRoots::opaque(uint32_t pointer) const {
  ResolvedPointer resolved;
  resolved.variable = pointer;
  const InstructionView type = module_.definition(module_.type_of(pointer), spv::Op::OpTypePointer);
  if (!type) {
    resolved.root = Root::unchecked;
    return resolved;
  }
  resolved.pointee = type.word(3);
  switch (static_cast<spv::StorageClass>(type.word(2))) {
    case spv::StorageClass::PhysicalStorageBuffer:
      resolved.root = Root::physical;
      break;
    case spv::StorageClass::StorageBuffer:
    case spv::StorageClass::Uniform:
    case spv::StorageClass::UniformConstant:
      resolved.root = Root::unknown;
      break;
    default:
      resolved.root = Root::unchecked;
      break;
  }
  return resolved;
}

ResolvedPointer PointerRoots::variable(InstructionView definition) const {
  ResolvedPointer resolved = opaque(definition.word(2));
  if (resolved.root == Root::unknown && resolved.pointee != 0) resolved.root = Root::descriptor;
  return resolved;
}

// The place that every call passes, if it is the same and does not depend on values of the caller.
ResolvedPointer PointerRoots::parameter(uint32_t id, uint32_t depth) {
  ResolvedPointer own = opaque(id);
  if (own.root != Root::unknown) return own;
  const auto found = parameters_.find(id);
  if (found == parameters_.end()) return own;
  own.root = Root::flow;
  const auto calls = calls_.find(found->second.function);
  if (calls == calls_.end()) return own;
  ResolvedPointer common;
  bool first = true;
  for (const InstructionView call : calls->second) {
    ResolvedPointer argument = resolve(call.word(4 + found->second.index), depth + 1);
    if (argument.root != Root::descriptor || !argument.indices.empty() || argument.array_element.id != 0)
      return own;
    if (!first && !(argument == common)) return own;
    common = std::move(argument);
    first = false;
  }
  return common;
}

void PointerRoots::advance(ResolvedPointer& pointer, uint32_t index, uint32_t stride) const {
  if (const auto constant = module_.constant(index))
    pointer.offset += *constant * stride;
  else
    pointer.indices.push_back({index, stride});
}

bool PointerRoots::step(ResolvedPointer& pointer, uint32_t index) const {
  const InstructionView type = module_.definition(pointer.pointee);
  if (!type) return false;
  switch (type.op()) {
    case spv::Op::OpTypeStruct: {
      const auto member = module_.constant(index);
      if (!member || *member >= type.size() - 2) return false;
      const auto offset = decorations_.find_member(pointer.pointee, *member, spv::Decoration::Offset);
      if (!offset) return false;
      pointer.offset += *offset;
      pointer.matrix = layout_.member_matrix(pointer.pointee, *member);
      const std::string name = decorations_.member_name(pointer.pointee, *member);
      pointer.path += "." + (name.empty() ? std::to_string(*member) : name);
      pointer.pointee = type.word(*member + 2);
      return true;
    }
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeRuntimeArray: {
      const auto stride = decorations_.find(pointer.pointee, spv::Decoration::ArrayStride);
      if (!stride) return false;
      advance(pointer, index, *stride);
      pointer.pointee = type.word(2);
      return true;
    }
    case spv::Op::OpTypeMatrix: {
      const InstructionView column = module_.definition(type.word(2), spv::Op::OpTypeVector);
      if (!column || pointer.matrix.stride == 0) return false;
      if (pointer.matrix.row_major) {
        advance(pointer, index, layout_.scalar_size(column.word(2)));
        pointer.matrix.component_stride = pointer.matrix.stride;
      } else {
        advance(pointer, index, pointer.matrix.stride);
      }
      pointer.pointee = type.word(2);
      return true;
    }
    case spv::Op::OpTypeVector: {
      const uint32_t size = layout_.scalar_size(type.word(2));
      advance(pointer, index, pointer.matrix.component_stride != 0 ? pointer.matrix.component_stride : size);
      pointer.pointee = type.word(2);
      return true;
    }
    default:
      return false;
  }
}

ResolvedPointer PointerRoots::resolve(uint32_t id, uint32_t depth) {
  const InstructionView definition = module_.definition(id);
  ResolvedPointer own = opaque(id);
  if (own.root == Root::unchecked || !definition || depth > max_depth) return own;
  switch (definition.op()) {
    case spv::Op::OpVariable:
      return variable(definition);
    case spv::Op::OpFunctionParameter:
      return parameter(id, depth);
    case spv::Op::OpCopyObject:
      return resolve(definition.word(3), depth + 1);
    case spv::Op::OpLoad:
      if (!variables_.path(definition.word(3))) return own;
      [[fallthrough]];
    case spv::Op::OpPhi:
    case spv::Op::OpSelect:
    case spv::Op::OpFunctionCall: {
      ResolvedPointer flow = own;
      if (own.root == Root::unknown) flow.root = Root::flow;
      return flow;
    }
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
    case spv::Op::OpPtrAccessChain:
    case spv::Op::OpInBoundsPtrAccessChain:
      break;
    default:
      return own;
  }
  const uint32_t base = definition.word(3);
  ResolvedPointer pointer = resolve(base, depth + 1);
  if (pointer.root == Root::unchecked || pointer.root == Root::unknown) return own;
  uint32_t first = 4;
  if (definition.op() == spv::Op::OpPtrAccessChain || definition.op() == spv::Op::OpInBoundsPtrAccessChain) {
    const auto stride = decorations_.find(module_.type_of(base), spv::Decoration::ArrayStride);
    if (stride)
      advance(pointer, definition.word(4), *stride);
    else if (pointer.root != Root::physical)
      return own;
    first = 5;
  } else if (pointer.root == Root::descriptor && definition.size() > first &&
             module_.definition(base, spv::Op::OpVariable)) {
    // The variable is the descriptor or an array of them; only what is in a block has a layout.
    const InstructionView type = module_.definition(pointer.pointee);
    if (type && (type.op() == spv::Op::OpTypeArray || type.op() == spv::Op::OpTypeRuntimeArray)) {
      const auto constant = module_.constant(definition.word(4));
      pointer.array_element = constant ? IndexValue{0, *constant} : IndexValue{definition.word(4), 0};
      pointer.pointee = type.word(2);
      first = 5;
    }
  }
  for (uint32_t i = first; i < definition.size(); ++i) {
    // Without a layout, a physical pointer still has its address, and a descriptor's offset is unknown.
    if (!step(pointer, definition.word(i))) return own;
  }
  return pointer;
}

ResolvedPointer PointerRoots::resolve_image(uint32_t image) {
  for (uint32_t depth = 0; depth < max_depth; ++depth) {
    const InstructionView definition = module_.definition(image);
    if (!definition) break;
    switch (definition.op()) {
      case spv::Op::OpLoad:
        return resolve(definition.word(3));
      case spv::Op::OpImage:
      case spv::Op::OpSampledImage:
      case spv::Op::OpCopyObject:
        image = definition.word(3);
        break;
      default:
        return {};
    }
  }
  return {};
}

}  // namespace shaderqa
