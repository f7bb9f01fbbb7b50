// The exclusive sums of 256 counts, in place.
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) coherent buffer Counts { uint counts[]; };

void main() {
  uint l = gl_LocalInvocationID.x;
  uint own = counts[l];
  uint sum = own;
  [[dont_unroll]] for (uint step = 1u; step < 256u; step *= 2u) {
    memoryBarrierBuffer(); barrier();  //- stored
    uint before = l >= step ? counts[l - step] : 0u;
    memoryBarrierBuffer(); barrier();  //- loaded
    sum += before;
    counts[l] = sum;
  }
  counts[l] = sum - own;
}
// SPDX-License-Identifier: Apache-2.0
