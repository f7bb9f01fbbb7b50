#include "instrument/range_access.h"

#include "instrument/runtime/range_access.h"

namespace shaderqa {

std::span<const uint32_t> range_access_shader() { return range_access; }

}  // namespace shaderqa
