// SPDX-License-Identifier: Apache-2.0
// Commands on report files: `shaderqa diff` and `shaderqa report`. They return the exit code: 2 if a file
// cannot be used.
#ifndef SHADERQA_TOOLS_REPORTS_H
#define SHADERQA_TOOLS_REPORTS_H

#include <string>
#include <vector>

namespace shaderqa {

// Bugs that only one of the two has. 0: none, 1: some.
int diff_reports(const std::string& before, const std::string& after);

struct ReportRequest {
  std::vector<std::string> files;
  std::string sarif, junit, html;  // where to write; empty: not wanted
  std::string shaders;             // folder of the setting dump_dir, for the page; empty: none
};
// Without a file to write, the bugs' blocks go to stdout.
int convert_reports(const ReportRequest& request);

}  // namespace shaderqa
#endif
