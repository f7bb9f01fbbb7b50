// SPDX-License-Identifier: Apache-2.0
// A trace as one HTML page that needs nothing else: a timeline of steps, the source beside the SPIR-V, and
// values.
#ifndef SHADERQA_REPLAY_HTML_PAGE_H
#define SHADERQA_REPLAY_HTML_PAGE_H

#include <string>

#include "replay/debugger.h"

namespace shaderqa {

// title: for the window, as the name of the file.
std::string html_page(const Debugger& debugger, const std::string& title);

}  // namespace shaderqa
#endif
