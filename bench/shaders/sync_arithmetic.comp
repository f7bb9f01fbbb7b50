// Arithmetic: 1024 multiplications and additions for a load and a store.
#version 460
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer From { float from[]; };
layout(set = 0, binding = 1, std430) buffer To { float to[]; };
void main() {
  float x = from[gl_GlobalInvocationID.x], y = 0.5;
  for (uint n = 0u; n < 1024u; ++n) {
    y = fma(y, 0.999, x);
    x = fma(x, 0.5, y * 0.001);
  }
  to[gl_GlobalInvocationID.x] = y;
}
// SPDX-License-Identifier: Apache-2.0
