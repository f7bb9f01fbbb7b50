// SPDX-License-Identifier: Apache-2.0
#version 460
layout(local_size_x = 4) in;
layout(constant_id = 3) const uint kStep = 1;
layout(set = 0, binding = 0) buffer Values {
  uint results[];
};
shared uint elements[64];
void main() {
  elements[gl_LocalInvocationIndex * kStep] = gl_LocalInvocationIndex;
  results[gl_GlobalInvocationID.x * kStep] = elements[gl_LocalInvocationIndex * kStep];
}
