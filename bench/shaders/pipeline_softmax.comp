// Softmax of rows, with a mask and a bias, once for each number of values that an invocation may have: many sites in many loops with
// hints to unroll, of which one run of the shader executes few.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer From { float from[]; };
layout(set = 0, binding = 1, std430) buffer To { float to[]; };
layout(set = 0, binding = 2, std430) readonly buffer Mask { float mask[]; };
layout(set = 0, binding = 3, std430) readonly buffer Sizes { uint width, biased; };
shared float parts[64];
float reduced(float value, bool largest) {
  value = largest ? subgroupMax(value) : subgroupAdd(value);
  if (gl_SubgroupInvocationID == 0u) parts[gl_SubgroupID] = value;
  barrier();
  value = parts[0];
  for (uint n = 1u; n < gl_NumSubgroups; ++n) value = largest ? max(value, parts[n]) : value + parts[n];
  barrier();
  return value;
}
void softmax(const uint count) {
  uint row = gl_WorkGroupID.x * width, lane = gl_LocalInvocationID.x;
  float values[8];
  float most = -1e30;
  [[unroll]] for (uint n = 0u; n < count; ++n) {
    uint column = lane + n * 64u;
    values[n] = -1e30;
    if (column < width) {
      values[n] = from[(row + column) & 0xffffu] * 0.5;
      if (biased != 0u) values[n] += mask[column];
      most = max(most, values[n]);
    }
  }
  most = reduced(most, true);
  float sum = 0.0;
  [[unroll]] for (uint n = 0u; n < count; ++n) {
    uint column = lane + n * 64u;
    if (column < width) {
      values[n] = exp(values[n] - most);
      sum += values[n];
      to[(row + column) & 0xffffu] = values[n];
    }
  }
  sum = 1.0 / reduced(sum, false);
  [[unroll]] for (uint n = 0u; n < count; ++n) {
    uint column = lane + n * 64u;
    if (column < width) to[(row + column) & 0xffffu] *= sum;
  }
}
void main() {
  if (width <= 64u)
    softmax(1u);
  else if (width <= 128u)
    softmax(2u);
  else if (width <= 256u)
    softmax(4u);
  else
    softmax(8u);
}
// SPDX-License-Identifier: Apache-2.0
