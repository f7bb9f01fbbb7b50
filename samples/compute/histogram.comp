// Counts how many values fall into each of 256 bins; values out of range belong to none and are worth a message.
#version 450
#extension GL_EXT_debug_printf : require
layout(local_size_x = 256) in;
layout(std430, set = 0, binding = 0) readonly buffer Values { uint values[]; };
layout(std430, set = 0, binding = 1) buffer Counts { uint counts[256]; };
layout(push_constant) uniform Push { uint value_count; uint limit; };
shared uint local_counts[256];

void main() {
  local_counts[gl_LocalInvocationIndex] = 0;
  barrier();
  const uint index = gl_GlobalInvocationID.x;
  if (index < value_count) {
    const uint value = values[index];
    if (value >= limit)
      debugPrintfEXT("values[%u] = %u is not below %u: left out", index, value, limit);
    else
      atomicAdd(local_counts[value * 256u / limit], 1u);
  }
  barrier();
  atomicAdd(counts[gl_LocalInvocationIndex], local_counts[gl_LocalInvocationIndex]);
}
// SPDX-License-Identifier: Apache-2.0
