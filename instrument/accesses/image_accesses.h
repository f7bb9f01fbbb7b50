// SPDX-License-Identifier: Apache-2.0
// Finds the instructions that access texels of images, other than those of texel buffers.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_IMAGE_ACCESSES_H
#define SHADERQA_INSTRUMENT_ACCESSES_IMAGE_ACCESSES_H

#include <cstdint>
#include <span>
#include <vector>

#include "instrument/accesses/pointer_roots.h"
#include "instrument/ir/placed_instructions.h"

namespace shaderqa {

struct ImageAccess {
  PlacedInstruction at;
  uint32_t access = 0;  // SQA_ACCESS_*
  ResolvedPointer place;
  uint32_t image_type = 0;  // id of the OpTypeImage
  uint32_t coordinate = 0;  // id; of texels, or normalised
  bool input = false;       // of a subpass: the coordinate counts from the fragment
  bool sampled = false;     // by normalised coordinates
  bool projected = false;   // which the next component divides
  bool gathered = false;    // of the first level
  bool derived = false;     // its level comes from derivatives ...
  bool implicit = false;    // ... of the coordinates, and nothing changes it
  bool own = false;         // SQA_ACCESS_OWN
  // Ids; 0: there is none.
  uint32_t level = 0, sample = 0, offset = 0;
};

struct ImageAccesses {
  std::vector<ImageAccess> accesses;
  uint32_t unknown_place = 0;  // accesses that are left out: it is not known which image they are to
  uint32_t unfollowed = 0;     // or which texel: gathers with four offsets
};

ImageAccesses find_image_accesses(const ModuleView& module, std::span<const PlacedInstruction> placed,
                                  PointerRoots& roots);

}  // namespace shaderqa
#endif
