// Each particle moves on, faster where it is crowded.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "samples/sync/particles.glsl"
void main() {
  uint i = gl_GlobalInvocationID.x;
  Particle me = particles[i];
  uint cell = cell_of(me.position), near = 0u;
  for (uint n = ends[cell] - counts[cell]; n < ends[cell]; ++n)
    if (sorted[n] + kReach >= me.position && sorted[n] <= me.position + kReach) ++near;
  if (bug == kReadsNeighbour) near += particles[(i + 1u) % particles.length()].position & 1u;
  me.position = (me.position + me.velocity + near) % kRing;
  me.velocity = (me.velocity * 5u + near) % 97u;
  particles[i] = me;
}
// SPDX-License-Identifier: Apache-2.0
