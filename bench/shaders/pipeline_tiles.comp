// A matrix product in which each invocation has TILE x TILE results in registers: few words and few sites, and much code once its
// loops are unrolled as they ask for.
#version 460
#extension GL_EXT_control_flow_attributes : require
const uint kDepth = 8u;
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Factors { uint factors[]; };
layout(set = 0, binding = 1, std430) buffer Products { uint products[]; };
shared uint left[kDepth * 64u], right[kDepth * 64u];
void main() {
  uint l = gl_LocalInvocationIndex, group = gl_WorkGroupID.x;
  uint sums[TILE * TILE];
  for (uint n = 0u; n < TILE * TILE; ++n) sums[n] = 0u;
  for (uint at = 0u; at < 64u; at += kDepth) {
    [[unroll]] for (uint k = 0u; k < kDepth; ++k) {
      left[k * 64u + l] = factors[(group * 64u + (at + k) * 64u + l) & 0xffffu];
      right[k * 64u + l] = factors[(group * 128u + (at + k) * 64u + l) & 0xffffu];
    }
    barrier();
    [[unroll]] for (uint k = 0u; k < kDepth; ++k)
      [[unroll]] for (uint y = 0u; y < TILE; ++y)
        [[unroll]] for (uint x = 0u; x < TILE; ++x)
          sums[y * TILE + x] += left[k * 64u + l / 8u * TILE + y] * right[k * 64u + l % 8u * TILE + x];
    barrier();
  }
  if (group >= 64u) return;
  [[unroll]] for (uint y = 0u; y < TILE; ++y)
    [[unroll]] for (uint x = 0u; x < TILE; ++x)
      products[group * 4096u + (l / 8u * TILE + y) * 64u + l % 8u * TILE + x] = sums[y * TILE + x];
}
// SPDX-License-Identifier: Apache-2.0
