// SPDX-License-Identifier: Apache-2.0
// Each workgroup sorts 512 pairs by their keys: a bitonic network in shared memory, all steps written out as engines do it for
// particles and as runtimes for machine learning do it for the best tokens.
#version 460
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 256) in;
layout(std430, set = 0, binding = 0) readonly buffer Keys { uint keys[]; };
layout(std430, set = 0, binding = 1) readonly buffer Values { uint values[]; };
layout(std430, set = 0, binding = 2) writeonly buffer Sorted { uvec2 sorted[]; };

shared uint key_of[512];
shared uint value_of[512];

void step_of(uint block, uint stride) {
  uint i = gl_LocalInvocationID.x;
  uint low = (i / stride) * stride * 2 + i % stride, high = low + stride;
  bool ascending = (low & block) == 0;
  uint a = key_of[low], b = key_of[high];
  if ((a > b) == ascending) {
    key_of[low] = b;
    key_of[high] = a;
    uint value = value_of[low];
    value_of[low] = value_of[high];
    value_of[high] = value;
  }
  barrier();
}

void main() {
  uint first = gl_WorkGroupID.x * 512;
  [[unroll]] for (uint part = 0; part < 2; ++part) {
    uint i = gl_LocalInvocationID.x + part * 256;
    key_of[i] = keys[first + i];
    value_of[i] = values[first + i];
  }
  barrier();
  [[unroll]] for (uint block = 2; block <= 512; block *= 2)
    [[unroll]] for (uint stride = block / 2; stride != 0; stride /= 2) step_of(block, stride);
  [[unroll]] for (uint part = 0; part < 2; ++part) {
    uint i = gl_LocalInvocationID.x + part * 256;
    sorted[first + i] = uvec2(key_of[i], value_of[i]);
  }
}
