// SPDX-License-Identifier: Apache-2.0
// A picture of half the size.
#version 460
layout(set = 0, binding = 0) uniform sampler2D whole;
layout(location = 0) out vec4 colour;
void main() { colour = textureLod(whole, gl_FragCoord.xy * 2.0 / vec2(textureSize(whole, 0)), 0.0); }
