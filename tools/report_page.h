// SPDX-License-Identifier: Apache-2.0
// Report files as one HTML page that needs nothing else: findings by bug, shader, pipeline and buffer, with
// the source beside the SPIR-V, the commands around them, and what was checked.
#ifndef SHADERQA_TOOLS_REPORT_PAGE_H
#define SHADERQA_TOOLS_REPORT_PAGE_H

#include <string>
#include <vector>

#include "host/summary/checked_run.h"

namespace shaderqa {

struct ReportPage {
  std::string title;
  std::vector<ReportLine> lines;  // of all files
  std::vector<CheckedRun> checked;
  std::vector<Bug> bugs;
  std::string shader_folder;  // of the setting dump_dir; empty: there is none
};

// notes: what is not on the page, for the person who asked for it.
std::string report_page(const ReportPage& page, std::vector<std::string>& notes);

}  // namespace shaderqa
#endif
