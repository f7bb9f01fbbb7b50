// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/image_checks.h"

#include <optional>
#include <string>
#include <vector>

#include "instrument/passes/check_queue.h"
#include "instrument/passes/unwatched_version.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_image.h"
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
    case spv::Dim::SubpassData:
      return {2, arrayed};
    case spv::Dim::Cube:  // faces are layers, but for samplers, which have a direction
      return access.sampled ? Shape{3, arrayed} : Shape{2, true};
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
  const auto has = [&](uint32_t value, uint32_t count, bool is_float) {
    const Numbers numbers = numbers_of(view, value);
    return value == 0 || (numbers.is_float == is_float && numbers.count >= count);
  };
  return shape.spatial != 0 && coordinate.count >= shape.components() + (access.projected ? 1 : 0) &&
         coordinate.is_float == access.sampled && has(access.level, 1, access.sampled) &&
         has(access.sample, 1, false) && has(access.offset, shape.spatial, false);
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

std::array<uint32_t, 3> ImageChecks::coordinates(SiteBuilder& site, const ImageAccess& access) {
  const uint32_t float_type = checks_.module().float_type();
  const uint32_t spatial = shape_of(access).spatial;
  std::array<uint32_t, 3> at{};
  for (uint32_t i = 0; i < spatial; ++i) at[i] = component(site, access.coordinate, i, float_type);
  if (!access.projected) return at;
  const uint32_t divisor = component(site, access.coordinate, spatial, float_type);
  for (uint32_t i = 0; i < spatial; ++i) at[i] = site.emit(spv::Op::OpFDiv, float_type, {at[i], divisor});
  return at;
}

// What the device says of the level that this sample reads.
uint32_t ImageChecks::asked_level(SiteBuilder& site, const ImageAccess& access,
                                  const std::array<uint32_t, 3>& at) {
  ModuleEditor& module = checks_.module();
  const uint32_t float_type = module.float_type();
  const uint32_t spatial = shape_of(access).spatial;
  uint32_t coordinate = at[0];
  if (spatial > 1) {
    coordinate = module.take_id();
    site.emit_as(coordinate, spv::Op::OpCompositeConstruct, module.vector_type(float_type, spatial),
                 std::span(at).first(spatial));
  }
  module.add_capability(spv::Capability::ImageQuery);
  const uint32_t sampled_image = checks_.module().view().at(access.at.offset).word(3);
  const uint32_t answer =
      site.emit(spv::Op::OpImageQueryLod, module.vector_type(float_type, 2), {sampled_image, coordinate});
  return site.emit(spv::Op::OpCompositeExtract, float_type, {answer}, {0});
}

// A constant wherever it can be one: the queue (check_queue.h) has no room for others.
uint32_t ImageChecks::offset(SiteBuilder& site, const ImageAccess& access, uint32_t dimensions) {
  ModuleEditor& module = checks_.module();
  const uint32_t type = module.vector_type(module.uint_type(), 3);
  const InstructionView given = access.offset
                                    ? module.view().definition(access.offset, spv::Op::OpConstantComposite)
                                    : InstructionView();
  const auto known = [&](uint32_t i) -> std::optional<uint32_t> {
    if (access.offset == 0 || i >= dimensions) return 0;
    if (dimensions == 1) return module.view().constant(access.offset);
    return given ? module.view().constant(given.word(3 + i)) : std::nullopt;
  };
  std::array<uint32_t, 3> moved{};
  bool constant = true;
  for (uint32_t i = 0; i < 3; ++i) {
    const std::optional<uint32_t> value = known(i);
    constant = constant && value;
    moved[i] = value ? module.constant(*value) : component(site, access.offset, i, module.uint_type());
  }
  if (constant) return module.global(spv::Op::OpConstantComposite, type, {moved[0], moved[1], moved[2]});
  return site.emit(spv::Op::OpCompositeConstruct, type, {moved[0], moved[1], moved[2]});
}

