// SPDX-License-Identifier: Apache-2.0
// The shaders of a sync test's case, compiled.
#ifndef SHADERQA_TESTS_E2E_SYNC_SHADERS_H
#define SHADERQA_TESTS_E2E_SYNC_SHADERS_H

#include <filesystem>
#include <string>
#include <vector>

#include "shader_compiler.h"
#include "sync_case.h"

namespace shaderqa::testing {

// The files with the SPIR-V, in the directory.
inline std::vector<std::string> compiled_case(const std::filesystem::path& directory,
                                              const sync_cases::Case& test, bool racy) {
  std::vector<std::string> files, flags{"-g"};
  if (racy) flags.push_back("-DRACY=1");
  for (size_t i = 0; i < test.shaders.size(); ++i) {
    const std::string stage = test.shaders[i].stage;
    if (stage == "spvasm") {
      files.push_back(
          assemble_spirv(directory, std::string(test.name) + std::to_string(i), test.shaders[i].source));
      continue;
    }
    std::vector<std::string> shader_flags = flags;
    if (stage == "mesh") shader_flags.insert(shader_flags.end(), {"--target-env", "spirv1.4"});
    files.push_back(compile_glsl(directory,
                                 std::string(test.name) + (racy ? "_racy" : "_correct") + std::to_string(i),
                                 stage, test.shaders[i].source, shader_flags));
  }
  return files;
}

}  // namespace shaderqa::testing
#endif
