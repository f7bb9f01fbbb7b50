// SPDX-License-Identifier: Apache-2.0
// Messages of the Debug Adapter Protocol in a stream of bytes: "Content-Length: N", an empty line, N bytes of
// JSON.
#ifndef SHADERQA_REPLAY_DAP_STREAM_H
#define SHADERQA_REPLAY_DAP_STREAM_H

#include <optional>
#include <string>
#include <string_view>

namespace shaderqa {

class DapStream {
 public:
  static constexpr size_t kLongestHeader = 4096;
  static constexpr size_t kLongestMessage = size_t{16} << 20;

  void append(std::string_view bytes) { bytes_.append(bytes); }
  // The next whole message. Nothing: there is none yet, or error() says why there will never be one.
  std::optional<std::string> next();
  const std::string& error() const { return error_; }

  static std::string framed(const std::string& message);

 private:
  std::optional<size_t> length_of(std::string_view header);

  std::string bytes_;
  std::string error_;
};

}  // namespace shaderqa
#endif
