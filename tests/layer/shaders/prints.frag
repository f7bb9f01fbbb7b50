#version 460
#extension GL_EXT_debug_printf : require
layout(location = 0) out vec4 color;
void main() {
  debugPrintfEXT("fragment %f", gl_FragCoord.x);
  color = vec4(1);
}
// SPDX-License-Identifier: Apache-2.0
