// SPDX-License-Identifier: Apache-2.0
// A triangle for each particle.
#version 450
#extension GL_EXT_debug_printf : require
layout(push_constant) uniform Push { uint frame; };
layout(set = 0, binding = 1) readonly buffer Particles { vec2 particles[]; };
layout(location = 0) flat out uint number;

void main() {
  number = gl_InstanceIndex;
  const vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 0.02;
  gl_Position = vec4(particles[gl_InstanceIndex] * 2.0 - 1.0 + corner, 0.5, 1.0);
  if (gl_InstanceIndex == 0 && gl_VertexIndex == 0) debugPrintfEXT("drawn %u", frame);
}
