// SPDX-License-Identifier: Apache-2.0
// A file of lines that does not grow without end: when it is large, FILE becomes FILE.1, FILE.1 becomes
// FILE.2, and so on.
#ifndef SHADERQA_HOST_TEXT_ROTATED_FILE_H
#define SHADERQA_HOST_TEXT_ROTATED_FILE_H

#include <cstdint>
#include <string>
#include <vector>

#include "host/text/line_sink.h"

namespace shaderqa {

struct Rotation {
  uint64_t size = 0;   // bytes from which on a new file begins; 0: never
  uint32_t files = 1;  // older files that are kept, at least 1
};

// FILE.N to FILE.1 as far as there are any, then the file itself: the oldest lines first.
std::vector<std::string> with_rotated_files(const std::string& path);

// Several processes may append to the same file, and each may rotate it. Not thread-safe.
class RotatedFile {
 public:
  // Appends to the file; only a regular one is rotated. Returns the error's text if that fails.
  std::string open(const std::string& path, const Rotation& rotation);
  LineSink& lines() { return lines_; }

  struct Renewal {
    bool is_new = false;   // what is written from now on goes into another file than before
    bool dropped = false;  // the oldest file was deleted, with what was in it
    std::string error;     // the file cannot be rotated, and is not used any more
  };
  // To be called before the first line of a batch. So a file becomes larger than Rotation::size by a batch
  // for each process, by more only if a process is held up for several milliseconds while it rotates. A batch
  // is never divided. may_rotate = false: the batch belongs into the newest file, however large that is.
  Renewal renew(bool may_rotate = true);

 private:
  std::string rotate(Renewal& renewal);

  LineSink lines_;
  std::string path_;
  Rotation rotation_;
};

}  // namespace shaderqa
#endif
