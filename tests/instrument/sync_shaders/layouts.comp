// Scalars, vectors, matrices of both orders, structures and arrays, in storage and uniform buffers.
#version 450
layout(local_size_x = 64) in;
struct Item {
  vec3 position;  // 12 bytes, then 4 of padding at the end of the structure
  uint tags[2];
};
layout(std430, set = 0, binding = 0) buffer In {
  uint count;
  vec4 corners[4];
  layout(row_major) mat3x4 rows;
  layout(column_major) mat3x3 columns;
  Item item;
  Item items[];
} source;
layout(std430, set = 0, binding = 1) buffer Out {
  float value;
  vec4 corner;
  layout(row_major) mat3x4 rows;
  mat3x3 columns;
  Item item;
  Item items[];
} target;
layout(std140, set = 1, binding = 0) uniform Constants {
  mat4 transform;
  ivec2 size;
} constants;
void main() {
  uint i = gl_GlobalInvocationID.x;
  target.value = float(source.count) + float(constants.size.y);
  target.corner = source.corners[i & 3u];
  target.corner.z = source.corners[2].y;
  target.corner[i & 3u] = 1.0;
  target.rows = source.rows;
  target.rows[1] = source.rows[i & 1u];
  target.rows[2][3] = source.rows[0][1];
  target.columns = source.columns;
  target.columns[1] = source.columns[2];
  target.item = source.item;
  target.items[i] = source.items[i + 1u];
  target.items[i].tags[1] = source.items.length();
  target.corner += constants.transform[2] * constants.transform[int(i & 3u)][1];
}
// SPDX-License-Identifier: Apache-2.0
