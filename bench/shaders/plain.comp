// Some arithmetic, no printf: what a program without messages does.
#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint kVariant = 0;
layout(std430, set = 0, binding = 0) buffer Io { uint io[]; };
layout(push_constant) uniform Push { uint messages; };

void main() {
  uint value = gl_GlobalInvocationID.x + kVariant;
  for (uint i = 0; i < 16; ++i) value = value * 1664525u + 1013904223u;
  if (value == 0xFFFFFFFFu) io[1] = messages;
  io[4 + gl_GlobalInvocationID.x % 1024] = value;
}
// SPDX-License-Identifier: Apache-2.0
