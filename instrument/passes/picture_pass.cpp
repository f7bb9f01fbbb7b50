// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/picture_pass.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <unordered_map>

#include "instrument/ir/block_start.h"
#include "instrument/ir/function_scan.h"
#include "instrument/ir/source_positions.h"
#include "instrument/passes/early_tests.h"
#include "instrument/passes/printf_arguments.h"
#include "instrument/runtime/abi_picture.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

using spvtools::opt::Instruction;

constexpr uint32_t float_exponent = 0x7f800000;
constexpr uint32_t spirv_1_3 = 0x00010300;

bool is_merge(const Instruction* instruction) {
  return instruction && (instruction->opcode() == spv::Op::OpSelectionMerge ||
                         instruction->opcode() == spv::Op::OpLoopMerge);
}

// Nothing may stand between a block's merge instruction and its terminator.
Instruction* before_merge(Instruction* instruction) {
  return is_merge(instruction->PreviousNode()) ? instruction->PreviousNode() : instruction;
}

// Where the line of each of the shader's own instructions is said.
using LineOffsets = std::unordered_map<const Instruction*, uint32_t>;
LineOffsets line_offsets(const std::vector<PlacedInstruction>& placed) {
  LineOffsets lines;
  for (const PlacedInstruction& at : placed) lines.emplace(at.instruction, at.line_offset);
  return lines;
}

uint32_t line_of(const ModuleView& view, uint32_t line_offset) {
  if (line_offset == 0) return 0;
  const InstructionView line = view.at(line_offset);
  return line.op() == spv::Op::OpLine ? line.word(2) : view.constant(line.word(6)).value_or(0);
}

}  // namespace

// Checks are complete without the picture.
void PicturePass::note(std::string text, bool common) {
  record_.notes.push_back({std::move(text), Concern::nothing, common});
}

spvtools::opt::Pass::Status PicturePass::leave(std::string why) {
  note("There is no picture of it: " + std::move(why));
  return Status::SuccessWithoutChange;
}

std::vector<uint32_t> PicturePass::workgroup_size(SiteBuilder& site) {
  const ModuleView& view = module_.view();
  std::vector<uint32_t> size;
  uint32_t composite = 0;
  for_each_instruction(view.words(), header_words, [&](InstructionView i, uint32_t offset) {
    if (i.op() == spv::Op::OpDecorate && i.word(2) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
        static_cast<spv::BuiltIn>(i.word(3)) == spv::BuiltIn::WorkgroupSize)
      composite = i.word(1);
    const bool ids = i.op() == spv::Op::OpExecutionModeId;
    if ((i.op() == spv::Op::OpExecutionMode || ids) && i.word(1) == entry_point_.function &&
        static_cast<spv::ExecutionMode>(i.word(2)) ==
            (ids ? spv::ExecutionMode::LocalSizeId : spv::ExecutionMode::LocalSize))
      for (uint32_t word = 3; word < 6; ++word)
        size.push_back(ids ? i.word(word) : module_.constant(i.word(word)));
    return offset < view.functions_offset();
  });
  if (composite == 0) return size;
  size.clear();
  for (uint32_t i = 0; i < 3; ++i)
    size.push_back(site.emit(spv::Op::OpCompositeExtract, module_.uint_type(), {composite}, {i}));
  return size;
}

std::vector<uint32_t> PicturePass::extent(SiteBuilder& site) {
  if (entry_point_.stage == Stage::fragment) return std::vector<uint32_t>(3, module_.constant(0));
  const uint32_t uint_type = module_.uint_type(), three = module_.vector_type(uint_type, 3);
  const auto groups = builtins_.input(spv::BuiltIn::NumWorkgroups, three);
  std::vector<uint32_t> size = workgroup_size(site);
  if (!groups || size.size() != 3) return {};
  uint32_t counts = site.emit(spv::Op::OpLoad, groups->type, {groups->id});
  if (groups->type != three) counts = site.emit(spv::Op::OpBitcast, three, {counts});
  for (uint32_t i = 0; i < 3; ++i) {
    const uint32_t count = site.emit(spv::Op::OpCompositeExtract, uint_type, {counts}, {i});
    size[i] = site.emit(spv::Op::OpIMul, uint_type, {count, size[i]});
  }
  return size;
}

