// SPDX-License-Identifier: Apache-2.0
// Files of the offline commands. Functions return an error as a sentence (which file, what is wrong, what to
// do), or nothing.
#ifndef SHADERQA_TOOLS_FILES_H
#define SHADERQA_TOOLS_FILES_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shaderqa {

std::string read_file(const std::string& path, std::string& content);

// Writes the whole file or nothing: a reader never sees half a file, and an error leaves the old one. Pipes
// and devices are written directly.
std::string write_file(const std::string& path, std::string_view content);

// Words of a module in this machine's byte order; `swapped`: the file has the other one.
std::string read_spirv(const std::string& path, std::vector<uint32_t>& words, bool& swapped);

}  // namespace shaderqa
#endif
