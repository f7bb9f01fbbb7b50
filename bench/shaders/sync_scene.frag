// SPDX-License-Identifier: Apache-2.0
#version 460
layout(location = 0) in vec3 normal;
layout(location = 1) flat in uint material;
layout(location = 0) out vec4 albedo;
layout(location = 1) out vec4 normals;
void main() {
  albedo = vec4(unpackUnorm4x8(material * 0x01020408u).xyz, 1.0);
  normals = vec4(normalize(normal) * 0.5 + 0.5, 1.0);
}