bool PicturePass::begin() {
  Instruction* start = start_of(*context(), entry_point_.function);
  if (!start || !builtins_.can_record_invocation()) return false;
  SiteBuilder site(module_, start);
  const std::vector<uint32_t> size = extent(site);
  if (size.empty()) return false;
  const std::vector<uint32_t> at = builtins_.invocation(site);
  const uint32_t live = builtins_.live(site);
  const uint32_t three = module_.vector_type(module_.uint_type(), 3);
  const uint32_t place = site.emit(spv::Op::OpCompositeConstruct, three, {at[0], at[1], at[2]});
  const uint32_t whole = site.emit(spv::Op::OpCompositeConstruct, three, {size[0], size[1], size[2]});
  const uint32_t root = module_.constant(static_cast<uint32_t>(options_.root_address),
                                         static_cast<uint32_t>(options_.root_address >> 32));
  const uint64_t hash = picture_key(record_);
  const uint32_t key = module_.constant(static_cast<uint32_t>(hash), static_cast<uint32_t>(hash >> 32));
  const uint32_t function = runtime_.function("sqa_picture_begin");
  site.emit(spv::Op::OpFunctionCall, module_.void_type(), {function, root, key, place, whole, live});
  if (options_.picture.kind != PictureKind::overdraw) return true;
  const uint32_t count = runtime_.function("sqa_picture_count");
  site.emit(spv::Op::OpFunctionCall, module_.void_type(), {count});
  return true;
}

std::vector<Instruction*> PicturePass::returns(uint32_t function) const {
  std::vector<Instruction*> found;
  for (auto& each : *context()->module()) {
    if (each.result_id() != function) continue;
    for (auto& block : each)
      if (const spv::Op op = block.tail()->opcode(); op == spv::Op::OpReturn || op == spv::Op::OpReturnValue)
        found.push_back(&*block.tail());
  }
  return found;
}

std::vector<Instruction*> PicturePass::places(uint32_t function) const {
  if (options_.picture.line == 0) return returns(function);
  const ModuleView& view = module_.view();
  const LineOffsets lines = line_offsets(placed_);
  std::vector<Instruction*> found;
  for (auto& each : *context()->module()) {
    if (each.result_id() != function) continue;
    for (auto& block : each) {
      Instruction* const start = start_of(block);
      bool begun = false, inside = false;
      for (Instruction& instruction : block) {
        begun = begun || &instruction == start;
        if (!begun) continue;
        const auto line = lines.find(&instruction);
        if (line == lines.end()) continue;  // it is ours
        const bool wanted = line_of(view, line->second) == options_.picture.line;
        if (wanted && !inside) found.push_back(before_merge(&instruction));
        inside = wanted;
      }
    }
  }
  return found;
}

