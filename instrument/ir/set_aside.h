// SPDX-License-Identifier: Apache-2.0
// Applications are newer than libraries: instructions before the first type that this SPIRV-Tools does not
// know are taken out before it parses the module, and put back verbatim into its output. That is safe because
// nothing here renumbers ids.
#ifndef SHADERQA_INSTRUMENT_IR_SET_ASIDE_H
#define SHADERQA_INSTRUMENT_IR_SET_ASIDE_H

#include <cstdint>
#include <vector>

#include "instrument/ir/module_view.h"
#include "spirv-tools/libspirv.h"

namespace shaderqa {

// sources: an OpSource of an unknown language stays, as one of no language.
enum class ModuleSection : uint8_t { capabilities, execution_modes, annotations, sources };

struct SetAside {
  ModuleSection section;
  std::vector<uint32_t> words;
};

// Moves what `context` does not know out of `words` (the rest is returned) and into `aside`.
std::vector<uint32_t> set_aside_unknown(spv_const_context context, Words words, std::vector<SetAside>& aside);

// Puts them back at the end of their sections. Execution modes of functions other than `entry_point` are
// dropped with their entry points.
void put_back(const std::vector<SetAside>& aside, uint32_t entry_point, std::vector<uint32_t>& words);

}  // namespace shaderqa
#endif
