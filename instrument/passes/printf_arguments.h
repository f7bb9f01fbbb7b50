// SPDX-License-Identifier: Apache-2.0
// The arguments of a DebugPrintf: what they are (for the host) and how they become dwords (packed as in
// LLPC's and XGL's printf buffer format).
#ifndef SHADERQA_INSTRUMENT_PASSES_PRINTF_ARGUMENTS_H
#define SHADERQA_INSTRUMENT_PASSES_PRINTF_ARGUMENTS_H

#include <cstdint>
#include <string>
#include <vector>

#include "instrument/ir/site_builder.h"
#include "instrument/shader_record.h"

namespace shaderqa {

// Describes the argument with this id. Returns why it cannot be printed; empty if it can.
std::string describe_argument(const ModuleView& module, uint32_t id, PrintfArgument& argument);

// Appends the ids of the uint values that make up an argument that describe_argument() took.
void flatten_argument(SiteBuilder& site, uint32_t id, std::vector<uint32_t>& dwords);
// The same of a value that the pass made.
void flatten_value(SiteBuilder& site, uint32_t type, uint32_t id, std::vector<uint32_t>& dwords);

}  // namespace shaderqa
#endif
