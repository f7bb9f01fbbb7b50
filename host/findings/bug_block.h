// SPDX-License-Identifier: Apache-2.0
// One bug, one block: what a person reads of a finding. Made from the line of the report file, so that it
// says nothing that the report does not have.
#ifndef SHADERQA_HOST_FINDINGS_BUG_BLOCK_H
#define SHADERQA_HOST_FINDINGS_BUG_BLOCK_H

#include <cstddef>
#include <cstdint>
#include <string>

#include "host/findings/report_line.h"

namespace shaderqa {

struct BlockStyle {
  bool color = false;
  size_t width = 0;         // columns to wrap at; 0: lines are not wrapped
  bool details = false;     // handles, words, addresses, hashes
  std::string folder = {};  // paths below it are shown without it
  bool advice = true;       // how to compile shaders with lines, where a shader has none
};
// The style for what a descriptor is: a terminal has colours (unless NO_COLOR is set) and a width. The folder
// is the working directory.
BlockStyle style_of(int descriptor);

// Each line but the first is indented, and the last one ends with a newline. occurrences: 0 if not known.
std::string bug_block(const ReportLine& line, uint64_t occurrences, const BlockStyle& style);
// Its first line, with the place; for what is shown while the program runs. folder: as in BlockStyle.
std::string bug_headline(const ReportLine& line, const std::string& folder = {});
// Whether its block has the advice, which is worth reading once.
bool lacks_lines(const ReportLine& line);

}  // namespace shaderqa
#endif
