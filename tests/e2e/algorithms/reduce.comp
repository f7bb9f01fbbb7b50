// One level of a tree reduction: each workgroup adds up 256 values, in a buffer.
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Values { uint values[]; };
layout(set = 0, binding = 1) coherent buffer Partial { uint partial[]; };
layout(set = 0, binding = 2) buffer Sums { uint sums[]; };
layout(push_constant) uniform Push { uint count; };

void main() {
  uint l = gl_LocalInvocationID.x;
  uint base = gl_WorkGroupID.x * 64u;
  uint sum = 0u;
  [[dont_unroll]] for (uint n = 0u; n < 4u; ++n) {
    uint at = gl_WorkGroupID.x * 256u + n * 64u + l;
    if (at < count) sum += values[at];
  }
  partial[base + l] = sum;
  [[dont_unroll]] for (uint step = 32u; step > 1u; step >>= 1u) {
    memoryBarrierBuffer(); barrier();  //- tree
    if (l < step) {
      sum += partial[base + l + step];
      partial[base + l] = sum;
    }
  }
  memoryBarrierBuffer(); barrier();  //- top
  if (l == 0u) sums[gl_WorkGroupID.x] = sum + partial[base + 1u];
}
// SPDX-License-Identifier: Apache-2.0
