// SPDX-License-Identifier: Apache-2.0
#include "replay/dap_stream.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace shaderqa {

std::optional<size_t> DapStream::length_of(std::string_view header) {
  constexpr std::string_view name = "content-length";
  while (!header.empty()) {
    const std::string_view line = header.substr(0, header.find('\n'));
    header.remove_prefix(std::min(line.size() + 1, header.size()));
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos ||
        !std::ranges::equal(line.substr(0, colon), name,
                            [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; }))
      continue;
    std::string_view value = line.substr(colon + 1);
    while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
    while (!value.empty() && (value.back() == ' ' || value.back() == '\r')) value.remove_suffix(1);
    size_t length = 0;
    const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), length);
    if (problem != std::errc() || end != value.data() + value.size() || length > kLongestMessage) {
      error_ = "Content-Length is not a number up to " + std::to_string(kLongestMessage);
      return std::nullopt;
    }
    return length;
  }
  error_ = "a header has no Content-Length";
  return std::nullopt;
}

std::optional<std::string> DapStream::next() {
  if (!error_.empty()) return std::nullopt;
  const size_t end = bytes_.find("\r\n\r\n");
  if (end == std::string::npos) {
    if (bytes_.size() > kLongestHeader) error_ = "a header does not end";
    return std::nullopt;
  }
  const auto length = length_of(std::string_view(bytes_).substr(0, end));
  if (!length || bytes_.size() - end - 4 < *length) return std::nullopt;
  std::string message = bytes_.substr(end + 4, *length);
  bytes_.erase(0, end + 4 + *length);
  return message;
}

std::string DapStream::framed(const std::string& message) {
  return "Content-Length: " + std::to_string(message.size()) + "\r\n\r\n" + message;
}

}  // namespace shaderqa
