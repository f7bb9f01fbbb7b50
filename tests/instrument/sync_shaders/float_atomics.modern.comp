#version 460
#extension GL_EXT_shader_atomic_float : require
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer Sums { float sums[]; };
void main() { atomicAdd(sums[gl_GlobalInvocationID.x & 3u], 1.0); }
// SPDX-License-Identifier: Apache-2.0
