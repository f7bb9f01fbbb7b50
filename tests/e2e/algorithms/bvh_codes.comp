// Morton codes of points on a grid of 2^15 by 2^15.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Points { uvec2 points[]; };
layout(set = 0, binding = 1) buffer Codes { uint codes[]; };
layout(push_constant) uniform Push { uint leaves; };

uint spread(uint bits) {
  bits = (bits | (bits << 8u)) & 0x00ff00ffu;
  bits = (bits | (bits << 4u)) & 0x0f0f0f0fu;
  bits = (bits | (bits << 2u)) & 0x33333333u;
  return (bits | (bits << 1u)) & 0x55555555u;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < leaves) codes[i] = spread(points[i].x) | (spread(points[i].y) << 1u);
}
// SPDX-License-Identifier: Apache-2.0
