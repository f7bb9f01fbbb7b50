// Product of a matrix of 4-bit weights (blocks of 32 with a 16-bit scale) and a matrix of floats, ROWS x COLUMNS results a
// workgroup, as runtimes for machine learning have it: few sites, nearly all in nested loops with hints to unroll.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 32) in;
struct Block {
  float16_t scale;
  uint8_t weights[16];
};
layout(set = 0, binding = 0, std430) readonly buffer Weights { Block weights[]; };
layout(set = 0, binding = 1, std430) buffer Results { float results[]; };
layout(set = 0, binding = 2, std430) readonly buffer Columns { float columns[]; };
const uint ROWS = 2u, COLUMNS = 2u;
const uint blocks = 16u;  // of a row
shared float sums[32];
void main() {
  uint lane = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * ROWS;
  float sum[ROWS][COLUMNS];
  [[unroll]] for (uint row = 0u; row < ROWS; ++row)
    [[unroll]] for (uint column = 0u; column < COLUMNS; ++column) sum[row][column] = 0.0;
  for (uint block = lane; block < blocks; block += 32u) {
    [[unroll]] for (uint row = 0u; row < ROWS; ++row) {
      uint at = ((first + row) & 127u) * blocks + block;
      float scale = float(weights[at].scale);
      [[unroll]] for (uint n = 0u; n < 16u; ++n) {
        uint both = uint(weights[at].weights[n]);
        [[unroll]] for (uint column = 0u; column < COLUMNS; ++column) {
          uint from = column * blocks * 32u + block * 32u + n;
          sum[row][column] += scale * (float(both & 15u) - 8.0) * columns[from];
          sum[row][column] += scale * (float(both >> 4u) - 8.0) * columns[from + 16u];
        }
      }
    }
  }
  [[unroll]] for (uint row = 0u; row < ROWS; ++row) {
    [[unroll]] for (uint column = 0u; column < COLUMNS; ++column) {
      float part = subgroupAdd(sum[row][column]);
      if (gl_SubgroupInvocationID == 0u) sums[gl_SubgroupID] = part;
      barrier();
      if (lane == 0u) {
        float whole = 0.0;
        for (uint n = 0u; n < gl_NumSubgroups; ++n) whole += sums[n];
        results[(first + row) * COLUMNS + column] = whole;
      }
      barrier();
    }
  }
}
// SPDX-License-Identifier: Apache-2.0
