// SPDX-License-Identifier: Apache-2.0
// Text for manual pages.
#ifndef SHADERQA_HOST_TEXT_TROFF_H
#define SHADERQA_HOST_TEXT_TROFF_H

#include <string>
#include <string_view>

namespace shaderqa {

// With nothing in it that troff takes for a command of its own.
std::string troff_text(std::string_view text);
std::string troff_bold(std::string_view text);
std::string troff_italic(std::string_view text);
// The first lines of a page.
std::string troff_title(std::string_view name, std::string_view section, std::string_view version);

}  // namespace shaderqa
#endif
