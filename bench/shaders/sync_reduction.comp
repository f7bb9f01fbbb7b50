// Sum: eight loads an invocation, a tree in shared memory, one atomic a workgroup.
#version 460
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1, std430) buffer To { uint to[]; };
shared uint sums[256];
void main() {
  uint l = gl_LocalInvocationID.x, sum = 0u;
  for (uint n = 0u; n < 8u; ++n) sum += from[gl_WorkGroupID.x * 2048u + n * 256u + l];
  sums[l] = sum;
  barrier();
  for (uint step = 128u; step != 0u; step >>= 1u) {
    if (l < step) sums[l] += sums[l + step];
    barrier();
  }
  if (l == 0u) atomicAdd(to[0], sums[0]);
}
// SPDX-License-Identifier: Apache-2.0
