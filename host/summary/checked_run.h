// SPDX-License-Identifier: Apache-2.0
// The line of a report file that says what was checked: of a run, or of one instance that had no
// `shaderqa run` above it.
#ifndef SHADERQA_HOST_SUMMARY_CHECKED_RUN_H
#define SHADERQA_HOST_SUMMARY_CHECKED_RUN_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/summary/verdict.h"

namespace shaderqa {

// As it is read back.
struct CheckedRun {
  std::string text;      // the verdict's lines
  uint64_t process = 0;  // that wrote the line
  std::string run, host, version;
  bool complete = false;
  std::vector<std::string> programs, checks, gaps;
  std::vector<DeviceRecord> devices;
};

// One JSON object with a newline.
std::string checked_line(const std::vector<ProcessRecord>& records, const Verdict& verdict);
// Nothing: the line is none of these.
std::optional<CheckedRun> read_checked_line(std::string_view line);

}  // namespace shaderqa
#endif
