// SPDX-License-Identifier: Apache-2.0
#include "replay/dap_sources.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace shaderqa {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kMostEmptyLines = 65536;

std::string trimmed(std::string line) {
  line.erase(
      std::find_if(line.rbegin(), line.rend(), [](char c) { return c != '\r' && c != ' ' && c != '\t'; })
          .base(),
      line.end());
  return line;
}

// A file that was edited since has other lines.
bool has_text(const fs::path& path, const std::map<uint32_t, std::string>* lines) {
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return false;
  if (!lines) return true;
  std::ifstream in(path);
  uint32_t number = 0;
  size_t same = 0;
  for (std::string line; std::getline(in, line);) {
    const auto known = lines->find(++number);
    if (known == lines->end()) continue;
    if (trimmed(line) != trimmed(known->second)) return false;
    ++same;
  }
  return same == lines->size();
}

// Whether one path ends in all components of the other.
bool same_end(const fs::path& a, const fs::path& b) {
  auto x = a.end(), y = b.end();
  while (x != a.begin() && y != b.begin()) {
    --x, --y;
    if (*x == "." || *x == "/" || *y == "." || *y == "/") return true;
    if (*x != *y) return false;
  }
  return a.begin() != a.end() && b.begin() != b.end();
}

}  // namespace

void DapSources::add(const TracedShader& shader) {
  const auto push = [&](const std::string& file, bool is_code, std::string path, std::string name) {
    sources_.push_back({&shader, file, is_code, std::move(path), std::move(name),
                        static_cast<uint32_t>(sources_.size() + 1)});
  };
  for (const std::string& file : shader.files()) {
    std::error_code none;
    const fs::path path = fs::absolute(file, none).lexically_normal();
    const bool on_disk = !file.empty() && has_text(path, shader.lines_of(file));
    if (on_disk || shader.lines_of(file))
      push(file, false, on_disk ? path.string() : "",
           file.empty() ? "source" : fs::path(file).filename().string());
  }
  char hash[20];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(shader.shader().hash));
  push("", true, "", std::string(hash) + ".spvasm");
}

DapSources::Line DapSources::line(const TracedShader& shader, const StackFrame& frame,
                                  uint32_t offset) const {
  const Source* code = nullptr;
  for (const Source& source : sources_) {
    if (source.shader != &shader) continue;
    if (source.is_code)
      code = &source;
    else if (frame.position.line != 0 && source.file == frame.position.file)
      return {&source, frame.position.line};
  }
  return {code, static_cast<uint32_t>(shader.instruction_number(offset) + 1)};
}

const DapSources::Source* DapSources::find(uint32_t reference) const {
  return reference != 0 && reference <= sources_.size() ? &sources_[reference - 1] : nullptr;
}

std::vector<const DapSources::Source*> DapSources::find(const std::string& path) const {
  std::vector<const Source*> found;
  for (const Source& source : sources_)
    if (!source.is_code && !source.file.empty() &&
        same_end(fs::path(source.file).lexically_normal(), fs::path(path).lexically_normal()))
      found.push_back(&source);
  return found;
}

std::string DapSources::text(const Source& source) const {
  std::string text;
  if (source.is_code) {
    for (const uint32_t offset : source.shader->instructions()) text += source.shader->text(offset) + "\n";
    return text;
  }
  const auto* lines = source.shader->lines_of(source.file);
  if (!lines) return text;
  uint32_t number = 1;
  for (const auto& [line, content] : *lines) {
    // A directive can give any number.
    if (line - number < kMostEmptyLines)
      for (; number < line; ++number) text += "\n";
    text += content + "\n";
    number = line + 1;
  }
  return text;
}

uint32_t DapSources::line_with_code(const Source& source, uint32_t line) {
  if (source.is_code) return line != 0 && line <= source.shader->instructions().size() ? line : 0;
  const std::set<uint32_t> lines = source.shader->lines_with_code(source.file);
  const auto found = lines.lower_bound(line);
  return found == lines.end() ? 0 : *found;
}

std::string DapSources::breakpoint(const Source& source, uint32_t line) {
  return (source.is_code ? "*" : source.file + ":") + std::to_string(line);
}

}  // namespace shaderqa
