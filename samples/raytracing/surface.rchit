#version 460
#define STAGE 3
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"

layout(location = 0) rayPayloadInEXT Light light;
layout(location = 1) rayPayloadEXT float sunlight;
layout(location = 0) callableDataEXT Surface surface;
hitAttributeEXT vec3 hit_normal;  // of spheres, the normal; of triangles, barycentric coordinates

void main() {
  uint depth = light.depth;
  bool chosen = gl_LaunchIDEXT.xy == uvec2(32, 24) && depth == 1u;
  visit(chosen);
  if (planted_print(chosen)) debugPrintfEXT("closest hit %v2u, instance %d", gl_LaunchIDEXT.xy, gl_InstanceCustomIndexEXT);
  bool sphere = gl_HitKindEXT != gl_HitKindFrontFacingTriangleEXT && gl_HitKindEXT != gl_HitKindBackFacingTriangleEXT;
  vec3 normal = sphere ? hit_normal : vec3(0.0, 1.0, 0.0);
  surface.point = gl_WorldRayOriginEXT + gl_WorldRayDirectionEXT * gl_HitTEXT;
  surface.colour = vec3(0.0);
  // Lanes side by side see other things, and so call other shaders.
  executeCallableEXT(sphere ? 1u : 0u, 0);
  vec3 colour = surface.colour;
  sunlight = 0.0;
  if (depth < deepest) {
    traceRayEXT(scene, gl_RayFlagsTerminateOnFirstHitEXT | gl_RayFlagsSkipClosestHitShaderEXT, 0xff, 0, 0, 1,
                surface.point, 0.01, sun, 100.0, 1);
  }
  vec3 lit = colour * (0.3 + 0.7 * sunlight * max(dot(normal, sun), 0.0));
  if (depth < deepest) {
    light.depth = depth + 1u;
    traceRayEXT(scene, gl_RayFlagsNoneEXT, 0xff, 0, 0, 0, surface.point, 0.01,
                reflect(gl_WorldRayDirectionEXT, normal), 100.0, 0);
    lit = mix(lit, light.colour, sphere ? 0.5 : 0.2);
  }
  light = Light(lit, depth);
}
// SPDX-License-Identifier: Apache-2.0
