// SPDX-License-Identifier: Apache-2.0
// The details of a failed check: its sentence, and its members in the JSON line.
#ifndef SHADERQA_HOST_FINDINGS_CHECK_TEXT_H
#define SHADERQA_HOST_FINDINGS_CHECK_TEXT_H

#include <string>

#include "host/findings/check_details.h"
#include "instrument/shader_record.h"

namespace shaderqa {

// The finding's sentence. source, entry_point: the finding's own.
std::string check_sentence(const CheckDetails& details, const SourcePosition& source,
                           const std::string& entry_point);
// How the sentence about a number ends that was stored, in front of the source line.
inline constexpr const char* kIsStored = " is stored";
// Members of the finding's object, each with a comma in front.
void append_check_json(std::string& out, const CheckDetails& details, const SourcePosition& source);

}  // namespace shaderqa
#endif
