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

// By location: how many components of the attribute are read, counted from its first. Higher locations and
// inputs that are not understood are left out.
using VertexInputs = std::array<uint8_t, vertex_locations>;

struct VertexEntryPoint {
  std::string name;
  VertexInputs inputs{};
};

// Vertex entry points only. An input counts if a function that the entry point calls names it, whether or not
// that code runs. Empty on malformed input.
std::vector<VertexEntryPoint> vertex_entry_points(std::span<const uint32_t> words);

}  // namespace shaderqa
#endif
