#version 460
#extension GL_KHR_shader_subgroup_basic : require
layout(vertices = 3) out;
layout(set=0,binding=0,std430) coherent buffer Data { uint data[]; };
layout(set=0,binding=1,std430) coherent buffer Result { uint result[]; };
void main() {
  uint own = uint(gl_InvocationID);
  data[own] = own + 1u;
  memoryBarrierBuffer();
  barrier();
  result[own] = data[(own + 1u) % 3u];
  subgroupBarrier();
  result[own] += data[(own + 2u) % 3u];
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
}
// SPDX-License-Identifier: Apache-2.0
