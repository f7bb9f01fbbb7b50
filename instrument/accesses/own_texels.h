// SPDX-License-Identifier: Apache-2.0
// Finds stores to texels of an image that no other invocation of a grid of workgroups touches: their
// coordinates are GlobalInvocationID.xy, and the shader accesses the image in no other way.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_OWN_TEXELS_H
#define SHADERQA_INSTRUMENT_ACCESSES_OWN_TEXELS_H

#include "instrument/accesses/image_accesses.h"
#include "instrument/accesses/invocation_indices.h"
#include "instrument/ir/decorations.h"
#include "instrument/ir/module_view.h"

namespace shaderqa {

// Sets ImageAccess::own. Other descriptors of the same image, and whether the workgroups are one layer, the
// layer knows (SQA_REACH_TEXEL). constants: what is known of an integer.
void find_own_texels(ImageAccesses& images, const ModuleView& module, const Decorations& decorations,
                     const EntryPoint& entry_point, const InvocationIndices::Constants& constants);

}  // namespace shaderqa
#endif
