// SPDX-License-Identifier: Apache-2.0
// The tests' shaders, compiled at build time from shaders/.
#ifndef SHADERQA_TESTS_LAYER_SHADERS_H
#define SHADERQA_TESTS_LAYER_SHADERS_H

#include <cstdint>
#include <vector>

namespace shaderqa::layer_tests {

using Words = std::vector<uint32_t>;

namespace shaders {
extern const Words accesses_comp, accesses_frag, accesses_rgen, accesses_address_comp, accesses_bytes_comp,
    accesses_twice_comp, assumes_comp, loads_frag, prints_comp, shared_comp, silent_comp, steps_comp,
    prints_vert, silent_vert, prints_frag, prints_rgen, prints_rmiss, vertices_vert;
}

// The id of the first message that the instrumented shader can print.
uint64_t site_id(const Words& words);

}  // namespace shaderqa::layer_tests
#endif
