// One step of a bitonic sort: two loads and at most two stores an invocation.
#version 460
layout(local_size_x = 256) in;
layout(set = 0, binding = 1, std430) buffer To { uint to[]; };
layout(push_constant) uniform Push { uint block, stride; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint low = 2u * i - (i & (stride - 1u)), high = low + stride;
  uint a = to[low], b = to[high];
  if ((a > b) == ((low & block) == 0u)) {
    to[low] = b;
    to[high] = a;
  }
}
// SPDX-License-Identifier: Apache-2.0
