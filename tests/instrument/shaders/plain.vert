#version 460
#extension GL_EXT_debug_printf : require
layout(location = 0) in vec3 position;
void main() {
  debugPrintfEXT("at %v3f", position);
  gl_Position = vec4(position, 1);
}
// SPDX-License-Identifier: Apache-2.0
