// Keys and their payload go to the place that the counts give them; those of one digit stay in order.
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Keys { uint keys[]; };
layout(set = 0, binding = 1) readonly buffer Counts { uint counts[]; };
layout(set = 0, binding = 2) buffer Sorted { uint sorted[]; };
layout(set = 0, binding = 3) readonly buffer Payload { uint payload[]; };
layout(set = 0, binding = 4) buffer SortedPayload { uint sorted_payload[]; };
layout(set = 0, binding = 5) coherent buffer Digits { uint digits[]; };
layout(push_constant) uniform Push { uint shift; };

void main() {
  uint l = gl_LocalInvocationID.x;
  uint group = gl_WorkGroupID.x, groups = gl_NumWorkGroups.x;
  uint first = group * 64u;
  uint key = keys[first + l];
  uint digit = (key >> shift) & 15u;
  digits[first + l] = digit;
  memoryBarrierBuffer(); barrier();  //- digits
  uint place = counts[digit * groups + group];
  [[dont_unroll]] for (uint before = 0u; before < l; ++before) place += uint(digits[first + before] == digit);
  sorted[place] = key;
  sorted_payload[place] = payload[first + l];
}
// SPDX-License-Identifier: Apache-2.0
