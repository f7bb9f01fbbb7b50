// SPDX-License-Identifier: Apache-2.0
#version 460
layout(set = 0, binding = 0) uniform sampler2D lit;
layout(set = 0, binding = 1) uniform sampler2D bloom;
layout(location = 0) out vec4 colour;
void main() {
  vec4 sum = texelFetch(lit, ivec2(gl_FragCoord.xy), 0);
  sum += textureLod(bloom, gl_FragCoord.xy / vec2(textureSize(lit, 0)), 0.0) * 0.2;
  colour = sum / (1.0 + sum);
}
