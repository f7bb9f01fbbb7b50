// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/module_loader.h"

#include <optional>
#include <unordered_map>

#include "NonSemanticShaderDebugInfo100.h"
#include "instrument/ir/broken_debug_info.h"
#include "instrument/ir/replace_uses.h"
#include "source/common_debug_info.h"
#include "source/enum_string_mapping.h"
#include "source/ext_inst.h"
#include "source/opcode.h"
#include "source/opt/ir_loader.h"

namespace shaderqa {
namespace {

// How many ids SPIRV-Tools' IR can hold, less those that we add.
constexpr uint32_t max_bound = 0x003f0000;
constexpr uint32_t newest_version = 0x00010600;
constexpr spv_target_env environment = SPV_ENV_UNIVERSAL_1_6;

std::string id_name(uint32_t id) {
  std::string name(1, '%');
  return name.append(std::to_string(id));
}

// SPIRV-Tools attaches scopes and lines to the instructions that they apply to. When it writes them, they
// have other ids or are left out.
bool loses_its_id(const spv_parsed_instruction_t& instruction) {
  if (!spvExtInstIsDebugInfo(instruction.ext_inst_type)) return false;
  const uint32_t number = instruction.words[4];
  return number == CommonDebugInfoDebugScope || number == CommonDebugInfoDebugNoScope ||
         number == NonSemanticShaderDebugInfo100DebugLine ||
         number == NonSemanticShaderDebugInfo100DebugNoLine;
}

struct Loader {
  spvtools::MessageConsumer consumer;
  std::unique_ptr<spvtools::opt::IRContext> context;
  std::unique_ptr<spvtools::opt::IrLoader> ir;
  const uint32_t* begin = nullptr;
  uint32_t bound = 0;
  uint32_t next_offset = header_words;  // of the instruction after the last good one
  std::vector<uint32_t> definitions;
  std::vector<uint32_t> types;
  std::unordered_map<uint32_t, uint32_t> lost;  // ids that the output does not define, each with 0
  bool in_function = false;
  bool any_function = false;
  bool shader_debug_info = false;
  bool debug_info = false;   // outside functions
  bool debug_scope = false;  // inside functions
  bool skip_nops = false;    // they stand for what is left out
  std::string error;

