// SPDX-License-Identifier: Apache-2.0
// Writes whole lines to a file descriptor inside another program's process: raises no SIGPIPE, throws
// nothing.
#ifndef SHADERQA_HOST_TEXT_LINE_SINK_H
#define SHADERQA_HOST_TEXT_LINE_SINK_H

#include <cstddef>
#include <string>

namespace shaderqa {

// Collects lines and writes them in batches, a batch by one write(2) wherever the system takes it whole. Not
// thread-safe.
class LineSink {
 public:
  LineSink() = default;
  ~LineSink();
  LineSink(const LineSink&) = delete;
  LineSink& operator=(const LineSink&) = delete;

  void borrow(int descriptor);  // stays open at the end
  // Opens the file for appending, instead of the one before; returns the error's text if that fails.
  std::string open(const std::string& path);
  // What is not written yet is dropped when it is flushed.
  void close();
  bool usable() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

  // The place to append whole lines to.
  std::string& buffer() { return buffer_; }
  bool is_big() const { return buffer_.size() >= kBatchBytes; }
  // Writes what is in the buffer. Returns "", or, once, the error's text: the sink is not used any more then.
  std::string flush();

 private:
  static constexpr size_t kBatchBytes = 64u << 10;
  std::string buffer_;
  int descriptor_ = -1;
  bool owned_ = false;
};

}  // namespace shaderqa
#endif
