#version 460
#extension GL_EXT_debug_printf : require
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Data { uint values[]; };
uint collatz(uint n) {
  uint steps = 0u;
  while (n > 1u) {
    n = (n & 1u) == 0u ? n / 2u : 3u * n + 1u;
    if (++steps > 100u) { debugPrintfEXT("gave up at %u", n); break; }
    debugPrintfEXT("step %u is %u", steps, n);
  }
  return steps;
}
uint nested(uint x) { debugPrintfEXT("nested %u", x); return collatz(x) + collatz(x + 1u); }
void main() {
  uint i = gl_GlobalInvocationID.x;
  bool odd = (i & 1u) != 0u && nested(i) > 3u;
  switch (i & 3u) {
    case 0u: debugPrintfEXT("zero"); break;
    case 1u: debugPrintfEXT("one"); // falls through
    default: debugPrintfEXT("many %u", i); break;
  }
  for (uint k = 0u; k < 4u; ++k) {
    if (k == i) continue;
    if (values[k] == 7u) return;
    debugPrintfEXT("k %u odd %d", k, odd);
  }
  barrier();
  values[i] = collatz(i);
}
// SPDX-License-Identifier: Apache-2.0
