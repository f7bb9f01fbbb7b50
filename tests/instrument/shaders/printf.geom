#version 460
#extension GL_EXT_debug_printf : require
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
void main() {
  for (int i = 0; i < 3; ++i) {
    debugPrintfEXT("geometry %d of %d", i, gl_PrimitiveIDIn);
    gl_Position = gl_in[i].gl_Position;
    EmitVertex();
  }
}
// SPDX-License-Identifier: Apache-2.0
