// SPDX-License-Identifier: Apache-2.0
// Deferred lighting of a picture of 128 x 128 points as engines do it: each workgroup finds the lights of its tile, then each
// invocation unpacks the surface of its point and adds up what the lights give.
#version 460
layout(local_size_x = 8, local_size_y = 8) in;
struct Surface {
  float depth;
  uint normal;    // octahedral, 2 x 16 bits
  uint albedo;    // 4 x 8 bits, the last one is occlusion
  uint material;  // roughness, metal, unused, unused
};
struct Light {
  vec3 position;
  float range;
  vec3 colour;
  float cone;  // cosine; -1: all around
  vec3 direction;
  float bias;
};
layout(std430, set = 0, binding = 0) readonly buffer Surfaces { Surface surfaces[]; };
layout(std430, set = 0, binding = 1) readonly buffer Lights { Light lights[64]; };
layout(std430, set = 0, binding = 2) writeonly buffer Picture { vec4 picture[]; };

shared uint found[2];
shared uint nearest, farthest;

vec3 normal_of(uint packed) {
  vec2 flat_normal = unpackSnorm2x16(packed);
  vec3 n = vec3(flat_normal, 1.0 - abs(flat_normal.x) - abs(flat_normal.y));
  float fold = max(-n.z, 0.0);
  n.x += n.x >= 0.0 ? -fold : fold;
  n.y += n.y >= 0.0 ? -fold : fold;
  return normalize(n);
}

vec3 shade(Light light, vec3 position, vec3 n, vec3 v, vec3 albedo, float roughness, float metal) {
  vec3 way = light.position - position;
  float distance = length(way);
  vec3 l = way / max(distance, 1e-4);
  float reach = clamp(1.0 - pow(distance / light.range, 4.0), 0.0, 1.0);
  float spot = light.cone < -0.5 ? 1.0 : smoothstep(light.cone, light.cone + 0.2, dot(-l, light.direction));
  float facing = max(dot(n, l) - light.bias, 0.0);
  vec3 h = normalize(l + v);
  float nv = max(dot(n, v), 1e-3), nh = max(dot(n, h), 0.0), vh = max(dot(v, h), 0.0);
  float a = roughness * roughness, a2 = a * a;
  float spread = nh * nh * (a2 - 1.0) + 1.0;
  float share = a2 / (3.14159265 * spread * spread);
  float k = (roughness + 1.0) * (roughness + 1.0) / 8.0;
  float shadowing = nv / (nv * (1.0 - k) + k) * facing / max(facing * (1.0 - k) + k, 1e-4);
  vec3 base = mix(vec3(0.04), albedo, metal);
  vec3 mirrored = base + (1.0 - base) * pow(1.0 - vh, 5.0);
  vec3 specular = mirrored * share * shadowing / max(4.0 * nv * facing, 1e-3);
  vec3 diffuse = (1.0 - mirrored) * (1.0 - metal) * albedo / 3.14159265;
  return (diffuse + specular) * light.colour * (facing * spot * reach * reach / (distance * distance + 1.0));
}

void main() {
  uint i = gl_LocalInvocationIndex;
  uvec2 tile = uvec2(gl_WorkGroupID.x % 16, gl_WorkGroupID.x / 16);
  uvec2 at = tile * 8 + gl_LocalInvocationID.xy;
  if (i < 2) found[i] = 0;
  if (i == 0) {
    nearest = floatBitsToUint(1e6);
    farthest = 0;
  }
  barrier();
  Surface surface = surfaces[at.y * 128 + at.x];
  atomicMin(nearest, floatBitsToUint(surface.depth));
  atomicMax(farthest, floatBitsToUint(surface.depth));
  barrier();
  // Seen from the origin along z, 90 degrees wide.
  vec2 centre = (vec2(tile) * 8.0 + 4.0) / 64.0 - 1.0;
  float near = uintBitsToFloat(nearest), far = uintBitsToFloat(farthest);
  Light own = lights[i];
  float middle = clamp(own.position.z, near, far);
  float radius = own.range + middle * 0.2;
  if (length(own.position - vec3(centre * middle, middle)) < radius) atomicOr(found[i / 32], 1u << (i % 32));
  barrier();
  vec3 position = vec3((vec2(at) + 0.5) / 64.0 - 1.0, 1.0) * surface.depth;
  vec3 n = normal_of(surface.normal), v = normalize(-position);
  vec4 albedo = unpackUnorm4x8(surface.albedo);
  vec2 material = unpackUnorm4x8(surface.material).xy;
  float roughness = max(material.x, 0.05);
  vec3 sum = albedo.rgb * 0.03 * albedo.a;
  for (uint word = 0; word < 2; ++word) {
    for (uint bits = found[word]; bits != 0; bits &= bits - 1) {
      Light light = lights[word * 32 + findLSB(bits)];
      sum += shade(light, position, n, v, albedo.rgb, roughness, material.y);
    }
  }
  picture[at.y * 128 + at.x] = vec4(sum, length(position));
}
