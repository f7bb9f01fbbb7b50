// Fourier transforms of 256 points, each in the shared memory of a workgroup.
#version 460
layout(local_size_x = 128) in;
layout(set = 0, binding = 0, std430) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1, std430) writeonly buffer To { vec2 to[]; };
shared vec2 points[256];
void main() {
  uint l = gl_LocalInvocationIndex, first = gl_WorkGroupID.x * 256u;
  for (uint i = l; i < 256u; i += 128u) points[bitfieldReverse(i) >> 24u] = vec2(float(from[first + i] & 255u), 0.0);
  barrier();
  for (uint half_size = 1u; half_size < 256u; half_size *= 2u) {
    uint k = l % half_size, i = l / half_size * half_size * 2u + k;
    float angle = -3.14159265 * float(k) / float(half_size);
    float c = cos(angle), s = sin(angle);
    vec2 a = points[i], b = points[i + half_size];
    b = vec2(b.x * c - b.y * s, b.x * s + b.y * c);
    points[i] = a + b;
    points[i + half_size] = a - b;
    barrier();
  }
  for (uint i = l; i < 256u; i += 128u) to[first + i] = points[i];
}
// SPDX-License-Identifier: Apache-2.0
