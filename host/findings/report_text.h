// SPDX-License-Identifier: Apache-2.0
// The writers: a finding as a block of text for people and as a line of the report file.
#ifndef SHADERQA_HOST_FINDINGS_REPORT_TEXT_H
#define SHADERQA_HOST_FINDINGS_REPORT_TEXT_H

#include <string>

#include "host/findings/bug_block.h"
#include "host/findings/report.h"

namespace shaderqa {

// The finding's message or sentence.
std::string finding_text(const Finding& finding);
// Appends "shaderqa: <kind>: <text>\n" and indented lines for what is known about where it comes from: of a
// failed check always (bug_block), of messages and notes if style.details.
void append_block(std::string& out, const Finding& finding, const BlockStyle& style);
// The indented lines alone.
void append_details(std::string& out, const Finding& finding, const BlockStyle& style);
// Appends one JSON object and a newline.
void append_json_line(std::string& out, const Finding& finding);

}  // namespace shaderqa
#endif
