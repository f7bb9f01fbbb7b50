// Computes where each cell begins in the sorted list, by a prefix sum in memory of one workgroup.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "samples/sync/particles.glsl"
void order() {
  if (bug != kNoBarrierInScan) {
    memoryBarrierBuffer();
    barrier();
  }
}
void main() {
  uint l = gl_LocalInvocationID.x;
  ends[l] = l == 0u ? 0u : counts[l - 1u];
  for (uint step = 1u; step < 256u; step *= 2u) {
    order();
    uint before = l >= step ? ends[l - step] : 0u;
    order();
    ends[l] += before;
  }
}
// SPDX-License-Identifier: Apache-2.0
