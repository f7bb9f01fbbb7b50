// Prefix sum of each workgroup's 256 values, in memory, with the workgroup's barriers.
#version 460
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1, std430) buffer To { uint to[]; };
void main() {
  uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
  to[i] = from[i];
  for (uint step = 1u; step < 256u; step *= 2u) {
    memoryBarrierBuffer();
    barrier();
    uint before = l >= step ? to[i - step] : 0u;
    memoryBarrierBuffer();
    barrier();
    to[i] += before;
  }
}
// SPDX-License-Identifier: Apache-2.0
