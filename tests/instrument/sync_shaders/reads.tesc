// SPDX-License-Identifier: Apache-2.0
#version 450
layout(vertices = 3) out;
layout(std430, set = 0, binding = 0) readonly buffer Levels { float levels[]; };
void main() {
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  barrier();
  gl_TessLevelOuter[gl_InvocationID] = levels[gl_PrimitiveID];
}
