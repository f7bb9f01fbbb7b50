// SPDX-License-Identifier: Apache-2.0
// Identifies this build of the layer: rewritten shaders are reused only by the build that made them.
#ifndef SHADERQA_LAYER_LOADER_BUILD_ID_H
#define SHADERQA_LAYER_LOADER_BUILD_ID_H

#include <string>

namespace shaderqa::layer {

// The linker's hash of the library's contents. Empty if the library was linked without one.
std::string build_id();

}  // namespace shaderqa::layer
#endif