// As sqa_access_sampled has them: position, offset, level of detail, and how it is sampled. Coordinates that
// the image does not have are a half, or layer 0.
void ImageChecks::add_sample(SiteBuilder& site, const ImageAccess& access, std::vector<uint32_t>& arguments) {
  ModuleEditor& module = checks_.module();
  const uint32_t float_type = module.float_type();
  constexpr uint32_t half_bits = 0x3f000000;
  const uint32_t half = module.global(spv::Op::OpConstant, float_type, {half_bits});
  const uint32_t zero = module.global(spv::Op::OpConstant, float_type, {0});
  const Shape shape = shape_of(access);
  const std::array<uint32_t, 3> at = coordinates(site, access);
  const uint32_t layer = shape.layered ? component(site, access.coordinate, shape.spatial, float_type) : zero;
  arguments.push_back(site.emit(spv::Op::OpCompositeConstruct, module.vector_type(float_type, 4),
                                {at[0], at[1] ? at[1] : half, at[2] ? at[2] : half, layer}));
  arguments.push_back(offset(site, access, shape.spatial));
  const InstructionView type = module.view().definition(access.image_type, spv::Op::OpTypeImage);
  const auto dim = static_cast<spv::Dim>(type.word(3));
  uint32_t how = (dim == spv::Dim::Dim3D ? SQA_SAMPLE_SOLID : 0u) |
                 (dim == spv::Dim::Cube ? SQA_SAMPLE_CUBE : 0u) | (access.derived ? SQA_SAMPLE_DERIVED : 0u);
  uint32_t level = zero;
  if (access.level || access.gathered) {
    how |= SQA_SAMPLE_LEVEL_GIVEN;
    if (access.level) level = component(site, access.level, 0, float_type);
  } else if (access.implicit && checks_.entry_point().stage == Stage::fragment) {
    how |= SQA_SAMPLE_LEVEL_ASKED;
    level = asked_level(site, access, at);
  }
  arguments.insert(arguments.end(), {level, module.constant(how)});
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

namespace {

// The function of the runtime that checks it.
std::string_view function_of(const ImageAccess& access) {
  if (access.sampled) return "sqa_access_sampled";
  return access.input ? "sqa_access_input" : "sqa_access_image";
}

}  // namespace

std::vector<uint32_t> ImageChecks::arguments(SiteBuilder& site, const ImageAccess& access) {
  const PointerTarget place = places_.emit(site, access.place);
  std::vector<uint32_t> arguments{place.descriptor, place.index};
  if (access.sampled) {
    add_sample(site, access, arguments);
  } else {
    arguments.push_back(texel(site, access));
    if (!access.input) arguments.push_back(number(site, access.level));
  }
  return arguments;
}

uint32_t ImageChecks::emit(const ImageAccess& access, std::string_view function, uint32_t flags,
                           CheckQueue* queue, UnwatchedVersion* skips) {
  describe(access);
  ModuleEditor& module = checks_.module();
  SiteBuilder site(module, access.at.instruction);
  const uint32_t kind =
      checks_.site_constant(access.at, SQA_CHECK_HAZARD, access.access, flags | SQA_ACCESS_WORDS);
  uint32_t live = checks_.builtins().live(site);
  if (skips) live = site.emit(spv::Op::OpLogicalAnd, module.bool_type(), {live, skips->images_watched(site)});
  std::vector<uint32_t> all = arguments(site, access);
  all.push_back(live);
  if (queue && queue->can_note(*access.at.instruction, function, all)) {
    queue->note(site, *access.at.instruction, function, kind, all);
    return 0;
  }
  all.insert(all.begin(), {checks_.runtime().function(function), checks_.root(), checks_.hash(), kind});
  const uint32_t type = module.void_type();
  const uint32_t call = module.take_id();
  site.emit_as(call, spv::Op::OpFunctionCall, type, all);
  return call;
}

uint32_t ImageChecks::instrument(const ImageAccess& access, uint32_t flags, CheckQueue* queue,
                                 UnwatchedVersion* skips) {
  return emit(access, function_of(access), flags, queue, skips);
}

uint32_t ImageChecks::log(const ImageAccess& access, uint32_t flags, CheckQueue* queue,
                          UnwatchedVersion* skips) {
  const std::string_view unsampled = access.input ? "sqa_log_input" : "sqa_log_texel";
  return emit(access, access.sampled ? "sqa_log_sample" : unsampled, flags, queue, skips);
}

}  // namespace shaderqa
