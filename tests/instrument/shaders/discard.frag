#version 460
#extension GL_EXT_debug_printf : require
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(binding = 0) uniform sampler2D image;
void maybe(float x) { if (x > 0.5) { debugPrintfEXT("discard %f", x); discard; } }
void main() {
  vec4 texel = texture(image, uv);
  maybe(texel.x);
  debugPrintfEXT("texel %v4f at %v2f", texel, gl_FragCoord.xy);
  color = texel * dFdx(uv.x);
}
// SPDX-License-Identifier: Apache-2.0
