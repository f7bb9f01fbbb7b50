// SPDX-License-Identifier: Apache-2.0
// Which vertex attributes a vertex shader reads, told from its words alone.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_VERTEX_INPUTS_H
#define SHADERQA_INSTRUMENT_ACCESSES_VERTEX_INPUTS_H

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace shaderqa {

constexpr uint32_t vertex_locations = 64;

// By location: how many components of the attribute are read, counted from its first. Of locations beyond,
// and of inputs that are not understood, nothing is said.
using VertexInputs = std::array<uint8_t, vertex_locations>;

struct VertexEntryPoint {
  std::string name;
  VertexInputs inputs{};
};

// Those of stage vertex. An input counts where a function that the entry point calls names it, executed or
// not. Nothing on malformed input.
std::vector<VertexEntryPoint> vertex_entry_points(std::span<const uint32_t> words);

}  // namespace shaderqa
#endif
