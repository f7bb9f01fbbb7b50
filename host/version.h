// SPDX-License-Identifier: Apache-2.0
// The version of all parts: that of project() in the topmost CMakeLists.txt.
#ifndef SHADERQA_HOST_VERSION_H
#define SHADERQA_HOST_VERSION_H

#include <cstdint>

namespace shaderqa {

const char* version();  // "1.2.3"
// The same as one increasing number, 10203, because the Vulkan loader takes a layer's version as an integer.
uint32_t version_number();

}  // namespace shaderqa
#endif
