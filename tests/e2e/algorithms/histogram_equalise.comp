// Each value becomes the share of values up to it.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Values { uint values[]; };
layout(set = 0, binding = 1) readonly buffer Rows { uint rows[]; };
layout(set = 0, binding = 2) writeonly buffer Equalised { uint equalised[]; };
layout(push_constant) uniform Push { uint count; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count) equalised[i] = rows[values[i] & 63u] * 255u / count;
}
// SPDX-License-Identifier: Apache-2.0
