#version 450
// SPDX-License-Identifier: Apache-2.0
// A fragment shader as engines have them: a material of five textures, a shadow map, an environment, and a list of lights.
layout(set = 0, binding = 0) uniform Camera { mat4 view_projection; vec4 eye; };
struct Material { vec4 colour; float roughness; float metal; float height; uint flags; };
layout(set = 0, binding = 3, std430) readonly buffer Materials { Material materials[]; };
struct Light { vec3 position; float range; vec3 colour; float angle; };
layout(set = 0, binding = 4, std430) readonly buffer Lights { uint count; Light lights[]; };
layout(set = 0, binding = 5) uniform Shadows { mat4 to_shadow; };
layout(set = 1, binding = 0) uniform sampler2D colours;
layout(set = 1, binding = 1) uniform sampler2D normals;
layout(set = 1, binding = 2) uniform sampler2D surface;
layout(set = 1, binding = 3) uniform sampler2D occlusion;
layout(set = 1, binding = 4) uniform sampler2D emission;
layout(set = 1, binding = 5) uniform sampler2DShadow shadow;
layout(set = 1, binding = 6) uniform samplerCube environment;
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 direction;
layout(location = 2) in vec2 texel;
layout(location = 3) flat in uint material;
layout(location = 0) out vec4 result;
void main() {
  Material m = materials[material];
  vec4 base = texture(colours, texel) * m.colour;
  if (base.a < 0.5) discard;
  vec3 n = normalize(direction + texture(normals, texel).xyz - 0.5);
  vec3 v = normalize(eye.xyz - world);
  vec2 rough = texture(surface, texel).xy * vec2(m.roughness, m.metal);
  vec4 in_shadow = to_shadow * vec4(world, 1.0);
  float lit = texture(shadow, in_shadow.xyz / in_shadow.w);
  vec3 sum = textureLod(environment, reflect(-v, n), rough.x * 8.0).xyz * texture(occlusion, texel).x;
  for (uint i = 0u; i < count; ++i) {
    vec3 to = lights[i].position - world;
    float near = max(0.0, 1.0 - length(to) / lights[i].range);
    vec3 l = normalize(to), h = normalize(l + v);
    float shine = pow(max(dot(n, h), 0.0), 2.0 / (rough.x * rough.x + 0.001));
    sum += lights[i].colour * near * lit * (max(dot(n, l), 0.0) * (1.0 - rough.y) + shine);
  }
  result = vec4(base.xyz * sum + texture(emission, texel).xyz, base.a);
}
