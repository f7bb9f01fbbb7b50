// Returns at 24 places, between barriers.
#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1, std430) buffer To { uint to[]; };
shared uint exchanged[64];
#define STEP(n) \
  sum += from[(i * (n) + 17u) & 0xffffu]; \
  if ((sum & 63u) == (n)) { \
    to[i] = sum; \
    return; \
  }
#define EXCHANGE(n) \
  STEP((n) + 1u) STEP((n) + 2u) STEP((n) + 3u) STEP((n) + 4u) STEP((n) + 5u) STEP((n) + 6u) \
  barrier(); \
  sum += exchanged[l]; \
  barrier(); \
  exchanged[l] = sum;
void main() {
  uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex, sum = 0u;
  exchanged[l] = l;
  EXCHANGE(0u) EXCHANGE(6u) EXCHANGE(12u) EXCHANGE(18u)
  to[i] = sum;
}
// SPDX-License-Identifier: Apache-2.0
