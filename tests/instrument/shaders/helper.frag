#version 460
#extension GL_EXT_debug_printf : require
layout(location = 0) out vec4 color;
void main() {
  if (!gl_HelperInvocation) debugPrintfEXT("pixel %v2f", gl_FragCoord.xy);
  color = vec4(1);
}
// SPDX-License-Identifier: Apache-2.0
