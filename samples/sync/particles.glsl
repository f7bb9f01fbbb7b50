// SPDX-License-Identifier: Apache-2.0
// What the passes of a frame share.
layout(local_size_x = 256) in;
struct Particle {
  uint position;  // on a ring of 65536 places
  uint velocity;
};
layout(set = 0, binding = 0, std430) buffer Particles { Particle particles[]; };
layout(set = 0, binding = 1, std430) buffer Counts { uint counts[]; };
layout(set = 0, binding = 2, std430) buffer Ends { uint ends[]; };
layout(set = 0, binding = 3, std430) buffer Sorted { uint sorted[]; };
layout(push_constant) uniform Push { uint bug; };
const uint kNoBarrierInScan = 2u, kReadsNeighbour = 3u;
const uint kRing = 65536u, kReach = 64u;
uint cell_of(uint position) { return position >> 8u; }