void PicturePass::put(SiteBuilder& site, uint32_t known, const PictureType& type, PictureValue& value,
                      uint32_t id) {
  const uint32_t uint_type = module_.uint_type();
  std::vector<uint32_t> dwords;
  for (uint32_t i = 0; i < type.components; ++i) {
    PictureType single = type;
    single.components = 1;
    const uint32_t component_type = value.type_id(single);
    uint32_t part =
        type.components == 1 ? id : site.emit(spv::Op::OpCompositeExtract, component_type, {id}, {i});
    if (type.kind == ScalarKind::boolean) {
      const uint32_t one = module_.constant(1), zero = module_.constant(0);
      part = site.emit(spv::Op::OpSelect, uint_type, {part, one, zero});
    } else if (type.width == 64) {
      const uint32_t pair = site.emit(spv::Op::OpBitcast, module_.vector_type(uint_type, 2), {part});
      dwords.push_back(site.emit(spv::Op::OpCompositeExtract, uint_type, {pair}, {0}));
      part = site.emit(spv::Op::OpCompositeExtract, uint_type, {pair}, {1});
    } else if (component_type != uint_type) {
      part = site.emit(spv::Op::OpBitcast, uint_type, {part});
    }
    dwords.push_back(part);
  }
  dwords.resize(std::bit_ceil(dwords.size()), module_.constant(0));
  std::vector<uint32_t> arguments{runtime_.function("sqa_picture_put_" + std::to_string(dwords.size())),
                                  known};
  arguments.insert(arguments.end(), dwords.begin(), dwords.end());
  const uint32_t void_type = module_.void_type();
  site.emit_as(module_.take_id(), spv::Op::OpFunctionCall, void_type, arguments);
}

PicturePass::ColourOutput PicturePass::find_output() const {
  const ModuleView& view = module_.view();
  ColourOutput output;
  if (entry_point_.stage != Stage::fragment || !options_.picture.colours) return output;
  for (const uint32_t id : entry_point_.interface) {
    const InstructionView variable = view.definition(id, spv::Op::OpVariable);
    if (!variable || static_cast<spv::StorageClass>(variable.word(3)) != spv::StorageClass::Output) continue;
    bool located = false, second = false;
    for_each_instruction(view.words(), header_words, [&](InstructionView i, uint32_t offset) {
      if (i.op() == spv::Op::OpDecorate && i.word(1) == id) {
        const auto decoration = static_cast<spv::Decoration>(i.word(2));
        located =
            located || (decoration == spv::Decoration::Location && i.word(3) == options_.picture.location);
        second =
            second || ((decoration == spv::Decoration::Index || decoration == spv::Decoration::Component) &&
                       i.word(3) != 0);
      }
      return offset < view.functions_offset();
    });
    if (!located || second) continue;
    const uint32_t type = view.definition(variable.word(1)).word(3);
    const InstructionView vector = view.definition(type, spv::Op::OpTypeVector);
    const InstructionView scalar = view.definition(vector ? vector.word(2) : type);
    if (!scalar || scalar.word(2) != 32) continue;
    if (scalar.op() != spv::Op::OpTypeFloat && scalar.op() != spv::Op::OpTypeInt) continue;
    output.variable = id;
    output.type = type;
    output.numeric.components = vector ? vector.word(3) : 1;
    if (scalar.op() == spv::Op::OpTypeInt)
      output.numeric.kind = scalar.word(3) != 0 ? ScalarKind::signed_int : ScalarKind::unsigned_int;
  }
  return output;
}

// Between black and white, if that was asked for.
uint32_t PicturePass::scaled(SiteBuilder& site, uint32_t number) {
  if (!options_.picture.scaled) return number;
  const uint32_t type = module_.float_type(), bool_type = module_.bool_type();
  const auto constant = [&](float f) {
    return module_.global(spv::Op::OpConstant, type, {std::bit_cast<uint32_t>(f)});
  };
  const uint32_t low = constant(options_.picture.low), zero = constant(0), one = constant(1);
  const uint32_t factor = constant(1.0F / (options_.picture.high - options_.picture.low));
  const uint32_t moved = site.emit(spv::Op::OpFSub, type, {number, low});
  const uint32_t share = site.emit(spv::Op::OpFMul, type, {moved, factor});
  const uint32_t below = site.emit(spv::Op::OpFOrdLessThan, bool_type, {share, zero});
  const uint32_t least = site.emit(spv::Op::OpSelect, type, {below, zero, share});
  const uint32_t above = site.emit(spv::Op::OpFOrdGreaterThan, bool_type, {least, one});
  return site.emit(spv::Op::OpSelect, type, {above, one, least});
}

