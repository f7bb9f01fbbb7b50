// One granule of 16 bytes an invocation, none twice.
#version 460
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) buffer To { uvec4 to[]; };
layout(push_constant) uniform Push { uint first, count; };
void main() {
  if (gl_GlobalInvocationID.x < count) to[first + gl_GlobalInvocationID.x] = uvec4(1u);
}
// SPDX-License-Identifier: Apache-2.0
