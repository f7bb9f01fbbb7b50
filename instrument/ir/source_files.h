// SPDX-License-Identifier: Apache-2.0
// What the source files of a module are called.
#ifndef SHADERQA_INSTRUMENT_IR_SOURCE_FILES_H
#define SHADERQA_INSTRUMENT_IR_SOURCE_FILES_H

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace shaderqa {

// From OpSource and NonSemantic.Shader.DebugInfo's DebugSource; each once. None where the words are no
// SPIR-V.
std::vector<std::string> source_files(std::span<const uint32_t> words);

}  // namespace shaderqa
#endif
