// SPDX-License-Identifier: Apache-2.0
// Images of several kinds: stores, loads, atomics, fetches and samples, also through arrays.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, r32ui) coherent uniform uimage2D img;
layout(set = 0, binding = 1, rgba8) uniform writeonly image3D solid;
layout(set = 0, binding = 2, r32ui) uniform uimage1DArray rows[4];
layout(set = 1, binding = 0) uniform sampler2DArray tex;
layout(set = 1, binding = 1) uniform samplerCube cube;
layout(set = 0, binding = 3) buffer Sum { uint sum; };
layout(push_constant) uniform Push { uint n; float lod; };
void main() {
  ivec2 t = ivec2(gl_GlobalInvocationID.xy);
  imageStore(img, t, uvec4(7u));
  memoryBarrierImage();
  barrier();
  uint v = imageLoad(img, t.yx).x + imageAtomicAdd(img, ivec2(0), 1u);
  v += imageLoad(rows[n], ivec2(t.x, 3)).x;
  vec4 c = texelFetchOffset(tex, ivec3(t, 2), 1, ivec2(1, -1)) + textureLod(tex, vec3(vec2(t) / 64.0, 1.0), lod);
  c += textureLod(cube, vec3(1.0), 0.0);
  sum = v;
  imageStore(solid, ivec3(t, int(v)), c);
}
