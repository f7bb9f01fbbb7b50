// Stores the positions in the order of their cells. Afterwards `ends` says where each cell ends.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "samples/sync/particles.glsl"
void main() {
  uint position = particles[gl_GlobalInvocationID.x].position;
  sorted[atomicAdd(ends[cell_of(position)], 1u)] = position;
}
// SPDX-License-Identifier: Apache-2.0
