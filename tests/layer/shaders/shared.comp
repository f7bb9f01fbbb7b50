// SPDX-License-Identifier: Apache-2.0
#version 460
layout(local_size_x = 4) in;
layout(constant_id = 3) const uint kElements = 8;
layout(set = 0, binding = 0) buffer Values {
  uint result;
};
shared uint elements[kElements];
void main() {
  // Where is not known, so the accesses are checked.
  elements[(gl_LocalInvocationIndex + result) % kElements] = gl_LocalInvocationIndex;
  barrier();
  result = elements[3 - gl_LocalInvocationIndex];
}
