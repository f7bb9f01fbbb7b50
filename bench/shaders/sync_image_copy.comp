// SPDX-License-Identifier: Apache-2.0
// Streaming copy of an image: a load and a store an invocation.
#version 460
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0, r32f) uniform readonly image2D from;
layout(set = 0, binding = 1, r32f) uniform writeonly image2D to;
void main() {
  ivec2 t = ivec2(gl_GlobalInvocationID.xy);
  imageStore(to, t, imageLoad(from, t));
}
