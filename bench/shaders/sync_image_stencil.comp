// SPDX-License-Identifier: Apache-2.0
// Stencil of five texels of an image.
#version 460
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0, r32f) uniform readonly image2D from;
layout(set = 0, binding = 1, r32f) uniform writeonly image2D to;
void main() {
  ivec2 t = ivec2(gl_GlobalInvocationID.xy), last = imageSize(from) - 1;
  vec4 sum = imageLoad(from, t) + imageLoad(from, max(t - ivec2(1, 0), 0)) + imageLoad(from, max(t - ivec2(0, 1), 0));
  sum += imageLoad(from, min(t + ivec2(1, 0), last)) + imageLoad(from, min(t + ivec2(0, 1), last));
  imageStore(to, t, 0.2 * sum);
}
