// SPDX-License-Identifier: Apache-2.0
// GLSL or text to SPIR-V in a test, by the tools of the build.
#ifndef SHADERQA_TESTS_SUPPORT_SHADER_COMPILER_H
#define SHADERQA_TESTS_SUPPORT_SHADER_COMPILER_H

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace shaderqa::testing {

// stage: "comp", "vert", ... Writes <directory>/<name>.<stage> and returns the path of the SPIR-V beside it.
// The text begins after #version and the extensions that printing shaders use.
std::string compile_glsl(const std::filesystem::path& directory, const std::string& name,
                         const std::string& stage, const std::string& body,
                         const std::vector<std::string>& flags = {});
// SPIR-V text of version 1.3, by the build's spirv-as.
std::string assemble_spirv(const std::filesystem::path& directory, const std::string& name,
                           const std::string& text);
std::vector<uint32_t> read_words(const std::filesystem::path& spirv);

}  // namespace shaderqa::testing
#endif
