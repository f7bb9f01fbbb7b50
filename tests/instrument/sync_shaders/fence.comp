// The last workgroup sums up: what its fence orders, the filter cannot see.
#version 450
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) buffer Sums {
  uint done;
  float total;
  float parts[];
} sums;
void main() {
  sums.parts[gl_WorkGroupID.x] = 1.0;
  memoryBarrierBuffer();
  if (atomicAdd(sums.done, 1u) == gl_NumWorkGroups.x - 1u) {
    float total = 0.0;
    for (uint i = 0u; i < gl_NumWorkGroups.x; ++i) total += sums.parts[i];
    sums.total = total;
  }
}
// SPDX-License-Identifier: Apache-2.0
