// Normalisation of rows by their root mean square, with weights, once for each number of values that an invocation may have.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer From { float from[]; };
layout(set = 0, binding = 1, std430) buffer To { float to[]; };
layout(set = 0, binding = 2, std430) readonly buffer Weights { float weights[]; };
layout(set = 0, binding = 3, std430) readonly buffer Sizes { uint width, weighted; };
shared float parts[64];
void normalise(const uint count) {
  uint row = gl_WorkGroupID.x * width, lane = gl_LocalInvocationID.x;
  float sum = 0.0;
  [[unroll]] for (uint n = 0u; n < count; ++n) {
    uint column = lane + n * 64u;
    float value = column < width ? from[(row + column) & 0xffffu] : 0.0;
    sum += value * value;
  }
  sum = subgroupAdd(sum);
  if (gl_SubgroupInvocationID == 0u) parts[gl_SubgroupID] = sum;
  barrier();
  sum = 0.0;
  for (uint n = 0u; n < gl_NumSubgroups; ++n) sum += parts[n];
  float scale = inversesqrt(sum / float(width) + 1e-6);
  [[unroll]] for (uint n = 0u; n < count; ++n) {
    uint column = lane + n * 64u;
    if (column >= width) continue;
    float value = scale * from[(row + column) & 0xffffu];
    if (weighted != 0u) value *= weights[column];
    to[(row + column) & 0xffffu] = value;
  }
}
void main() {
  if (width <= 64u)
    normalise(1u);
  else if (width <= 256u)
    normalise(4u);
  else
    normalise(16u);
}
// SPDX-License-Identifier: Apache-2.0
