// SPDX-License-Identifier: Apache-2.0
// Sixteen lights on what the scene left in its targets.
#version 460
layout(set = 0, binding = 0) uniform sampler2D albedo;
layout(set = 0, binding = 1) uniform sampler2D normals;
layout(set = 0, binding = 2) uniform sampler2D depth;
layout(location = 0) out vec4 colour;
void main() {
  ivec2 t = ivec2(gl_FragCoord.xy);
  vec3 base = texelFetch(albedo, t, 0).xyz, normal = texelFetch(normals, t, 0).xyz * 2.0 - 1.0;
  vec3 position = vec3(gl_FragCoord.xy / 1024.0, texelFetch(depth, t, 0).x), sum = vec3(0.0);
  for (int i = 0; i < 16; ++i) {
    vec3 to = vec3(float(i & 3) * 0.5, float(i >> 2) * 0.3, -0.5) - position;
    sum += base * max(dot(normal, normalize(to)), 0.0) / (1.0 + dot(to, to));
  }
  colour = vec4(sum, 1.0);
}
