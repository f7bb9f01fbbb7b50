#version 460
#extension GL_EXT_debug_printf : require
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Data { mat4 values[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  debugPrintfEXT("16 %v4f", values[i]);
  debugPrintfEXT("17 %v4f %u", values[i], i);
  debugPrintfEXT("48 %v4f %v4f %v4f", values[i], values[i + 1u], values[i + 2u]);
}
// SPDX-License-Identifier: Apache-2.0
