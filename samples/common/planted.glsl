// SPDX-License-Identifier: Apache-2.0
// Mistakes on request (planted.h). The including shader defines STAGE, the number of its stage in the sample, and this file
// adds the last binding of its set. The same instructions run without mistakes, and then nothing is wrong.
#extension GL_EXT_debug_printf : require
#extension GL_EXT_spirv_intrinsics : require

spirv_instruction(extensions = ["SPV_KHR_expect_assume"], capabilities = [5629], id = 5630) void assume_true(bool b);

layout(push_constant) uniform Planted {
  uint bugs;
  uint stages;
} planted;
layout(set = 0, binding = 3, std430) buffer Scratch {
  uint raced[16];
  float measured[16];
};

bool planted_bug(const uint bug) {
  return (planted.bugs >> bug & planted.stages >> STAGE & 1u) != 0u;
}

bool planted_print(const bool chosen) { return chosen && planted_bug(0u); }

// chosen: this one invocation makes the mistakes of its stage; all invocations race. who: a number that differs among them.
void plant(const bool chosen, const uint who) {
  assume_true(!chosen || !planted_bug(1u));
  if (planted_bug(2u)) raced[STAGE] = who;
  if (chosen && planted_bug(3u)) measured[STAGE] = sqrt(-float(planted.bugs));
}
