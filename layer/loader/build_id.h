// SPDX-License-Identifier: Apache-2.0
// What tells this build of the layer from every other: results of rewriting are only reused by the same one.
#ifndef SHADERQA_LAYER_LOADER_BUILD_ID_H
#define SHADERQA_LAYER_LOADER_BUILD_ID_H

#include <string>

namespace shaderqa::layer {

// The linker's hash of the library's contents. Empty: it was linked without one.
std::string build_id();

}  // namespace shaderqa::layer
#endif
