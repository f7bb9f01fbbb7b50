// SPDX-License-Identifier: Apache-2.0
#include "host/findings/fingerprint.h"

#include <xxhash.h>
#include <algorithm>
#include <string_view>

#include "host/findings/check_details.h"
#include "host/findings/hazard_text.h"
#include "host/findings/report.h"
#include "host/text/shader_hash_text.h"

namespace shaderqa {
namespace {

// Folders differ from machine to machine.
std::string_view file_name(std::string_view path) { return path.substr(path.find_last_of("/\\") + 1); }

std::string line_text(std::string_view file, uint32_t line) {
  return std::string(file_name(file)) + ":" + std::to_string(line);
}

std::string word_text(uint64_t shader, uint32_t word) {
  std::string text;
  append_hash(text, shader);
  return text + "+" + std::to_string(word);
}

std::string own_side(const Finding& finding) {
  const CheckDetails& details = *finding.check;
  std::string side = details.hazard ? std::string(to_string(details.hazard->access)) + " " : std::string();
  if (details.hazard && details.hazard->by_command) return side + command_name(details.action);
  if (details.layout && !details.layout->of_descriptor) return command_name(details.action);
  if (finding.source.line != 0) return side + line_text(finding.source.file, finding.source.line);
  return side + word_text(finding.shader, details.word);
}

// The instruction's words where the line is not known: the shader may be another one.
std::string other_side(const OtherAccess& other) {
  std::string side = std::string(to_string(other.access)) + " ";
  if (other.by_command) return side + command_name(other.action);
  if (other.places.empty()) return side;
  const SitePlace& place = other.places.front();
  if (place.line != 0) return side + line_text(place.file, place.line);
  return side + word_text(place.shader, place.word);
}

// Without what differs from run to run: handles, and how often a barrier was passed.
std::string barrier_text(std::string_view text) {
  text = text.substr(0, text.find(", passed "));
  std::string kept;
  while (!text.empty()) {
    const size_t handle = text.find("0x");
    kept += text.substr(0, handle);
    if (handle == std::string_view::npos) break;
    kept += "0x";
    const size_t end = text.find_first_not_of("0123456789abcdef", handle + 2);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end);
  }
  return kept;
}

}  // namespace

std::string fingerprint_text(const Finding& finding) {
  if (!finding.check)
    return finding.kind == FindingKind::redundant ? "redundant|" + barrier_text(finding.text) : std::string();
  if (finding.check->count) return {};
  const std::string begin = std::string(to_string(finding.check->check)) + "|";
  std::string own = own_side(finding);
  if (const std::optional<WrongLayout>& layout = finding.check->layout)
    return begin + own + "|" + layout->named + "|" + layout->is + "|" + layout->changed_by + "|" +
           layout->image.name;
  const std::optional<Hazard>& hazard = finding.check->hazard;
  if (!hazard) return begin + own;
  if (!hazard->other) return begin + own + "|" + to_string(hazard->earlier);
  std::string other = other_side(*hazard->other);
  if (other < own) own.swap(other);
  return begin + own + "|" + other;
}

uint64_t fingerprint_of(const Finding& finding) {
  if (finding.fingerprint != 0) return finding.fingerprint;
  const std::string text = fingerprint_text(finding);
  return text.empty() ? 0 : XXH3_64bits(text.data(), text.size());
}

}  // namespace shaderqa
