// Product of two square matrices of 256 columns, in tiles of 16.
#version 460
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0, std430) readonly buffer From { float from[]; };
layout(set = 0, binding = 1, std430) buffer To { float to[]; };
shared float a[16][16], b[16][16];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  uint tile_x = (gl_WorkGroupID.x & 15u) * 16u, tile_y = ((gl_WorkGroupID.x >> 4u) & 15u) * 16u;
  float sum = 0.0;
  for (uint tile = 0u; tile < 256u; tile += 16u) {
    a[y][x] = from[(tile_y + y) * 256u + tile + x];
    b[y][x] = from[65536u + (tile + y) * 256u + tile_x + x];
    barrier();
    for (uint n = 0u; n < 16u; ++n) sum += a[y][n] * b[n][x];
    barrier();
  }
  to[(tile_y + y) * 256u + tile_x + x] = sum;
}
// SPDX-License-Identifier: Apache-2.0
