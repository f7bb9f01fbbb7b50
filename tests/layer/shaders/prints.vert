#version 460
#extension GL_EXT_debug_printf : require
void main() {
  debugPrintfEXT("vertex %d", gl_VertexIndex);
  gl_Position = vec4(0);
}
// SPDX-License-Identifier: Apache-2.0
