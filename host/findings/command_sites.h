// SPDX-License-Identifier: Apache-2.0
// The sites of memory that commands access by themselves (instrument/runtime/range_access.glsl), as a shader
// record that a CheckTable takes.
#ifndef SHADERQA_HOST_FINDINGS_COMMAND_SITES_H
#define SHADERQA_HOST_FINDINGS_COMMAND_SITES_H

#include "instrument/shader_record.h"

namespace shaderqa {

ShaderRecord command_access_record();
// Whether a record is this one. Cells name commands without a tag.
bool is_command_access_record(const ShaderRecord& record);

}  // namespace shaderqa
#endif
