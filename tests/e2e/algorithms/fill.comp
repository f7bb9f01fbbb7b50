// Every word of a buffer gets one value.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Words { uint words[]; };
layout(push_constant) uniform Push { uint count, value; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count) words[i] = value;
}
// SPDX-License-Identifier: Apache-2.0
