// Exclusive prefix sum over 256 bins in one workgroup: where each bin begins in the sorted output.
#version 450
#extension GL_EXT_debug_printf : require
layout(local_size_x = 256) in;
layout(std430, set = 0, binding = 0) readonly buffer Counts { uint counts[256]; };
layout(std430, set = 0, binding = 1) buffer Starts { uint starts[256]; };
shared uint sums[256];

void main() {
  const uint bin = gl_LocalInvocationIndex;
  sums[bin] = counts[bin];
  barrier();
  for (uint step = 1; step < 256; step *= 2) {
    const uint before = bin >= step ? sums[bin - step] : 0;
    barrier();
    sums[bin] += before;
    barrier();
  }
  starts[bin] = sums[bin] - counts[bin];
  if (bin == 255)
    debugPrintfEXT("%u values in 256 bins, %.2f a bin on average", sums[bin], float(sums[bin]) / 256.0);
}
// SPDX-License-Identifier: Apache-2.0
