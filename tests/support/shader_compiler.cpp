// SPDX-License-Identifier: Apache-2.0
#include "shader_compiler.h"

#include <cstring>
#include <stdexcept>

#include "environment.h"
#include "paths.h"

namespace shaderqa::testing {
namespace {

const char* const kPrelude = R"(#version 460
#extension GL_EXT_debug_printf : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#line 1
)";

}  // namespace

std::string compile_glsl(const std::filesystem::path& directory, const std::string& name,
                         const std::string& stage, const std::string& body,
                         const std::vector<std::string>& flags) {
  const std::string source = directory / (name + "." + stage);
  const std::string result = source + ".spv";
  write_file(source, kPrelude + body);
  std::vector<std::string> arguments{SHADERQA_GLSLANG, "--quiet", "-V", "--target-env",
                                     "vulkan1.1",      source,    "-o", result};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  const ProcessResult compiled = run(arguments, {{"PATH", "/usr/bin:/bin"}});
  if (compiled.exit_code != 0)
    throw std::runtime_error("glslangValidator: " + source + "\n" + compiled.out + compiled.err);
  return result;
}

std::string assemble_spirv(const std::filesystem::path& directory, const std::string& name,
                           const std::string& text) {
  const std::string source = directory / (name + ".spvasm");
  const std::string result = source + ".spv";
  write_file(source, text);
  const ProcessResult assembled =
      run({SHADERQA_SPIRV_AS, "--target-env", "spv1.3", source, "-o", result}, {{"PATH", "/usr/bin:/bin"}});
  if (assembled.exit_code != 0)
    throw std::runtime_error("spirv-as: " + source + "\n" + assembled.out + assembled.err);
  return result;
}

std::vector<uint32_t> read_words(const std::filesystem::path& spirv) {
  const std::string bytes = read_file(spirv);
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

}  // namespace shaderqa::testing
