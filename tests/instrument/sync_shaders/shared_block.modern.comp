#version 460
#extension GL_EXT_shared_memory_block : require
layout(local_size_x = 16) in;
layout(std430, set = 0, binding = 0) buffer Io { uint io[]; };
shared Words { uint words[16]; };
shared Pairs { uvec2 pairs[8]; };
void main() {
  uint me = gl_LocalInvocationIndex;
  words[me] = io[me];
  barrier();
  io[me] = pairs[me / 2u].x + pairs[me / 2u].y;
}
// SPDX-License-Identifier: Apache-2.0
