// SPDX-License-Identifier: Apache-2.0
// Blurs a picture in rows of a width that the program pushes. Invocations outside of the picture do nothing.
#version 460
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0, std430) readonly buffer From { float from[]; };
layout(set = 0, binding = 1, std430) buffer To { float to[]; };
layout(push_constant) uniform Picture { uint width, height; };
void main() {
  uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
  if (x >= width || y >= height) return;
  uint i = y * width + x;
  float sum = from[i] + from[x == 0u ? i : i - 1u] + from[x + 1u == width ? i : i + 1u];
  to[i] = 0.2 * (sum + from[y == 0u ? i : i - width] + from[y + 1u == height ? i : i + width]);
}
