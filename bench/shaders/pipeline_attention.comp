// SPDX-License-Identifier: Apache-2.0
// Attention of one head as runtimes for machine learning have it: 16 queries for each workgroup, keys and values in tiles, and a
// softmax that is corrected from tile to tile. A query, a key and a value have 64 numbers.
#version 460
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer Queries { vec4 queries[]; };
layout(std430, set = 0, binding = 1) readonly buffer KeysAndValues { vec4 keys_and_values[]; };
layout(std430, set = 0, binding = 2) writeonly buffer Results { vec4 results[]; };

const uint kKeys = 128, kTile = 32, kQuads = 16;
shared vec4 keys[kTile * kQuads];
shared vec4 values[kTile * kQuads];
shared float scores[16][kTile];

void main() {
  uint i = gl_LocalInvocationID.x, query = i / 4, part = i % 4;
  uint row = (gl_WorkGroupID.x * 16 + query) * kQuads;
  vec4 mine[kQuads], sum[4];
  [[unroll]] for (uint k = 0; k < kQuads; ++k) mine[k] = queries[row + k];
  [[unroll]] for (uint k = 0; k < 4; ++k) sum[k] = vec4(0.0);
  float highest = -1e30, weight = 0.0;
  for (uint tile = 0; tile < kKeys; tile += kTile) {
    for (uint k = 0; k < kTile * kQuads / 64; ++k) {
      keys[k * 64 + i] = keys_and_values[tile * kQuads + k * 64 + i];
      values[k * 64 + i] = keys_and_values[(kKeys + tile) * kQuads + k * 64 + i];
    }
    barrier();
    for (uint k = 0; k < kTile / 4; ++k) {
      vec4 product = vec4(0.0);
      [[unroll]] for (uint d = 0; d < kQuads; ++d) product += mine[d] * keys[(part * 8 + k) * kQuads + d];
      scores[query][part * 8 + k] = 0.125 * (product.x + product.y + product.z + product.w);
    }
    barrier();
    float higher = highest;
    for (uint k = 0; k < kTile; ++k) higher = max(higher, scores[query][k]);
    float correction = exp(highest - higher);
    weight *= correction;
    [[unroll]] for (uint d = 0; d < 4; ++d) sum[d] *= correction;
    for (uint k = 0; k < kTile; ++k) {
      float share = exp(scores[query][k] - higher);
      weight += share;
      [[unroll]] for (uint d = 0; d < 4; ++d) sum[d] += share * values[k * kQuads + part * 4 + d];
    }
    highest = higher;
    barrier();
  }
  [[unroll]] for (uint d = 0; d < 4; ++d) results[row + part * 4 + d] = sum[d] / weight;
}
