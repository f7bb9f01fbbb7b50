// SPDX-License-Identifier: Apache-2.0
#include "support.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "instrument/ir/module_view.h"
#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_descriptors.h"

namespace shaderqa {
std::ostream& operator<<(std::ostream& out, const MemoryRun& run) {
  return out << run.size << " bytes or scalars from " << run.offset << " on";
}
}  // namespace shaderqa

namespace shaderqa::test {

namespace {

Module load(const char* directory, const std::string& name) {
  std::ifstream file(directory + ("/" + name) + ".spv", std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error("no shader " + name);
  Module words(static_cast<size_t>(file.tellg()) / sizeof(uint32_t));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(words.data()),
            static_cast<std::streamsize>(words.size() * sizeof(uint32_t)));
  return words;
}

std::vector<std::string> names(const char* directory) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().extension() == ".spv") found.push_back(entry.path().stem().string());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

Module load_shader(const std::string& name) { return load(SHADER_DIR, name); }
std::vector<std::string> shader_names() { return names(SHADER_DIR); }
std::string id_of(const std::string& text, const std::string& instruction) {
  const size_t at = text.find(" = " + instruction);
  const size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, at - begin);
}

Module with_newer_debug_set(Module words) {
  constexpr std::string_view known = "NonSemantic.Shader.DebugInfo.100";
  const auto bytes = std::as_writable_bytes(std::span(words));
  const auto is_known = [](std::byte byte, char expected) { return static_cast<char>(byte) == expected; };
  const auto found = std::ranges::search(bytes, known, is_known);
  if (found.empty()) throw std::runtime_error("the module has no debug information");
  found.back() = std::byte{'2'};
  return words;
}

Module load_sync_shader(const std::string& name) { return load(SYNC_SHADER_DIR, name); }
std::vector<std::string> sync_shader_names() { return names(SYNC_SHADER_DIR); }

spv_target_env environment_of(const std::string& shader_name) {
  const auto ends = [&](const char* target) { return shader_name.ends_with(target); };
  if (ends("vulkan1.0")) return SPV_ENV_VULKAN_1_0;
  if (ends("vulkan1.1")) return SPV_ENV_VULKAN_1_1;
  if (ends("spirv1.4")) return SPV_ENV_VULKAN_1_1_SPIRV_1_4;
  if (ends("vulkan1.2")) return SPV_ENV_VULKAN_1_2;
  return SPV_ENV_VULKAN_1_3;
}

Module assemble(const std::string& text, spv_target_env environment) {
  spvtools::SpirvTools tools(environment);
  std::string message;
  tools.SetMessageConsumer(
      [&](spv_message_level_t, const char*, const spv_position_t& position, const char* what) {
        message += std::to_string(position.line + 1) + ": " + what + "\n";
      });
  Module words;
  if (!tools.Assemble(text, &words, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS))
    throw std::runtime_error(message + text);
  return words;
}

std::string disassemble(const Module& words) {
  const spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  std::string text;
  tools.Disassemble(words, &text,
                    SPV_BINARY_TO_TEXT_OPTION_NO_HEADER | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES);
  return text;
}

namespace {

// A private variable of the runtime whose array has a stride, as one in a block has: glslang gives both one
// type. Validators of 2026 report it (VUID-StandaloneSpirv-None-10684), that of this age does not.
std::string private_layout_error(const Module& words) {
  std::unordered_map<uint32_t, std::string> names;
  std::unordered_map<uint32_t, uint32_t> pointees;
  std::unordered_set<uint32_t> strided;
  std::string error;
  for_each_instruction(words, header_words, [&](InstructionView i, uint32_t) {
    constexpr auto private_class = static_cast<uint32_t>(spv::StorageClass::Private);
    if (i.op() == spv::Op::OpName) names[i.word(1)] = literal_string(i, 2);
    if (i.op() == spv::Op::OpDecorate && i.word(2) == static_cast<uint32_t>(spv::Decoration::ArrayStride))
      strided.insert(i.word(1));
    if (i.op() == spv::Op::OpTypePointer && i.word(2) == private_class) pointees[i.word(1)] = i.word(3);
    if (i.op() == spv::Op::OpVariable && i.word(3) == private_class &&
        strided.contains(pointees[i.word(1)]) && names[i.word(2)].starts_with("sqa_"))
      error += names[i.word(2)] + " has the layout of a block\n";
    return true;
  });
  return error;
}

}  // namespace

