// SPDX-License-Identifier: Apache-2.0
// Findings that are known: those that a file suppresses, and those of an earlier report.
#ifndef SHADERQA_HOST_SUMMARY_KNOWN_BUGS_H
#define SHADERQA_HOST_SUMMARY_KNOWN_BUGS_H

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/findings/report_line.h"
#include "host/summary/checked_run.h"
#include "host/summary/verdict.h"

namespace shaderqa {

// A file of rules, one a line: KEY=PATTERN KEY=PATTERN ... # reason. All patterns of a rule have to match.
class Suppressions {
 public:
  // Appends what is wrong with the text to `problems`, a sentence each.
  static Suppressions parse(std::string_view text, const std::string& file_name,
                            std::vector<std::string>& problems);

  // The reason of the first rule that matches; null: none does. The rule counts as used.
  const std::string* reason(const ReportLine& line);
  // Rules that matched nothing, as "FILE:LINE: text".
  std::vector<std::string> unused() const;

 private:
  struct Rule {
    std::string place, text, reason;
    std::vector<std::pair<std::string, std::string>> patterns;
    bool used = false;
  };
  std::vector<Rule> rules_;
};

// The findings of a report file, which `shaderqa run --report` wrote, with what the first line of each
// process says of it. checked: gets what was checked, if it is wanted. Lines that are neither are problems.
std::vector<ReportLine> read_report_text(std::string_view text, const std::string& file_name,
                                         std::vector<std::string>& problems,
                                         std::vector<CheckedRun>* checked = nullptr);
// Their fingerprints. Findings without one are problems: an older version wrote them.
std::set<std::string> fingerprints_of(const std::vector<ReportLine>& lines, const std::string& file_name,
                                      std::vector<std::string>& problems);

// Moves what is known out of the verdict's bugs.
void set_known_aside(Verdict& verdict, Suppressions& suppressions, const std::set<std::string>& baseline);

}  // namespace shaderqa
#endif