void PicturePass::keep_colour(SiteBuilder& site, uint32_t known, const PictureType& type, PictureValue& value,
                              uint32_t id) {
  const uint32_t float_type = module_.float_type(), uint_type = module_.uint_type();
  const uint32_t bool_type = module_.bool_type(), four = module_.vector_type(float_type, 4);
  const uint32_t zero = module_.global(spv::Op::OpConstantNull, float_type, {});
  const uint32_t one = module_.global(spv::Op::OpConstant, float_type, {std::bit_cast<uint32_t>(1.0F)});
  PictureType floats;
  floats.components = type.components;
  const uint32_t numbers = value.convert(site, id, type, floats);
  std::vector<uint32_t> rgb;
  uint32_t broken = module_.bool_constant(false);
  for (uint32_t i = 0; i < std::min(type.components, 3u); ++i) {
    const uint32_t number =
        type.components == 1 ? numbers : site.emit(spv::Op::OpCompositeExtract, float_type, {numbers}, {i});
    // The bits, since fast math lets drivers assume that there is no NaN.
    const uint32_t mask = module_.constant(float_exponent);
    const uint32_t bits = site.emit(spv::Op::OpBitcast, uint_type, {number});
    const uint32_t exponent = site.emit(spv::Op::OpBitwiseAnd, uint_type, {bits, mask});
    const uint32_t special = site.emit(spv::Op::OpIEqual, bool_type, {exponent, mask});
    broken = site.emit(spv::Op::OpLogicalOr, bool_type, {broken, special});
    rgb.push_back(scaled(site, number));
  }
  if (rgb.size() == 1) rgb.resize(3, rgb[0]);
  rgb.resize(3, zero);
  // NaN and infinity are magenta.
  for (uint32_t i = 0; i < 3; ++i)
    rgb[i] = site.emit(spv::Op::OpSelect, float_type, {broken, i == 1 ? zero : one, rgb[i]});
  const uint32_t shown = site.emit(spv::Op::OpSelect, float_type, {known, one, zero});
  const uint32_t colour = site.emit(spv::Op::OpCompositeConstruct, four, {rgb[0], rgb[1], rgb[2], shown});
  site.emit_as(0, spv::Op::OpStore, 0, std::vector<uint32_t>{colour_, colour});
}

// A component of the colour in the output's type.
uint32_t PicturePass::as_output(SiteBuilder& site, const ColourOutput& output, PictureValue& value,
                                uint32_t number) {
  if (output.numeric.kind == ScalarKind::floating) return number;
  const uint32_t type = module_.float_type();
  const uint32_t zero = module_.global(spv::Op::OpConstantNull, type, {});
  if (options_.picture.scaled) {
    const auto constant = [&](float f) {
      return module_.global(spv::Op::OpConstant, type, {std::bit_cast<uint32_t>(f)});
    };
    const uint32_t most = constant(255), half = constant(0.5F);
    const uint32_t share = site.emit(spv::Op::OpFMul, type, {number, most});
    number = site.emit(spv::Op::OpFAdd, type, {share, half});
  }
  if (output.numeric.kind == ScalarKind::unsigned_int) {
    const uint32_t negative = site.emit(spv::Op::OpFOrdLessThan, module_.bool_type(), {number, zero});
    number = site.emit(spv::Op::OpSelect, type, {negative, zero, number});
  }
  PictureType single = output.numeric;
  single.components = 1;
  return value.convert(site, number, PictureType{}, single);
}

