// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/printf_arguments.h"

#include "instrument/runtime/abi_printf.h"

namespace shaderqa {
namespace {

// Bounds for hostile modules: nested types grow exponentially, and a malformed one may contain itself.
constexpr uint32_t max_depth = 64;
constexpr uint32_t max_parts = 4 * SQA_PRINTF_MAX_ENTRY_DWORDS;

constexpr uint32_t physical_storage = static_cast<uint32_t>(spv::StorageClass::PhysicalStorageBuffer);

class Describer {
 public:
  Describer(const ModuleView& module, std::vector<Scalar>& scalars) : module_(module), scalars_(scalars) {}

  std::string describe(uint32_t type, uint32_t depth = 0);

 private:
  std::string repeat(uint32_t type, uint32_t count, uint32_t depth) {
    for (uint32_t i = 0; i < count; ++i)
      if (std::string problem = describe(type, depth + 1); !problem.empty()) return problem;
    return {};
  }
  std::string scalar(ScalarKind kind, uint32_t width) {
    scalars_.push_back({kind, static_cast<uint8_t>(width)});
    dwords_ += scalars_.back().payload_dwords();
    return {};
  }

  const ModuleView& module_;
  std::vector<Scalar>& scalars_;
  uint32_t parts_ = 0;
  uint32_t dwords_ = 0;
};

std::string Describer::describe(uint32_t type, uint32_t depth) {
  if (depth > max_depth || ++parts_ > max_parts || dwords_ > SQA_PRINTF_MAX_ENTRY_DWORDS)
    return "is too large";
  const InstructionView definition = module_.definition(type);
  if (!definition) return "has no type";
  switch (definition.op()) {
    case spv::Op::OpTypeBool:
      return scalar(ScalarKind::boolean, 1);
    case spv::Op::OpTypeInt: {
      const uint32_t width = definition.word(2);
      if (width != 8 && width != 16 && width != 32 && width != 64) break;
      return scalar(definition.word(3) != 0 ? ScalarKind::signed_int : ScalarKind::unsigned_int, width);
    }
    case spv::Op::OpTypeFloat: {
      // A fourth word names an encoding other than IEEE 754's.
      const uint32_t width = definition.word(2);
      if (definition.size() != 3 || (width != 16 && width != 32 && width != 64)) break;
      return scalar(ScalarKind::floating, width);
    }
    case spv::Op::OpTypePointer:
      if (definition.word(2) != physical_storage) return "is a pointer that has no address";
      return scalar(ScalarKind::pointer, 64);
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
      return repeat(definition.word(2), definition.word(3), depth);
    case spv::Op::OpTypeArray: {
      const auto length = module_.constant(definition.word(3));
      if (!length) return "has an array whose length is no plain constant";
      return repeat(definition.word(2), *length, depth);
    }
    case spv::Op::OpTypeStruct:
      for (uint32_t member = 2; member < definition.size(); ++member)
        if (std::string problem = describe(definition.word(member), depth + 1); !problem.empty())
          return problem;
      return {};
    case spv::Op::OpTypeRuntimeArray:
      return "is an array without a length";
    case spv::Op::OpTypeImage:
    case spv::Op::OpTypeSampler:
    case spv::Op::OpTypeSampledImage:
    case spv::Op::OpTypeAccelerationStructureKHR:
    case spv::Op::OpTypeRayQueryKHR:
      return "is an opaque object";
    default:
      break;
  }
  return "is of a type that cannot be printed";
}

// Emits the code that takes a value apart. Describer has checked the types.
class Flattener {
 public:
  Flattener(SiteBuilder& site, std::vector<uint32_t>& dwords)
      : site_(site), editor_(site.module()), dwords_(dwords) {}

  void flatten(uint32_t type, uint32_t value);

 private:
  // `count` 1: a scalar. Conversions take whole vectors, since a module that has 8- and 16-bit types for
  // storage only may do nothing with them but convert them.
  void numbers(InstructionView component_type, uint32_t component, uint32_t count, uint32_t value);
  void bools(uint32_t count, uint32_t value);
  // Splits a vector of uint.
  void append(uint32_t count, uint32_t value);

