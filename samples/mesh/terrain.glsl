// SPDX-License-Identifier: Apache-2.0
// What task and mesh shaders share: the terrain in tiles, of which only those are drawn that are near enough.
#extension GL_EXT_mesh_shader : require
#extension GL_GOOGLE_include_directive : require
#include "planted.glsl"

const uint tiles = 8u;       // along each side of the terrain
const uint tile_cells = 4u;  // along each side of a tile

struct Tiles {
  uint count;
  uint numbers[tiles];
};

layout(set = 0, binding = 0, std430) readonly buffer Heights { float heights[]; };
layout(set = 0, binding = 1, std430) buffer Statistics { uint drawn[]; };  // by tile: triangles

float height(const uvec2 at) { return heights[at.y * (tiles * tile_cells + 1u) + at.x]; }
