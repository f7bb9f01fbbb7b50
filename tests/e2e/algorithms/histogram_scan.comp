// The inclusive sums of 64 bins, between two rows of a buffer.
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Bins { uint bins[]; };
layout(set = 0, binding = 1) coherent buffer Rows { uint rows[]; };

void main() {
  uint l = gl_LocalInvocationID.x;
  uint row = 0u;
  uint sum = bins[l];
  rows[l] = sum;
  [[dont_unroll]] for (uint step = 1u; step < 64u; step *= 2u) {
    memoryBarrierBuffer(); barrier();  //- step
    if (l >= step) sum += rows[row * 64u + l - step];
    row ^= 1u;
    rows[row * 64u + l] = sum;
  }
}
// SPDX-License-Identifier: Apache-2.0
