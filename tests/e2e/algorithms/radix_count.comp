// How often each workgroup's 64 keys have each digit: counts[digit][workgroup].
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Keys { uint keys[]; };
layout(set = 0, binding = 1) coherent buffer Counts { uint counts[]; };
layout(push_constant) uniform Push { uint shift; };

void main() {
  uint l = gl_LocalInvocationID.x;
  uint group = gl_WorkGroupID.x, groups = gl_NumWorkGroups.x;
  if (l < 16u) counts[l * groups + group] = 0u;
  memoryBarrierBuffer(); barrier();  //- zeroed
  uint digit = (keys[group * 64u + l] >> shift) & 15u;
  atomicAdd(counts[digit * groups + group], 1u);  //~ count: counts[digit * groups + group]++;
}
// SPDX-License-Identifier: Apache-2.0
