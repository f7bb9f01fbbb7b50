// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/image_checks.h"

#include <string>
#include <vector>

#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_report.h"
#include "source/opcode.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

using Root = ResolvedPointer::Root;

struct Numbers {
  uint32_t component = 0;  // type
  uint32_t count = 0;      // 0: neither scalars nor vectors of 32 bits
  bool is_float = false;
};

Numbers numbers_of(const ModuleView& view, uint32_t value) {
  Numbers numbers{view.type_of(value), 1, false};
  if (const InstructionView vector = view.definition(numbers.component, spv::Op::OpTypeVector)) {
    numbers.component = vector.word(2);
    numbers.count = vector.word(3);
  }
  const InstructionView type = view.definition(numbers.component);
  if (!type || (type.op() != spv::Op::OpTypeInt && type.op() != spv::Op::OpTypeFloat) || type.word(2) != 32)
    return {};
  numbers.is_float = type.op() == spv::Op::OpTypeFloat;
  return numbers;
}

}  // namespace

ImageChecks::Shape ImageChecks::shape_of(const ImageAccess& access) const {
  const InstructionView type = checks_.module().view().definition(access.image_type, spv::Op::OpTypeImage);
  const bool arrayed = type.word(5) != 0;
  switch (static_cast<spv::Dim>(type.word(3))) {
    case spv::Dim::Dim1D:
      return {1, arrayed};
    case spv::Dim::Dim2D:
    case spv::Dim::Rect:
      return {2, arrayed};
    case spv::Dim::Cube:  // faces are layers
      return {2, true};
    case spv::Dim::Dim3D:
      return {3, false};
    default:
      return {};
  }
}

bool ImageChecks::is_followed(const ImageAccess& access) const {
  const ModuleView& view = checks_.module().view();
  const Shape shape = shape_of(access);
  const Numbers coordinate = numbers_of(view, access.coordinate);
  const auto is_integer = [&](uint32_t value, uint32_t count) {
    const Numbers numbers = numbers_of(view, value);
    return value == 0 || (!numbers.is_float && numbers.count >= count);
  };
  return shape.spatial != 0 && coordinate.count >= shape.components() &&
         coordinate.is_float == access.sampled && is_integer(access.level, 1) &&
         is_integer(access.sample, 1) && is_integer(access.offset, shape.spatial);
}

uint32_t ImageChecks::component(SiteBuilder& site, uint32_t vector, uint32_t number, uint32_t type) {
  const Numbers numbers = numbers_of(checks_.module().view(), vector);
  uint32_t value = vector;
  if (numbers.count > 1)
    value = site.emit(spv::Op::OpCompositeExtract, numbers.component, {vector}, {number});
  return numbers.component == type ? value : site.emit(spv::Op::OpBitcast, type, {value});
}

uint32_t ImageChecks::number(SiteBuilder& site, uint32_t value) {
  ModuleEditor& module = checks_.module();
  return value == 0 ? module.constant(0) : component(site, value, 0, module.uint_type());
}

// uvec4: x, y, z or the layer, sample.
uint32_t ImageChecks::texel(SiteBuilder& site, const ImageAccess& access) {
  ModuleEditor& module = checks_.module();
  const uint32_t uint_type = module.uint_type();
  const Shape shape = shape_of(access);
  std::array<uint32_t, 3> place{};
  for (uint32_t i = 0; i < 3; ++i) {
    uint32_t from = i;
    if (i == 2 && shape.layered) from = shape.spatial;
    const bool is_there = i < shape.spatial || (i == 2 && shape.layered);
    place[i] = is_there ? component(site, access.coordinate, from, uint_type) : module.constant(0);
    if (i >= shape.spatial || access.offset == 0) continue;
    const uint32_t moved = component(site, access.offset, i, uint_type);
    place[i] = site.emit(spv::Op::OpIAdd, uint_type, {place[i], moved});
  }
  const uint32_t sample = number(site, access.sample);
  return site.emit(spv::Op::OpCompositeConstruct, module.vector_type(uint_type, 4),
                   {place[0], place[1], place[2], sample});
}

// vec4: x, y, z, layer; numbers that the image does not have are a half, or layer 0.
uint32_t ImageChecks::position(SiteBuilder& site, const ImageAccess& access) {
  ModuleEditor& module = checks_.module();
  const uint32_t float_type = module.float_type();
  constexpr uint32_t half_bits = 0x3f000000;
  const uint32_t half = module.global(spv::Op::OpConstant, float_type, {half_bits});
  const Shape shape = shape_of(access);
  std::array<uint32_t, 4> place{};
  for (uint32_t i = 0; i < 3; ++i)
    place[i] = i < shape.spatial ? component(site, access.coordinate, i, float_type) : half;
  place[3] = shape.layered ? component(site, access.coordinate, shape.spatial, float_type)
                           : module.global(spv::Op::OpConstant, float_type, {0});
  return site.emit(spv::Op::OpCompositeConstruct, module.vector_type(float_type, 4),
                   {place[0], place[1], place[2], place[3]});
}

void ImageChecks::describe(const ImageAccess& access) {
  CheckSite& site = checks_.add_site(access.at, SQA_CHECK_HAZARD, {}, access.access);
  const Decorations& decorations = checks_.decorations();
  site.variable = decorations.name(access.place.variable);
  if (site.variable.empty()) site.variable = std::to_string(access.place.variable);
  site.text = std::string("Op") + spvOpcodeString(access.at.instruction->opcode()) + " %" + site.variable;
  if (access.place.root != Root::descriptor) return;
  site.set = decorations.find(access.place.variable, spv::Decoration::DescriptorSet).value_or(0);
  site.binding = decorations.find(access.place.variable, spv::Decoration::Binding).value_or(0);
}

void ImageChecks::instrument(const ImageAccess& access, uint32_t flags) {
  describe(access);
  ModuleEditor& module = checks_.module();
  SiteBuilder site(module, access.at.instruction);
  const uint32_t root = checks_.root();
  const uint32_t hash = checks_.hash();
  const uint32_t kind =
      checks_.site_constant(access.at, SQA_CHECK_HAZARD, access.access, flags | SQA_ACCESS_WORDS);
  const uint32_t live = checks_.builtins().live(site);
  const PointerTarget place = places_.emit(site, access.place);
  std::vector<uint32_t> arguments{root, hash, kind, place.descriptor, place.index};
  std::string_view function = "sqa_access_image";
  if (access.sampled) {
    function = "sqa_access_sampled";
    arguments.push_back(position(site, access));
    arguments.push_back(module.bool_constant(shape_of(access).spatial == 3));
    arguments.push_back(module.bool_constant(access.derived));
  } else {
    arguments.push_back(texel(site, access));
    arguments.push_back(number(site, access.level));
  }
  arguments.push_back(live);
  arguments.insert(arguments.begin(), checks_.runtime().function(function));
  const uint32_t type = module.void_type();
  site.emit_as(module.take_id(), spv::Op::OpFunctionCall, type, arguments);
}

}  // namespace shaderqa
