#version 460
#extension GL_EXT_debug_printf : require
layout(triangles) in;
void main() {
  debugPrintfEXT("evaluation %v3f", gl_TessCoord);
  gl_Position = gl_in[0].gl_Position;
}
// SPDX-License-Identifier: Apache-2.0
