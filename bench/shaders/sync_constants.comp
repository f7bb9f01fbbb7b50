// 16 reads of constants and one store an invocation.
#version 460
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly buffer To { uint to[]; };
layout(set = 0, binding = 1, std140) uniform Constants { uvec4 constants[1024]; };
void main() {
  uint sum = 0u;
  for (uint i = 0u; i < 16u; ++i) sum += constants[(gl_GlobalInvocationID.x + i * 67u) & 1023u].x;
  to[gl_GlobalInvocationID.x] = sum;
}
// SPDX-License-Identifier: Apache-2.0
