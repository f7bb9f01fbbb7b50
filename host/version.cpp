// SPDX-License-Identifier: Apache-2.0
#include "host/version.h"

namespace shaderqa {

const char* version() { return SHADERQA_VERSION; }
uint32_t version_number() { return SHADERQA_VERSION_NUMBER; }

}  // namespace shaderqa