std::string validation_error(const Module& words, spv_target_env environment) {
  spvtools::SpirvTools tools(environment);
  std::string message;
  tools.SetMessageConsumer(
      [&](spv_message_level_t, const char*, const spv_position_t& position, const char* what) {
        message += std::to_string(position.index) + ": " + what + "\n";
      });
  if (tools.Validate(words.data(), words.size())) return private_layout_error(words);
  return message.empty() ? "invalid" : message;
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

std::string in_selections(const std::string& name, size_t count,
                          const std::function<std::string(const std::string&)>& access) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    const std::string n = name + std::to_string(i);
    text += "%is" + n + " = OpIEqual %bool %x %zero\nOpSelectionMerge %m" + n +
            " None\nOpBranchConditional %is" + n + " %b" + n + " %m" + n + "\n%b" + n + " = OpLabel\n" +
            access(n) + "OpBranch %m" + n + "\n%m" + n + " = OpLabel\n";
  }
  return text;
}

std::string compute_shader(const std::string& globals, const std::string& body,
                           const std::string& capabilities, const std::string& debug) {
  return capabilities + R"(
OpExtension "SPV_KHR_non_semantic_info"
%printf = OpExtInstImport "NonSemantic.DebugPrintf"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 8 1 1
)" + debug +
         R"(
OpDecorate %id BuiltIn GlobalInvocationId
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%uint3 = OpTypeVector %uint 3
%input = OpTypePointer Input %uint3
%id = OpVariable %input Input
%void_function = OpTypeFunction %void
)" + globals +
         R"(
%main = OpFunction %void None %void_function
%label = OpLabel
%id_value = OpLoad %uint3 %id
%x = OpCompositeExtract %uint %id_value 0
)" + body +
         R"(
OpReturn
OpFunctionEnd
)";
}

InstrumentOptions default_options() {
  InstrumentOptions options;
  options.root_address = 0x0000765432100000;
  return options;
}

InstrumentOptions sync_options() {
  InstrumentOptions options = default_options();
  options.sync.enabled = true;
  options.sync.record_set = 4;
  for (uint32_t set = 0; set < 4; ++set)
    for (uint32_t binding = 0; binding < 8; ++binding)
      options.sync.descriptors.push_back({set, binding, binding * 16, 16, SQA_NOT_DYNAMIC});
  return options;
}

void move_to_heap(InstrumentOptions& options) {
  options.int64_atomics = true;
  options.sync.engine = SyncEngine::exact;
  options.sync.record_constant = 248;
  for (DescriptorSlots& slots : options.sync.descriptors) {
    slots.slot = SQA_IN_BUFFER | SQA_IN_HEAP | slots.binding * 256;
    slots.dynamic = SQA_DESCRIPTOR_MUTABLE | heap_stride << SQA_DESCRIPTOR_STRIDE_SHIFT;
    slots.record_table = slots.set + 5;
  }
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string fixture(const std::string& name, const std::map<std::string, std::string>& values) {
  std::string text = read_text(std::string(SOURCE_DIR) + "/fixtures/" + name + ".spvasm");
  for (const auto& [key, value] : values) {
    const std::string placeholder = "@" + key + "@";
    const size_t at = text.rfind(placeholder);
    if (at == std::string::npos) throw std::runtime_error(name + ".spvasm has no " + placeholder);
    text.replace(at, placeholder.size(), value);
  }
  return text;
}

std::string functions_of(const std::string& module) {
  const size_t begin = module.find(" = OpFunction ");
  const size_t start = module.rfind('\n', begin) + 1;
  size_t end = start;
  while (true) {
    const size_t function = module.find(" = OpFunction ", end);
    if (function == std::string::npos) return module.substr(start);
    const size_t line = module.rfind('\n', function) + 1;
    if (module.find("%sqa_", line) < function) return module.substr(start, line - start);
    end = function + 1;
  }
}

std::string declarations_of(const std::string& module) {
  std::istringstream lines(module);
  std::string text;
  for (std::string line; std::getline(lines, line);)
    for (const char* kind :
         {"OpCapability ", "OpExtension ", "OpMemoryModel ", "OpEntryPoint ", "OpExecutionMode "})
      if (line.starts_with(kind)) text += line + '\n';
  return text;
}

}  // namespace shaderqa::test
