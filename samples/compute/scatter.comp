// Puts each value into its bin's part of the output; the order inside a bin is whatever the hardware makes of it.
#version 450
#extension GL_EXT_debug_printf : require
layout(local_size_x = 256) in;
layout(std430, set = 0, binding = 0) readonly buffer Values { uint values[]; };
layout(std430, set = 0, binding = 1) buffer Starts { uint next[256]; };
layout(std430, set = 0, binding = 2) writeonly buffer Sorted { uint sorted[]; };
layout(push_constant) uniform Push { uint value_count; uint limit; };

void main() {
  const uint index = gl_GlobalInvocationID.x;
  if (index >= value_count || values[index] >= limit) return;
  const uint value = values[index];
  const uint slot = atomicAdd(next[value * 256u / limit], 1u);
  sorted[slot] = value;
  if (index % 262144 == 0)
    debugPrintfEXT("%v2u -> slot %u of bin %u", uvec2(index, value), slot, value * 256u / limit);
}
// SPDX-License-Identifier: Apache-2.0
