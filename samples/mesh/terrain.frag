#version 460
#define STAGE 2
#extension GL_EXT_mesh_shader : require
#extension GL_GOOGLE_include_directive : require
#include "planted.glsl"

layout(location = 0) in float steepness;
layout(location = 1) perprimitiveEXT flat in uint number;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 2, std430) buffer Fragments { uint fragments[]; };

void main() {
  bool chosen = uvec2(gl_FragCoord.xy) == uvec2(40, 30);
  plant(chosen, number);
  if (planted_print(chosen)) debugPrintfEXT("fragment %.1v2f of triangle %u", gl_FragCoord.xy, number);
  atomicAdd(fragments[number], 1u);
  colour = mix(vec4(0.2, 0.6, 0.2, 1.0), vec4(0.6, 0.5, 0.4, 1.0), min(steepness * 3.0, 1.0));
}
// SPDX-License-Identifier: Apache-2.0