void PicturePass::write_colour(SiteBuilder& site, const ColourOutput& output, PictureValue& value) {
  const uint32_t float_type = module_.float_type(), bool_type = module_.bool_type();
  const uint32_t zero = module_.global(spv::Op::OpConstantNull, float_type, {});
  const uint32_t one = module_.global(spv::Op::OpConstant, float_type, {std::bit_cast<uint32_t>(1.0F)});
  const uint32_t colour = site.emit(spv::Op::OpLoad, module_.vector_type(float_type, 4), {colour_});
  const uint32_t before = site.emit(spv::Op::OpLoad, output.type, {output.variable});
  const uint32_t flag = site.emit(spv::Op::OpCompositeExtract, float_type, {colour}, {3});
  const uint32_t shown = site.emit(spv::Op::OpFOrdGreaterThan, bool_type, {flag, zero});
  PictureType single = output.numeric;
  single.components = 1;
  const uint32_t component = value.type_id(single);
  std::vector<uint32_t> parts;
  for (uint32_t i = 0; i < output.numeric.components; ++i) {
    const uint32_t old = output.numeric.components == 1
                             ? before
                             : site.emit(spv::Op::OpCompositeExtract, component, {before}, {i});
    const uint32_t number = i == 3 ? one : site.emit(spv::Op::OpCompositeExtract, float_type, {colour}, {i});
    const uint32_t fresh = as_output(site, output, value, number);
    parts.push_back(site.emit(spv::Op::OpSelect, component, {shown, fresh, old}));
  }
  uint32_t whole = parts[0];
  if (parts.size() > 1) {
    whole = module_.take_id();
    site.emit_as(whole, spv::Op::OpCompositeConstruct, output.type, parts);
  }
  site.emit_as(0, spv::Op::OpStore, 0, std::vector<uint32_t>{output.variable, whole});
}

spvtools::opt::Pass::Status PicturePass::show_value() {
  std::string problem;
  const auto expression = parse_picture_expression(options_.picture.expression, problem);
  if (!expression) return leave(problem);
  const ShownVariables shown = find_shown_variables(module_.view(), entry_point_, placed_, *expression);
  if (shown.function == 0) {
    if (!shown.problem.empty()) return leave(shown.problem);
    note("Shaders without a variable of the name in \"" + options_.picture.expression +
             "\" are left as they are.",
         true);
    return Status::SuccessWithoutChange;
  }
  PictureValue value(module_, *expression, shown);
  const auto type = value.check(problem);
  if (!type) return leave(problem);
  const std::vector<Instruction*> where = places(shown.function);
  if (where.empty())
    return leave(options_.picture.line == 0
                     ? "the function with the value never returns"
                     : "its function has no code of line " + std::to_string(options_.picture.line) +
                           "; compile it with -g");
  const ColourOutput output = find_output();
  if (!begin()) return leave("a block holds the input that says which invocation it is");
  value.keep_values(placed_);
  if (output.variable != 0) {
    const uint32_t four = module_.vector_type(module_.float_type(), 4);
    colour_ = module_.add_variable(spv::StorageClass::Private,
                                   module_.pointer_type(spv::StorageClass::Private, four),
                                   module_.global(spv::Op::OpConstantNull, four, {}));
  }
  for (Instruction* const place : where) {
    SiteBuilder site(module_, place);
    const uint32_t known = value.known(site), id = value.emit(site);
    put(site, known, *type, value, id);
    if (colour_ != 0) keep_colour(site, known, *type, value, id);
  }
  if (colour_ != 0) {
    for (Instruction* const place : returns(entry_point_.function)) {
      SiteBuilder site(module_, place);
      write_colour(site, output, value);
    }
  } else if (options_.picture.colours && entry_point_.stage == Stage::fragment) {
    note("Its colours stay as they are: it has no output of 32-bit components at location " +
         std::to_string(options_.picture.location) + ".");
  }
  test_early();
  record_.picture.scalar = {type->kind,
                            static_cast<uint8_t>(type->kind == ScalarKind::boolean ? 1 : type->width)};
  record_.picture.components = type->components;
  record_.picture.colours = colour_ != 0;
  return Status::SuccessWithChange;
}

