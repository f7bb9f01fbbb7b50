// SPDX-License-Identifier: Apache-2.0
// One of many small shaders: which, and how much it does, a constant says. Accesses: 1 to 4.
#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint number = 0;
layout(std430, set = 0, binding = 0) buffer Values { uint values[]; };

uint mixed(uint value) {
  for (uint i = 0; i < number % 5 + 3; ++i) value = value * 1664525u + (1013904223u ^ number) + (value >> (i + 3));
  return value;
}

void main() {
  const uint own = gl_GlobalInvocationID.x * 2;
  uint value = mixed(own + number);
  if (number % 2 == 1) value ^= values[own];
  if (number % 3 == 1) value += values[own + 1];
  values[own] = mixed(value);
  if (number % 4 >= 2) values[own + 1] = value;
}
