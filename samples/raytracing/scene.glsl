// SPDX-License-Identifier: Apache-2.0
// What all stages of the tracer share.
#extension GL_EXT_ray_tracing : require
#extension GL_GOOGLE_include_directive : require
#include "planted.glsl"

struct Light {
  vec3 colour;
  uint depth;  // of the ray that brings it; the first is 1
};
struct Surface {
  vec3 point;
  vec3 colour;  // what the callable shader makes of it
};

layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1, std430) buffer Picture { uint pixels[]; };
// Which stages each launch came through. Only that launch writes its element, so no atomics are needed.
layout(set = 0, binding = 2, std430) buffer Journal { uint journal[]; };

const vec3 sun = vec3(0.485, 0.728, 0.485);
const uint deepest = 2u;

uint launch() { return gl_LaunchIDEXT.y * gl_LaunchSizeEXT.x + gl_LaunchIDEXT.x; }

// One visit of this stage. chosen: of these it is the one that goes wrong on request.
void visit(const bool chosen) {
  journal[launch()] = journal[launch()] * 7u + uint(STAGE) + 1u;
  plant(chosen, launch());
}
