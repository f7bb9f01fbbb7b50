#version 460
#extension GL_EXT_debug_printf : require
layout(vertices = 3) out;
void main() {
  debugPrintfEXT("control %d", gl_PrimitiveID);
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  gl_TessLevelOuter[0] = 1.0;
}
// SPDX-License-Identifier: Apache-2.0
