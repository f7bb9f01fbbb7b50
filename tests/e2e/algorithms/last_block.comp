// A reduction in one dispatch: whoever finishes last adds up what the others left.
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Values { uint values[]; };
layout(set = 0, binding = 1) coherent buffer Partial { uint partial[]; };
layout(set = 0, binding = 2) coherent buffer State { uint finished; uint total; };
layout(push_constant) uniform Push { uint count; };
shared uint scratch[64];
shared bool last;

uint add_up(uint value) {
  uint l = gl_LocalInvocationID.x;
  scratch[l] = value;
  [[dont_unroll]] for (uint step = 32u; step != 0u; step >>= 1u) {
    barrier();  //= workgroup memory
    if (l < step) scratch[l] += scratch[l + step];
  }
  barrier();  //= workgroup memory
  uint sum = scratch[0];
  barrier();  //= workgroup memory
  return sum;
}

void main() {
  uint l = gl_LocalInvocationID.x;
  uint i = gl_GlobalInvocationID.x;
  uint sum = add_up(i < count ? values[i] : 0u);
  if (l == 0u) {
    partial[gl_WorkGroupID.x] = sum;
    memoryBarrierBuffer();  //- release
    uint ticket = atomicAdd(finished, 1u);  //~ ticket: uint ticket = finished; finished = ticket + 1u;
    last = ticket == gl_NumWorkGroups.x - 1u;
  }
  barrier();  //= workgroup memory
  if (!last) return;
  memoryBarrierBuffer();  //- acquire
  sum = 0u;
  [[dont_unroll]] for (uint n = l; n < gl_NumWorkGroups.x; n += 64u) sum += partial[n];
  sum = add_up(sum);
  if (l == 0u) total = sum;
}
// SPDX-License-Identifier: Apache-2.0
