// SITES loads in a row (a multiple of 10), none of which can share its check with another one, and a store.
#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1, std430) buffer To { uint to[]; };
#define LOAD(n) sum = sum * 31u + from[(i * (2u * (n) + 1u) + sum) & 0xffffu];
#define TEN(n)                                                                             \
  LOAD(n) LOAD(n + 1u) LOAD(n + 2u) LOAD(n + 3u) LOAD(n + 4u) LOAD(n + 5u) LOAD(n + 6u)    \
  LOAD(n + 7u) LOAD(n + 8u) LOAD(n + 9u)
#define FIFTY(n) TEN(n) TEN(n + 10u) TEN(n + 20u) TEN(n + 30u) TEN(n + 40u)
void main() {
  uint i = gl_GlobalInvocationID.x, sum = 0u;
#if SITES == 10
  TEN(0u)
#else
  FIFTY(0u)
#endif
#if SITES >= 200
  FIFTY(50u) FIFTY(100u) FIFTY(150u)
#endif
#if SITES >= 500
  FIFTY(200u) FIFTY(250u)
  FIFTY(300u) FIFTY(350u)
  FIFTY(400u) TEN(450u) TEN(460u) TEN(470u) TEN(480u)
  TEN(490u)
#endif
  to[i] = sum;
}
// SPDX-License-Identifier: Apache-2.0
