// Atomics on integers, and a function that gets its buffer from two places.
#version 450
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer Counters {
  uint total;
  int lowest;
  uint bins[];
} counters;
shared uint local_total;
uint bump(uint bin) { return atomicAdd(counters.bins[bin], 1u); }
void main() {
  if (gl_LocalInvocationIndex == 0u) local_total = 0u;
  barrier();
  atomicAdd(local_total, 1u);
  bump(gl_GlobalInvocationID.x & 7u);
  atomicMin(counters.lowest, int(gl_GlobalInvocationID.x));
  atomicCompSwap(counters.total, 3u, 4u);
  barrier();
}
// SPDX-License-Identifier: Apache-2.0
