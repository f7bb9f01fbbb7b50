// SPDX-License-Identifier: Apache-2.0
// The check sites of a shader as one line of text, for the process that reads reports after the program's
// end.
#ifndef SHADERQA_HOST_FINDINGS_CHECK_METADATA_H
#define SHADERQA_HOST_FINDINGS_CHECK_METADATA_H

#include <optional>
#include <string>
#include <string_view>

#include "instrument/shader_record.h"

namespace shaderqa {

// One JSON object, one line, newline included.
std::string write_check_metadata(const ShaderRecord& record);
// Nothing if the line is damaged.
std::optional<ShaderRecord> read_check_metadata(std::string_view line);

}  // namespace shaderqa
#endif
