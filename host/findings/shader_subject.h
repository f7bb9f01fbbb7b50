// SPDX-License-Identifier: Apache-2.0
// A shader as notes name it.
#ifndef SHADERQA_HOST_FINDINGS_SHADER_SUBJECT_H
#define SHADERQA_HOST_FINDINGS_SHADER_SUBJECT_H

#include <cstdint>
#include <string>

#include "instrument/shader_record.h"

namespace shaderqa {

struct ReportLine;

// What is not known is empty, or `unknown`.
struct ShaderSubject {
  uint64_t hash = 0;
  Stage stage = Stage::unknown;
  std::string entry_point;
  std::string file;  // of its source, with or without folders
  std::string name;  // that the application gave it
};

// shader 0123456789abcdef (compute, main, scan.comp) "scan pass"
std::string shader_text(const ShaderSubject& shader);
// The same of the shader that a line of a report file is about; empty: of none.
std::string shader_text(const ReportLine& line);

}  // namespace shaderqa
#endif
