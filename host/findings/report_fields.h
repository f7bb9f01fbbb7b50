// SPDX-License-Identifier: Apache-2.0
// The pieces that blocks and JSON lines of findings are made of.
#ifndef SHADERQA_HOST_FINDINGS_REPORT_FIELDS_H
#define SHADERQA_HOST_FINDINGS_REPORT_FIELDS_H

#include <cstdint>
#include <string>
#include <string_view>

namespace shaderqa {

void append_number(std::string& out, uint64_t number);
void append_hex(std::string& out, uint64_t number);  // 0x and as many digits as it needs
// Appends `,"key":"value"`, escaped; nothing if the value is empty.
void append_member(std::string& out, std::string_view key, std::string_view value);
void append_number_member(std::string& out, std::string_view key, uint64_t value);
// An indented line of a block.
void append_detail(std::string& out, std::string_view lead, std::string_view value);

}  // namespace shaderqa
#endif
