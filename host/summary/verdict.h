// SPDX-License-Identifier: Apache-2.0
// What all processes of a run checked, what they found, and whether that can be believed.
#ifndef SHADERQA_HOST_SUMMARY_VERDICT_H
#define SHADERQA_HOST_SUMMARY_VERDICT_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/findings/bug_block.h"
#include "host/findings/finding_types.h"
#include "host/findings/report_line.h"
#include "host/summary/process_record.h"

namespace shaderqa {

// Findings with one fingerprint.
struct Bug {
  ReportLine line;  // the first of them
  uint64_t occurrences = 1;
  std::vector<uint32_t> processes;
};

// Why the run is not checked, or not completely.
struct Gap {
  std::string text;
  Concern concern = Concern::everything;
};

struct Verdict {
  std::vector<Bug> bugs;                     // in an order that does not depend on which was found first
  std::vector<Bug> suppressed, in_baseline;  // not in `bugs`: somebody knows them
  std::vector<Gap> gaps;
  uint64_t messages = 0;  // of printf

  bool complete_for(std::span<const FindingKind> kinds) const;
  uint64_t findings_of(FindingKind kind) const;  // bugs, or messages or notes
  uint64_t notes = 0;
};

// others: gaps that are known from elsewhere. wanted: kinds of findings that somebody relies on; empty: none.
Verdict judge(const std::vector<ProcessRecord>& records, std::vector<Gap> others,
              std::span<const FindingKind> wanted);

// Whether any shader was looked at on any device.
bool checked_anything(const std::vector<ProcessRecord>& records);

// "2 hazards"
std::string count_of_kind(uint64_t count, FindingKind kind);

// Their blocks, one after the other. Only the first one that needs it has the advice of BlockStyle.
std::string bug_blocks(std::span<const Bug> bugs, BlockStyle style);

// The last lines of a run: what was checked, what is not complete, what was found. Each begins with
// "shaderqa: ". width: columns of a terminal to wrap at; 0: lines are not wrapped.
std::string verdict_text(const std::vector<ProcessRecord>& records, const Verdict& verdict, size_t width = 0);

}  // namespace shaderqa
#endif