  SiteBuilder& site_;
  ModuleEditor& editor_;
  std::vector<uint32_t>& dwords_;
};

void Flattener::append(uint32_t count, uint32_t value) {
  if (count == 1) {
    dwords_.push_back(value);
    return;
  }
  for (uint32_t i = 0; i < count; ++i)
    dwords_.push_back(site_.emit(spv::Op::OpCompositeExtract, editor_.uint_type(), {value}, {i}));
}

void Flattener::bools(uint32_t count, uint32_t value) {
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t bit =
        count == 1 ? value : site_.emit(spv::Op::OpCompositeExtract, editor_.bool_type(), {value}, {i});
    const uint32_t one = editor_.constant(1), zero = editor_.constant(0);
    dwords_.push_back(site_.emit(spv::Op::OpSelect, editor_.uint_type(), {bit, one, zero}));
  }
}

void Flattener::numbers(InstructionView component_type, uint32_t component, uint32_t count, uint32_t value) {
  const uint32_t uints = editor_.vector_type(editor_.uint_type(), count);
  const bool floating = component_type.op() == spv::Op::OpTypeFloat;
  switch (component_type.word(2)) {
    case 64: {
      const uint32_t pair = editor_.vector_type(editor_.uint_type(), 2);
      for (uint32_t i = 0; i < count; ++i) {
        const uint32_t number =
            count == 1 ? value : site_.emit(spv::Op::OpCompositeExtract, component, {value}, {i});
        append(2, site_.emit(spv::Op::OpBitcast, pair, {number}));
      }
      break;
    }
    case 32:
      if (component != editor_.uint_type()) value = site_.emit(spv::Op::OpBitcast, uints, {value});
      append(count, value);
      break;
    default:
      if (floating) {
        const uint32_t floats = editor_.vector_type(editor_.float_type(), count);
        value = site_.emit(spv::Op::OpBitcast, uints, {site_.emit(spv::Op::OpFConvert, floats, {value})});
      } else {
        value = site_.emit(spv::Op::OpUConvert, uints, {value});
      }
      append(count, value);
      break;
  }
}

void Flattener::flatten(uint32_t type, uint32_t value) {
  const ModuleView& view = editor_.view();
  const InstructionView definition = view.definition(type);
  const auto part = [&](uint32_t part_type, uint32_t index) {
    flatten(part_type, site_.emit(spv::Op::OpCompositeExtract, part_type, {value}, {index}));
  };
  switch (definition.op()) {
    case spv::Op::OpTypeBool:
      bools(1, value);
      break;
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
      numbers(definition, type, 1, value);
      break;
    case spv::Op::OpTypePointer: {
      const uint32_t pair = editor_.vector_type(editor_.uint_type(), 2);
      append(2, site_.emit(spv::Op::OpBitcast, pair, {value}));
      break;
    }
    case spv::Op::OpTypeVector: {
      const InstructionView component = view.definition(definition.word(2));
      const bool number = component.op() == spv::Op::OpTypeInt || component.op() == spv::Op::OpTypeFloat;
      if (component.op() == spv::Op::OpTypeBool) {
        bools(definition.word(3), value);
      } else if (number) {
        numbers(component, definition.word(2), definition.word(3), value);
      } else {
        for (uint32_t i = 0; i < definition.word(3); ++i) part(definition.word(2), i);
      }
      break;
    }
    case spv::Op::OpTypeMatrix:
      for (uint32_t i = 0; i < definition.word(3); ++i) part(definition.word(2), i);
      break;
    case spv::Op::OpTypeArray:
      for (uint32_t i = 0; i < view.constant(definition.word(3)).value_or(0); ++i)
        part(definition.word(2), i);
      break;
    case spv::Op::OpTypeStruct:
      for (uint32_t i = 2; i < definition.size(); ++i) part(definition.word(i), i - 2);
      break;
    default:
      break;
  }
}

ArgumentShape shape_of(InstructionView type) {
  switch (type ? type.op() : spv::Op::OpNop) {
    case spv::Op::OpTypeVector:
      return ArgumentShape::vector;
    case spv::Op::OpTypeMatrix:
      return ArgumentShape::matrix;
    case spv::Op::OpTypeArray:
      return ArgumentShape::array;
    case spv::Op::OpTypeStruct:
      return ArgumentShape::structure;
    default:
      return ArgumentShape::scalar;
  }
}

}  // namespace

std::string describe_argument(const ModuleView& module, uint32_t id, PrintfArgument& argument) {
  if (auto text = module.string(id)) {
    argument.shape = ArgumentShape::string;
    argument.text = std::move(*text);
    return {};
  }
  const InstructionView definition = module.definition(id);
  if (!definition) return "is not defined";
  if (module.is_non_semantic(definition)) return "is the result of an instruction that does nothing";
  const uint32_t type = module.type_of(id);
  if (type == 0) return "is no value";
  argument.shape = shape_of(module.definition(type));
  return Describer(module, argument.scalars).describe(type);
}

void flatten_argument(SiteBuilder& site, uint32_t id, std::vector<uint32_t>& dwords) {
  const ModuleView& view = site.module().view();
  if (view.definition(id, spv::Op::OpString)) return;
  flatten_value(site, view.type_of(id), id, dwords);
}

void flatten_value(SiteBuilder& site, uint32_t type, uint32_t id, std::vector<uint32_t>& dwords) {
  Flattener(site, dwords).flatten(type, id);
}

}  // namespace shaderqa
