// Loads of a uniform block, component by component: those that follow each other are one check; what a barrier, the end
// of a block or unread bytes separate is not.
#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std140) uniform Matrices {
  vec4 row[4];
  vec4 unread;
  vec4 colour;
  vec4 lights[8];
};
layout(set = 0, binding = 1, std430) buffer Values { float values[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  // Rows 1, 0 and 2: one range from 0 to 48, checked where row 1 is loaded.
  float sum = row[1].x + row[1].y + row[1].z + row[1].w + row[0].x + row[0].y + row[0].z + row[0].w;
  sum += row[2].x + row[2].y + row[2].z + row[2].w + row[2].x;
  // Bytes that nobody reads lie in front.
  sum += colour.x + colour.y;
  // Dynamic indices: the same variable is the same index, and so these are two.
  sum += lights[i].x + lights[i].y + lights[i + 1].x;
  barrier();
  sum += row[0].x + row[0].y;
  if (sum > 0.0) sum += row[0].x;
  values[i] = values[i] + values[i + 1] + sum;
}
// SPDX-License-Identifier: Apache-2.0
