// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/shader_interface.h"

#include <algorithm>
#include <utility>

#include "instrument/ir/decorations.h"
#include "instrument/ir/memory_layout.h"
#include "instrument/ir/module_view.h"

namespace shaderqa {
namespace {

// The limit of the universal environment: SPIR-V with more ids need not be accepted.
constexpr uint32_t most_ids = 4'194'303;

// Types, constants and variables: what stands in front of the functions. The words may be damaged: what is
// made of arrays ends, because no id is defined twice and elements are defined first.
ModuleView view_globals(Words words) {
  std::vector<uint32_t> definitions(words[3]), types(words[3]);
  const auto is_defined = [&](uint32_t id) { return id < definitions.size() && definitions[id] != 0; };
  for_each_instruction(words, header_words, [&](InstructionView i, uint32_t offset) {
    uint32_t id = 0, type = 0;
    switch (i.op()) {
      case spv::Op::OpFunction:
        return false;
      case spv::Op::OpVariable:
      case spv::Op::OpUntypedVariableKHR:
      case spv::Op::OpConstant:
        type = i.word(1);
        id = i.word(2);
        break;
      case spv::Op::OpTypeInt:
      case spv::Op::OpTypeFloat:
      case spv::Op::OpTypeVector:
      case spv::Op::OpTypeMatrix:
      case spv::Op::OpTypeImage:
      case spv::Op::OpTypeSampler:
      case spv::Op::OpTypeSampledImage:
      case spv::Op::OpTypeStruct:
      case spv::Op::OpTypePointer:
        id = i.word(1);
        break;
      case spv::Op::OpTypeArray:
      case spv::Op::OpTypeRuntimeArray:
        id = is_defined(i.word(2)) ? i.word(1) : 0;
        break;
      default:
        break;
    }
    if (id != 0 && id < definitions.size() && !is_defined(id)) {
      definitions[id] = offset;
      types[id] = type;
    }
    return true;
  });
  return {words, std::move(definitions), std::move(types)};
}

class Reader {
 public:
  explicit Reader(Words words) : view_(view_globals(words)), decorations_(view_) {}
  ShaderInterface read();

 private:
  void visit(InstructionView variable);
  uint32_t resource_of(InstructionView type, InstructionView variable) const;
  std::optional<uint32_t> end_of(uint32_t type) const;

  const ModuleView view_;
  const Decorations decorations_;
  ShaderInterface found_;
};

std::optional<uint32_t> Reader::end_of(uint32_t type) const {
  const auto runs = MemoryLayout(view_, decorations_).footprint(type, {});
  if (!runs) return std::nullopt;
  return runs->empty() ? 0 : runs->back().offset + runs->back().size;
}

// 0: none that is followed.
uint32_t Reader::resource_of(InstructionView type, InstructionView variable) const {
  constexpr uint32_t with_sampler = 1;
  switch (type.op()) {
    case spv::Op::OpTypeSampledImage: {
      // Before SPIR-V 1.6, uniform texel buffers may be declared so.
      const InstructionView image = view_.definition(type.word(2), spv::Op::OpTypeImage);
      return image && static_cast<spv::Dim>(image.word(3)) == spv::Dim::Buffer
                 ? kCombinedImage | kSampledImage
                 : kCombinedImage;
    }
    case spv::Op::OpTypeImage:
      return type.word(7) == with_sampler ? kSampledImage : kStorageImage;
    case spv::Op::OpTypeStruct:
      return static_cast<spv::StorageClass>(variable.word(3)) == spv::StorageClass::Uniform &&
                     decorations_.find(type.word(1), spv::Decoration::Block)
                 ? kUniformBuffer
                 : kStorageBuffer;
    default:
      return 0;
  }
}

void Reader::visit(InstructionView variable) {
  const InstructionView pointer = view_.definition(variable.word(1), spv::Op::OpTypePointer);
  const bool untyped = variable.op() == spv::Op::OpUntypedVariableKHR;
  if (!pointer && !untyped) return;
  uint32_t id = untyped ? variable.word(4) : pointer.word(3);
  if (static_cast<spv::StorageClass>(variable.word(3)) == spv::StorageClass::PushConstant) {
    const auto end = end_of(id);
    found_.push_end = end && found_.push_end ? std::optional(std::max(*end, *found_.push_end)) : std::nullopt;
    return;
  }
  const auto set = decorations_.find(variable.word(2), spv::Decoration::DescriptorSet);
  const auto binding = decorations_.find(variable.word(2), spv::Decoration::Binding);
  if (!set || !binding) return;
  ShaderBinding found;
  found.set = *set;
  found.binding = *binding;
  InstructionView type = view_.definition(id);
  if (type.op() == spv::Op::OpTypeArray || type.op() == spv::Op::OpTypeRuntimeArray) {
    const auto count = type.op() == spv::Op::OpTypeArray ? view_.constant(type.word(3)) : std::nullopt;
    found.count = count.value_or(UINT32_MAX);
    id = type.word(2);
    type = view_.definition(id);
  }
  if (type.op() == spv::Op::OpTypeSampler) found_.samplers.push_back(found);
  found.resource = resource_of(type, variable);
  if (found.resource == 0) return;
  if (found.resource == kUniformBuffer) found.end = end_of(id);
  if (type.op() == spv::Op::OpTypeSampledImage) type = view_.definition(type.word(2));
  found.image = type.op() == spv::Op::OpTypeImage && static_cast<spv::Dim>(type.word(3)) != spv::Dim::Buffer;
  found_.bindings.push_back(found);
}

ShaderInterface Reader::read() {
  found_.push_end = 0;
  for_each_instruction(view_.words(), header_words, [&](InstructionView i, uint32_t) {
    if (i.op() == spv::Op::OpVariable || i.op() == spv::Op::OpUntypedVariableKHR) visit(i);
    return i.op() != spv::Op::OpFunction;
  });
  return std::move(found_);
}

}  // namespace

ShaderInterface read_interface(std::span<const uint32_t> words) {
  if (words.size() < header_words || words[0] != spv::MagicNumber || words[3] > most_ids) return {};
  return Reader(words).read();
}

}  // namespace shaderqa
