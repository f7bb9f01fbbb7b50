// SPDX-License-Identifier: Apache-2.0
#include "host/text/troff.h"

namespace shaderqa {

std::string troff_text(std::string_view text) {
  std::string result;
  bool line_begins = true;
  for (const char c : text) {
    // A full stop or an apostrophe makes a line a request.
    if (line_begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c == '\'') {
      result += "\\(aq";
    } else {
      result += c;
    }
    line_begins = c == '\n';
  }
  return result;
}

std::string troff_bold(std::string_view text) { return "\\fB" + troff_text(text) + "\\fR"; }

std::string troff_italic(std::string_view text) { return "\\fI" + troff_text(text) + "\\fR"; }

std::string troff_title(std::string_view name, std::string_view section, std::string_view version) {
  return ".TH " + std::string(name) + " " + std::string(section) + " \"\" \"shaderqa " +
         std::string(version) + "\"\n.nh\n.ad l\n";
}

}  // namespace shaderqa
