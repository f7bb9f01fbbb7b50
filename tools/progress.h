// SPDX-License-Identifier: Apache-2.0
// The progress line on the terminal: how many pipelines are made, or how long the program has waited for the
// device.
#ifndef SHADERQA_TOOLS_PROGRESS_H
#define SHADERQA_TOOLS_PROGRESS_H

#include <cstddef>
#include <cstdint>
#include <string>

#include "host/summary/process_record.h"

namespace shaderqa {

// Empty while there is too little to say: less than two seconds were spent on pipelines in all, or none is
// being made, and no wait for the device has lasted ten seconds.
std::string progress_text(const RunProgress& progress);

// One line that is written over and over on a terminal; elsewhere a line every ten seconds.
class ProgressLine {
 public:
  explicit ProgressLine(std::string folder);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show();

 private:
  void clear();

  const std::string folder_;
  const bool terminal_;
  uint64_t next_ns_ = 0;
  size_t rows_ = 0;  // of the terminal that the line takes
};

}  // namespace shaderqa
#endif
