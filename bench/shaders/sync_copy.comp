// Streaming copy: a load and a store an invocation.
#version 460
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1, std430) buffer To { uint to[]; };
void main() { to[gl_GlobalInvocationID.x] = from[gl_GlobalInvocationID.x]; }
// SPDX-License-Identifier: Apache-2.0
