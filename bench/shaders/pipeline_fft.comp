// SPDX-License-Identifier: Apache-2.0
// Each workgroup transforms 512 complex numbers: three passes of radix 8, each invocation with 8 numbers in registers, exchanged in
// shared memory between the passes. Everything is written out, as generators of transforms do it.
#version 460
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer From { vec2 from[]; };
layout(std430, set = 0, binding = 2) writeonly buffer To { vec2 to[]; };

shared vec2 between[512];
vec2 v[8];

vec2 times(vec2 a, vec2 b) { return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
vec2 quarter(vec2 a) { return vec2(a.y, -a.x); }  // times -i

void of_four(inout vec2 a, inout vec2 b, inout vec2 c, inout vec2 d) {
  vec2 sum = a + c, difference = a - c, other = b + d, turned = quarter(b - d);
  a = sum + other;
  c = sum - other;
  b = difference + turned;
  d = difference - turned;
}

void of_eight() {
  vec2 e0 = v[0], e1 = v[2], e2 = v[4], e3 = v[6], o0 = v[1], o1 = v[3], o2 = v[5], o3 = v[7];
  of_four(e0, e1, e2, e3);
  of_four(o0, o1, o2, o3);
  const float half_root = 0.70710678118;
  o1 = times(o1, vec2(half_root, -half_root));
  o2 = quarter(o2);
  o3 = times(o3, vec2(-half_root, -half_root));
  v[0] = e0 + o0;
  v[4] = e0 - o0;
  v[1] = e1 + o1;
  v[5] = e1 - o1;
  v[2] = e2 + o2;
  v[6] = e2 - o2;
  v[3] = e3 + o3;
  v[7] = e3 - o3;
}

void turn(uint place, float size) {
  float angle = -6.28318530718 * float(place) / size;
  [[unroll]] for (uint r = 1; r < 8; ++r) v[r] = times(v[r], vec2(cos(angle * float(r)), sin(angle * float(r))));
}

void main() {
  uint i = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * 512;
  [[unroll]] for (uint r = 0; r < 8; ++r) v[r] = from[first + i + r * 64];
  of_eight();
  [[unroll]] for (uint r = 0; r < 8; ++r) between[i * 8 + r] = v[r];
  barrier();
  [[unroll]] for (uint r = 0; r < 8; ++r) v[r] = between[i + r * 64];
  turn(i % 8, 64.0);
  of_eight();
  barrier();
  [[unroll]] for (uint r = 0; r < 8; ++r) between[i / 8 * 64 + i % 8 + r * 8] = v[r];
  barrier();
  [[unroll]] for (uint r = 0; r < 8; ++r) v[r] = between[i + r * 64];
  turn(i, 512.0);
  of_eight();
  [[unroll]] for (uint r = 0; r < 8; ++r) to[first + i + r * 64] = v[r];
}
