// SPDX-License-Identifier: Apache-2.0
// Instances are small triangles all over the picture, at different depths.
#version 460
layout(location = 0) out vec3 normal;
layout(location = 1) flat out uint material;
void main() {
  uint hash = uint(gl_InstanceIndex) * 2654435761u;
  vec3 centre = vec3(hash & 1023u, hash >> 10 & 1023u, hash >> 20 & 1023u) / 1023.0;
  vec2 corner = vec2(gl_VertexIndex % 3 == 1 ? 0.1 : -0.05, gl_VertexIndex % 3 == 2 ? 0.1 : -0.05);
  normal = normalize(vec3(corner * 8.0, 1.0));
  material = hash >> 24;
  gl_Position = vec4(centre.xy * 2.0 - 1.0 + corner, centre.z, 1.0);
}
