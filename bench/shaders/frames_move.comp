// SPDX-License-Identifier: Apache-2.0
// Particles move by what the frame brought. One invocation says which frame it is, and stores what is no number.
#version 450
#extension GL_EXT_debug_printf : require
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint frame; };
layout(set = 0, binding = 0) readonly buffer Wind { vec2 wind[]; };
layout(set = 0, binding = 1) buffer Particles { vec2 particles[]; };
shared vec2 sums[64];

void main() {
  const uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;
  sums[l] = wind[i];
  barrier();
  particles[i] = fract(particles[i] + 0.5 * (sums[l] + sums[63u - l]));
  if (i == 0u) {
    debugPrintfEXT("moved %u", frame);
    particles[gl_NumWorkGroups.x * 64u] = vec2(sqrt(-float(frame)), 0.0);
  }
}
