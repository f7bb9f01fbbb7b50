// SPDX-License-Identifier: Apache-2.0
// Printf messages as findings, for what is decoded outside the program that printed it.
#ifndef SHADERQA_TOOLS_FINDINGS_H
#define SHADERQA_TOOLS_FINDINGS_H

#include <cstdint>
#include <span>
#include <string>

#include "host/findings/report.h"
#include "instrument/shader_record.h"

namespace shaderqa {

// The names of all kinds of findings, with blanks between.
std::string finding_kind_names();

Finding printf_finding(const PrintfSite& site, std::span<const uint32_t> payload, std::string text);

}  // namespace shaderqa
#endif
