// Stencil of five points, in rows of 1024: neighbours read the same words.
#version 460
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer From { float from[]; };
layout(set = 0, binding = 1, std430) buffer To { float to[]; };
void main() {
  uint i = gl_GlobalInvocationID.x, last = gl_NumWorkGroups.x * 256u - 1u;
  float sum = from[i] + from[i == 0u ? 0u : i - 1u] + from[min(i + 1u, last)];
  to[i] = 0.2 * (sum + from[i < 1024u ? i : i - 1024u] + from[min(i + 1024u, last)]);
}
// SPDX-License-Identifier: Apache-2.0
