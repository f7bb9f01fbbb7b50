// A reduction in a buffer: the workgroup's barrier orders it.
#version 450
layout(local_size_x = 64) in;
layout(std430, set = 2, binding = 5) buffer Data { float data[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint l = gl_LocalInvocationIndex;
  for (uint step = 32u; step > 0u; step >>= 1u) {
    memoryBarrierBuffer();
    barrier();
    if (l < step) data[i] += data[i + step];
  }
}
// SPDX-License-Identifier: Apache-2.0
