// The same arithmetic, and messages from as many invocations as the host asks for; none: printf is there but never taken.
#version 450
#extension GL_EXT_debug_printf : require
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint kVariant = 0;
layout(std430, set = 0, binding = 0) buffer Io { uint io[]; };
layout(push_constant) uniform Push { uint messages; };

void main() {
  uint value = gl_GlobalInvocationID.x + kVariant;
  for (uint i = 0; i < 16; ++i) value = value * 1664525u + 1013904223u;
  if (gl_GlobalInvocationID.x < messages) debugPrintfEXT("invocation %u has %u", gl_GlobalInvocationID.x, value);
  io[4 + gl_GlobalInvocationID.x % 1024] = value;
}
// SPDX-License-Identifier: Apache-2.0
