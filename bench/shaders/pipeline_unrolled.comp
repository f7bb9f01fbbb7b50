// A blur of 7 x 7 neighbours, with hints to unroll its loops: two sites, one of them in two loops.
#version 460
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1, std430) buffer To { uint to[]; };
void main() {
  uint i = gl_GlobalInvocationID.x, sum = 0u;
  [[unroll]] for (uint y = 0u; y < 7u; ++y)
    [[unroll]] for (uint x = 0u; x < 7u; ++x) sum += from[(i + y * 256u + x) & 0xffffu] * (x ^ y);
  to[i] = sum;
}
// SPDX-License-Identifier: Apache-2.0