// A shader that stores is run before the tests of its fragments, also where these would fail.
void PicturePass::test_early() {
  const ModuleView& view = module_.view();
  if (entry_point_.stage != Stage::fragment || !options_.picture.early_tests ||
      declares_early_tests(view, entry_point_))
    return;
  if (const std::string obstacle = obstacle_to_early_tests(view, entry_point_, options_); !obstacle.empty()) {
    note("Its picture can have fragments that others hide, because " + obstacle +
         ": tests of depth come after the shader.");
    return;
  }
  context()->AddExecutionMode(std::make_unique<Instruction>(
      context(), spv::Op::OpExecutionMode, 0, 0,
      Instruction::OperandList{{SPV_OPERAND_TYPE_ID, {entry_point_.function}},
                               {SPV_OPERAND_TYPE_EXECUTION_MODE,
                                {static_cast<uint32_t>(spv::ExecutionMode::EarlyFragmentTests)}}}));
}

spvtools::opt::Pass::Status PicturePass::show_overdraw() {
  if (entry_point_.stage != Stage::fragment) return Status::SuccessWithoutChange;
  if (!begin()) return leave("a block holds the input that says which fragment it is");
  return Status::SuccessWithChange;
}

spvtools::opt::Pass::Status PicturePass::show_divergence() {
  if (!options_.subgroup_ballot)
    return leave("the device has no ballot operations for subgroups in this stage");
  if (!begin()) return leave("a block holds the input that says which invocation it is");
  if (module_.version() < spirv_1_3) context()->module()->set_version(spirv_1_3);
  const uint32_t block_function = runtime_.function("sqa_picture_block");
  const uint32_t end = runtime_.function("sqa_picture_end"), void_type = module_.void_type();
  const uint32_t begin_function = runtime_.function("sqa_picture_begin");
  const std::vector<bool> reachable = reachable_functions(module_.view(), entry_point_.function);
  const LineOffsets lines = line_offsets(placed_);
  SourcePositions positions(module_.view());
  size_t index = 0, left_out = 0;
  for (auto& function : *context()->module()) {
    if (!reachable[index++]) continue;
    for (auto& block : function) {
      Instruction* start = start_of(block);
      uint32_t line = 0;
      for (Instruction& instruction : block) {
        if (instruction.opcode() == spv::Op::OpFunctionCall &&
            instruction.GetSingleWordInOperand(0) == begin_function)
          start = instruction.NextNode();
        const auto at = lines.find(&instruction);
        if (line == 0 && at != lines.end()) line = at->second;
      }
      if (record_.picture.blocks.size() == SQA_PICTURE_MOST_BLOCKS) {
        ++left_out;
        continue;
      }
      SiteBuilder site(module_, before_merge(start));
      const uint32_t number = module_.constant(static_cast<uint32_t>(record_.picture.blocks.size()));
      site.emit(spv::Op::OpFunctionCall, void_type, {block_function, number});
      record_.picture.blocks.push_back(positions.at(line));
    }
  }
  for (Instruction* const place : returns(entry_point_.function))
    SiteBuilder(module_, place).emit(spv::Op::OpFunctionCall, void_type, {end});
  if (left_out != 0)
    note("Divergence is counted in its first " + std::to_string(SQA_PICTURE_MOST_BLOCKS) +
         " blocks alone; it has " + std::to_string(left_out) + " more.");
  return Status::SuccessWithChange;
}

spvtools::opt::Pass::Status PicturePass::Process() {
  Status status = Status::SuccessWithoutChange;
  switch (options_.picture.kind) {
    case PictureKind::none:
      break;
    case PictureKind::value:
      status = show_value();
      break;
    case PictureKind::overdraw:
      status = show_overdraw();
      break;
    case PictureKind::divergence:
      status = show_divergence();
      break;
  }
  if (status == Status::SuccessWithChange) record_.picture.kind = options_.picture.kind;
  return module_.exhausted() ? Status::Failure : status;
}

}  // namespace shaderqa
