// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/ray_queries.h"

#include "instrument/ir/module_view.h"

namespace shaderqa {

bool queries_rays(Words words) {
  if (words.size() < header_words || words[0] != spv::MagicNumber) return false;
  bool found = false;
  for_each_instruction(words, header_words, [&](InstructionView i, uint32_t) {
    found = i.op() == spv::Op::OpRayQueryInitializeKHR;
    return !found;
  });
  return found;
}

}  // namespace shaderqa
