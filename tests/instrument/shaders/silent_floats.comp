#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
struct Body {
  vec4 position;
  float mass;
  mat3 inertia;
  int id;
};
layout(std430, binding = 0) buffer Data {
  float scalars[64];
  vec3 vectors[64];
  dvec2 doubles[64];
  f16vec4 halves[64];
  mat4 matrices[64];
  Body bodies[64];
  uint words[64];
};
layout(binding = 1, rgba32f) uniform writeonly image2D image;
layout(binding = 2, rgba32f) uniform writeonly imageBuffer texels;
shared float tile[64];

// A result that is only moved, one of a function and one that comes out of a branch.
vec3 direction(vec3 v, float w) { return w > 0.0 ? normalize(v) : v / w; }

void main() {
  uint i = gl_GlobalInvocationID.x;
  float whole;
  tile[i] = sqrt(scalars[i]) + modf(scalars[i + 1u], whole);
  barrier();
  float sum = 0.0;
  for (int k = 0; k < 8; ++k) sum += tile[k] / float(i);
  scalars[i] = sum + whole;
  vectors[i] = direction(vectors[i], sum).zyx;
  doubles[i] = doubles[i] / double(sum);
  halves[i] = halves[i] * float16_t(sum);
  matrices[i] = inverse(matrices[i]);
  bodies[i] = Body(vec4(sum), sum, mat3(matrices[i]), 3);
  words[i] = floatBitsToUint(sum * 2.0);
  imageStore(image, ivec2(i), vec4(vectors[i], 1.0));
  imageStore(texels, int(i), vec4(1.0));
}
// SPDX-License-Identifier: Apache-2.0
