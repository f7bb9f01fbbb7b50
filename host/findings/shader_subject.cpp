// SPDX-License-Identifier: Apache-2.0
#include "host/findings/shader_subject.h"

#include "host/findings/report_line.h"
#include "host/text/shader_hash_text.h"

namespace shaderqa {
namespace {

std::string text_of(const std::string& hash, const std::string& stage, const std::string& entry_point,
                    const std::string& file, const std::string& name) {
  std::string what;
  for (const std::string& part : {stage, entry_point, file.substr(file.find_last_of("/\\") + 1)})
    if (!part.empty()) what += (what.empty() ? "" : ", ") + part;
  return "shader " + hash + (what.empty() ? "" : " (" + what + ")") +
         (name.empty() ? "" : " \"" + name + "\"");
}

}  // namespace

std::string shader_text(const ShaderSubject& shader) {
  std::string hash;
  append_hash(hash, shader.hash);
  return text_of(hash, shader.stage == Stage::unknown ? "" : to_string(shader.stage), shader.entry_point,
                 shader.file, shader.name);
}

std::string shader_text(const ReportLine& line) {
  if (line.shader.empty()) return {};
  return text_of(line.shader, line.stage, line.entry_point, line.source.file, line.shader_name);
}

}  // namespace shaderqa
