// SPDX-License-Identifier: Apache-2.0
// Reads a whole file without exceptions.
#ifndef SHADERQA_HOST_TEXT_FILE_TEXT_H
#define SHADERQA_HOST_TEXT_FILE_TEXT_H

#include <optional>
#include <string>

namespace shaderqa {

// Nothing, and an error text, if the file cannot be read or is a directory.
std::optional<std::string> read_file_text(const std::string& path, std::string& error);

}  // namespace shaderqa
#endif
