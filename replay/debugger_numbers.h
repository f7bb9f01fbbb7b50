// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_REPLAY_DEBUGGER_NUMBERS_H
#define SHADERQA_REPLAY_DEBUGGER_NUMBERS_H

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

namespace shaderqa {

// `otherwise` where the text is empty; nothing where it is no number.
inline std::optional<uint64_t> number_of(const std::string& text, uint64_t otherwise) {
  if (text.empty()) return otherwise;
  uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace shaderqa
#endif