  bool fail(std::string why) {
    error = std::move(why);
    return false;
  }
  bool check_type(const spv_parsed_instruction_t& instruction);
  bool uses_lost(const spv_parsed_instruction_t& instruction) const;
  bool add(const spv_parsed_instruction_t& instruction);
};

// SPIRV-Tools' serialiser may build its type table, which follows these ids without checking them.
bool Loader::check_type(const spv_parsed_instruction_t& instruction) {
  for (uint16_t i = 0; i < instruction.num_operands; ++i) {
    const spv_parsed_operand_t& operand = instruction.operands[i];
    if (operand.type != SPV_OPERAND_TYPE_ID) continue;
    const uint32_t id = instruction.words[operand.offset];
    if (id >= bound || definitions[id] == 0)
      return fail(id_name(instruction.result_id) + " is a type of " + id_name(id) +
                  ", which is not defined before it");
  }
  return true;
}

bool Loader::uses_lost(const spv_parsed_instruction_t& instruction) const {
  for (uint16_t i = 0; i < instruction.num_operands; ++i) {
    const spv_parsed_operand_t& operand = instruction.operands[i];
    if (operand.type == SPV_OPERAND_TYPE_ID && lost.contains(instruction.words[operand.offset])) return true;
  }
  return false;
}

bool Loader::add(const spv_parsed_instruction_t& instruction) {
  const auto op = static_cast<spv::Op>(instruction.opcode);
  const uint32_t offset = static_cast<uint32_t>(instruction.words - begin);
  const uint32_t id = instruction.result_id;
  if (id >= bound) return fail(id_name(id) + " is beyond the module's id bound");
  if (spvOpcodeGeneratesType(op) && op != spv::Op::OpTypeForwardPointer) {
    // A structure may refer to a pointer type that was only declared forward.
    if (op != spv::Op::OpTypeStruct && op != spv::Op::OpTypeArray && op != spv::Op::OpTypeRuntimeArray) {
      if (!check_type(instruction)) return false;
    }
  }
  if (id != 0) {
    definitions[id] = offset;
    types[id] = instruction.type_id;
  }

  switch (op) {
    case spv::Op::OpFunction:
      in_function = any_function = true;
      break;
    case spv::Op::OpFunctionEnd:
      in_function = false;
      break;
    case spv::Op::OpExtInstImport:
      // SPIRV-Tools does not know newer versions, and writes what it has read.
      if (literal_string({{instruction.words, instruction.num_words}}, 2) ==
          "NonSemantic.Shader.DebugInfo.100")
        shader_debug_info = true;
      break;
    case spv::Op::OpLine:
    case spv::Op::OpNoLine:
      // The serialiser would end such a line's scope by a DebugNoLine, which is not allowed outside
      // functions.
      if (!any_function && shader_debug_info) {
        next_offset = offset + instruction.num_words;
        return true;
      }
      break;
    case spv::Op::OpExtInst:
      if (spvExtInstIsDebugInfo(instruction.ext_inst_type)) (in_function ? debug_scope : debug_info) = true;
      // Only instructions of this kind may use each other.
      if (!lost.empty() && uses_lost(instruction))
        return fail(id_name(id) + " refers to a debug scope or line");
      if (loses_its_id(instruction)) lost.emplace(id, 0);
      break;
    case spv::Op::OpNop:
      if (skip_nops) {
        next_offset = offset + instruction.num_words;
        return true;
      }
      break;
    default:
      break;
  }
  if (!ir->AddInstruction(&instruction)) return fail(error.empty() ? "malformed function" : error);
  next_offset = offset + instruction.num_words;
  return true;
}

spv_result_t on_header(void* user, spv_endianness_t, uint32_t magic, uint32_t version, uint32_t generator,
                       uint32_t bound, uint32_t schema) {
  static_cast<Loader*>(user)->ir->SetModuleHeader(magic, version, generator, bound, schema);
  return SPV_SUCCESS;
}

spv_result_t on_instruction(void* user, const spv_parsed_instruction_t* instruction) {
  return static_cast<Loader*>(user)->add(*instruction) ? SPV_SUCCESS : SPV_ERROR_INVALID_BINARY;
}

std::optional<std::string> opcode_name(uint32_t opcode) {
  const std::string name = spvOpcodeString(static_cast<spv::Op>(opcode));
  if (name == "unknown") return std::nullopt;
  return "Op" + name;
}

// Says what of a module SPIRV-Tools does not know. Its own message names neither capability nor extension.
std::string unknown_opcode(Words words, const std::vector<SetAside>& aside, uint32_t opcode) {
  std::string text = std::string("SPIRV-Tools ") + spvSoftwareVersionString() +
                     " does not know the instruction with opcode " + std::to_string(opcode);
  for (const SetAside& each : aside) {
    const InstructionView instruction{each.words};
    if (instruction.op() == spv::Op::OpCapability)
      text += ", nor the capability " + std::to_string(instruction.word(1));
  }
  for_each_instruction(words, header_words, [&](InstructionView instruction, uint32_t) {
    spvtools::Extension known{};
    if (instruction.op() == spv::Op::OpFunction) return false;
    if (instruction.op() == spv::Op::OpExtension) {
      const std::string name = literal_string(instruction, 1);
      if (!spvtools::GetExtensionFromString(name.c_str(), &known)) text += ", nor the extension " + name;
    }
    return true;
  });
  return text;
}

// Empty: parsed. aside: what was taken out of the words.
std::string parse(spv_context context, Words words, const std::vector<SetAside>& aside, Loader& loader) {
  loader.consumer = [&loader](spv_message_level_t, const char*, const spv_position_t&, const char* message) {
    if (loader.error.empty()) loader.error = message;
  };
  // The context outlives the loader, so it gets no reference to it.
  loader.context = std::make_unique<spvtools::opt::IRContext>(
      environment, [](spv_message_level_t, const char*, const spv_position_t&, const char*) {});
  loader.ir = std::make_unique<spvtools::opt::IrLoader>(loader.consumer, loader.context->module());
  loader.begin = words.data();
  loader.bound = words[3];
  loader.definitions.assign(loader.bound, 0);
  loader.types.assign(loader.bound, 0);
  spv_diagnostic diagnostic = nullptr;
  const spv_result_t result =
      spvBinaryParse(context, &loader, words.data(), words.size(), on_header, on_instruction, &diagnostic);
  loader.ir->EndModule();
  std::string message = diagnostic && diagnostic->error ? diagnostic->error : "";
  spvDiagnosticDestroy(diagnostic);
  if (result != SPV_SUCCESS) {
    if (!loader.error.empty()) message = loader.error;
    const uint32_t first = loader.next_offset < words.size() ? words[loader.next_offset] : 0;
    if (!opcode_name(first & 0xffff)) message = unknown_opcode(words, aside, first & 0xffff);
    return message + " (word " + std::to_string(loader.next_offset) + ", " +
           opcode_name(first & 0xffff).value_or("opcode " + std::to_string(first & 0xffff)) + ")";
  }
  if (loader.in_function) return "the last function has no end";
  // The serialiser takes the debug info set from the first of these.
  if (loader.debug_scope && !loader.debug_info) return "debug scopes without debug information";
  if (!loader.context->module()->GetMemoryModel()) return "no memory model";
  return {};
}

struct ContextDeleter {
  void operator()(spv_context context) const { spvContextDestroy(context); }
};

}  // namespace

LoadedModule load_module(Words words) {
  LoadedModule module;
  if (words.size() < header_words || words[0] != spv::MagicNumber) {
    module.error = "not SPIR-V of this machine's byte order";
    return module;
  }
  if (words[1] > newest_version || words[1] < 0x00010000) {
    module.error = "SPIR-V version " + std::to_string(words[1] >> 16 & 0xff) + "." +
                   std::to_string(words[1] >> 8 & 0xff) + " is not known here";
    return module;
  }
  if (words[3] == 0 || words[3] > max_bound) {
    module.error = "id bound " + std::to_string(words[3]) + " is out of range";
    return module;
  }
  const std::unique_ptr<spv_context_t, ContextDeleter> context(spvContextCreate(environment));
  Loader loader;
  bool repaired = false;
  Words parsed = words;
  const auto parse_again = [&] {
    parsed = module.reduced;
    loader = Loader{};
    loader.skip_nops = repaired;
    module.error = parse(context.get(), parsed, module.aside, loader);
  };
  module.error = parse(context.get(), words, module.aside, loader);
  if (!module.error.empty()) {
    module.reduced = without_broken_debug_info(words);
    repaired = !module.reduced.empty();
    if (repaired) parse_again();
  }
  if (!module.error.empty() && !loader.any_function) {
    module.reduced = set_aside_unknown(context.get(), parsed, module.aside);
    if (!module.aside.empty()) parse_again();
  }
  if (!module.error.empty()) return module;
  module.view = ModuleView(parsed, std::move(loader.definitions), std::move(loader.types));
  module.context = std::move(loader.context);
  remove_names(*module.context, loader.lost);
  return module;
}

}  // namespace shaderqa
