// SPDX-License-Identifier: Apache-2.0
// Samples of every kind: levels, cubes, projections, offsets, comparisons, gathers.
#version 450
layout(set = 0, binding = 0) uniform sampler2D flat_;
layout(set = 0, binding = 1) uniform sampler1D row;
layout(set = 0, binding = 2) uniform sampler3D solid;
layout(set = 0, binding = 3) uniform samplerCube cube;
layout(set = 0, binding = 4) uniform sampler2DArray layers;
layout(set = 0, binding = 5) uniform sampler2DArrayShadow shadows;
layout(set = 0, binding = 6) uniform texture2D apart[3];
layout(set = 0, binding = 7) uniform sampler how;
layout(set = 1, binding = 0) uniform samplerCubeShadow cube_shadow;
layout(set = 1, binding = 1) buffer Sum { vec4 sum; };
layout(location = 0) in vec4 at;
layout(location = 1) flat in int n;
layout(location = 0) out vec4 colour;
void main() {
  vec4 c = texture(flat_, at.xy) + texture(flat_, at.xy, 0.5) + textureLod(flat_, at.xy, at.z);
  c += textureGrad(flat_, at.xy, at.zw, at.wz) + texture(row, at.x) + texture(solid, at.xyz);
  c += textureProj(flat_, at.xyz) + textureProj(flat_, at) + textureProjLod(row, at.xy, 1.0);
  c += textureOffset(flat_, at.xy, ivec2(1, -2)) + textureProjOffset(solid, at, ivec3(1, 2, 3));
  c += texture(cube, at.xyz) + textureLod(cube, at.zxy, 2.0) + texture(layers, at.xyz);
  c += texture(sampler2D(apart[n], how), at.xy) + texture(shadows, at) + texture(cube_shadow, at);
  c += textureGather(flat_, at.xy, 2) + textureGatherOffset(layers, at.xyz, ivec2(1, 2));
  const ivec2 four[4] = ivec2[4](ivec2(0), ivec2(1), ivec2(2), ivec2(3));
  c += textureGatherOffsets(flat_, at.xy, four) + textureGather(cube, at.xyz);
  sum = c;
  colour = c;
}
