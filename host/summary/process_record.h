// SPDX-License-Identifier: Apache-2.0
// The summary of a process, read back.
#ifndef SHADERQA_HOST_SUMMARY_PROCESS_RECORD_H
#define SHADERQA_HOST_SUMMARY_PROCESS_RECORD_H

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/findings/report_line.h"
#include "host/summary/run_page.h"

namespace shaderqa {

inline constexpr const char* kRunPageSuffix = ".run";
inline constexpr const char* kFactsSuffix = ".facts";

// Behind "sync" among the checks of a process that checks images, too.
inline constexpr const char* kWithImages = " with images";

struct DeviceRecord {
  std::string name, driver, inert_reason;
};

// What one instance did; a process may have several.
struct ProcessRecord {
  uint32_t process = 0;
  uint64_t created_ns = 0;
  bool ended = false;    // in order
  bool running = false;  // the process still has the file
  std::string damage;    // why the record cannot be believed; empty: it can
  std::string program, version, checks, only, part;
  std::vector<DeviceRecord> devices;
  std::vector<std::string> unseen;  // shaders that were used, but never in the chosen part
  std::array<uint64_t, kTallies> tallies{};
  uint64_t slowest_ns = 0;
  CompiledShader slowest;
  std::vector<CompiledShader> unfinished;  // those whose pipelines were being made
  bool waits = false;                      // for a device
  std::string last_begun;                  // as RunProgress has it
  std::vector<ReportLine> lines;           // findings and notes, in the order of their appearance

  uint64_t tally(Tally which) const { return tallies[static_cast<size_t>(which)]; }
};

// What is said of a process that ended while a pipeline with this shader was being made: "ended while ...".
std::string unfinished_text(const CompiledShader& shader);
// The same of a process that ended while it waited for a device.
std::string waiting_text(const ProcessRecord& record);
// What makes pipelines of checked shaders in less time: "sync_calls = always, ...".
std::string what_is_faster(const ProcessRecord& record);

// facts: lines of JSON; damaged ones are counted as lost.
ProcessRecord read_process(const RunPage& page, std::string_view facts);

// The records in the directory, the oldest first. Tolerates anything in the files.
std::vector<ProcessRecord> read_processes(const std::string& directory);

// What all processes of a directory compile and wait for at this moment.
struct RunProgress {
  uint64_t done = 0, begun = 0;  // pipelines
  uint64_t spent_ns = 0;         // in all threads, the current calls included
  uint64_t longest_ns = 0;       // the current call that began first
  CompiledShader longest;
  bool busy = false;
  uint64_t waiting_ns = 0;  // the wait for a device that began first
  std::string last_begun;   // the checked action that began last in that process; empty: none is known
};
RunProgress read_progress(const std::string& directory, uint64_t now_ns);

}  // namespace shaderqa
#endif
