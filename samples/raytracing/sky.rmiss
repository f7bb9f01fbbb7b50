#version 460
#define STAGE 4
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"

layout(location = 0) rayPayloadInEXT Light light;

void main() {
  bool chosen = gl_LaunchIDEXT.xy == uvec2(2, 1) && light.depth == 1u;
  visit(chosen);
  if (planted_print(chosen)) debugPrintfEXT("miss %v2u", gl_LaunchIDEXT.xy);
  light.colour = mix(vec3(0.9, 0.9, 1.0), vec3(0.3, 0.5, 0.9), clamp(gl_WorldRayDirectionEXT.y * 2.0, 0.0, 1.0));
}
// SPDX-License-Identifier: Apache-2.0
