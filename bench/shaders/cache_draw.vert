#version 450
// SPDX-License-Identifier: Apache-2.0
// A vertex shader as engines have them: a camera, and the transformation and the bones of the instance in buffers.
layout(set = 0, binding = 0) uniform Camera { mat4 view_projection; vec4 eye; };
struct Instance { mat4 place; uint first_bone; uint material; };
layout(set = 0, binding = 1, std430) readonly buffer Instances { Instance instances[]; };
layout(set = 0, binding = 2, std430) readonly buffer Bones { mat4 bones[]; };
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 coordinate;
layout(location = 3) in uvec4 joints;
layout(location = 4) in vec4 weights;
layout(location = 0) out vec3 world;
layout(location = 1) out vec3 direction;
layout(location = 2) out vec2 texel;
layout(location = 3) flat out uint material;
void main() {
  Instance instance = instances[gl_InstanceIndex];
  mat4 skin = mat4(0.0);
  for (uint i = 0u; i < 4u; ++i) skin += weights[i] * bones[instance.first_bone + joints[i]];
  mat4 place = instance.place * skin;
  world = (place * vec4(position, 1.0)).xyz;
  direction = mat3(place) * normal;
  texel = coordinate;
  material = instance.material;
  gl_Position = view_projection * vec4(world, 1.0);
}
