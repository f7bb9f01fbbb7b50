#version 460
#extension GL_EXT_debug_printf : require
#extension GL_EXT_demote_to_helper_invocation : require
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
void main() {
  if (uv.x > 0.5) demote;
  debugPrintfEXT("uv %v2f helper %d", uv, helperInvocationEXT());
  color = vec4(dFdx(uv.x));
}
// SPDX-License-Identifier: Apache-2.0
