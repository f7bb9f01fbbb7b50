// Texel buffers of both kinds, atomics on them, arrays of them; images are not checked.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) uniform samplerBuffer read_only;
layout(set = 0, binding = 1, rgba32f) uniform imageBuffer written;
layout(set = 0, binding = 2, r32ui) uniform uimageBuffer counted;
layout(set = 0, binding = 3, r32f) uniform imageBuffer several[4];
layout(set = 0, binding = 4, r32f) uniform image2D flat_image;
void main() {
  int i = int(gl_GlobalInvocationID.x);
  vec4 value = texelFetch(read_only, i + 1);
  imageStore(written, i, value + imageLoad(written, i + 2));
  imageAtomicAdd(counted, i & 7, 1u);
  imageStore(several[2], i, value);
  imageStore(flat_image, ivec2(i, 0), imageLoad(flat_image, ivec2(i, 1)));
}
// SPDX-License-Identifier: Apache-2.0
