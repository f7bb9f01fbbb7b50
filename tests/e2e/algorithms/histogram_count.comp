// How many values fall into each of 64 bins: each workgroup's own counts first, then everybody's.
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Values { uint values[]; };
layout(set = 0, binding = 1) coherent buffer Own { uint own[]; };
layout(set = 0, binding = 2) coherent buffer Bins { uint bins[]; };
layout(push_constant) uniform Push { uint count; };

void main() {
  uint l = gl_LocalInvocationID.x;
  uint first = gl_WorkGroupID.x * 64u;
  own[first + l] = 0u;
  memoryBarrierBuffer(); barrier();  //- zeroed
  [[dont_unroll]] for (uint at = gl_GlobalInvocationID.x; at < count; at += 64u * gl_NumWorkGroups.x) {
    atomicAdd(own[first + (values[at] & 63u)], 1u);  //~ count: own[first + (values[at] & 63u)]++;
  }
  memoryBarrierBuffer(); barrier();  //- counted
  uint mine = own[first + l];
  atomicAdd(bins[l], mine);  //~ add_up: bins[l] += mine;
}
// SPDX-License-Identifier: Apache-2.0
