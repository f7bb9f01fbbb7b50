// SPDX-License-Identifier: Apache-2.0
// Compiled as GLSL by exact.glsl, and as C++ by its tests.

// What an access to own elements has to do with its cells. access: in place of the descriptor's array length. reach: of the entry at
// SQA_ACTION_DIRECT (SQA_REACH_* in abi_exact.h). On an H200, each instruction here makes a copy take 1 % longer.
uint sqa_alone(const uint access, const uint reach) {
  uint alone = (reach & access) == 0u ? uint(SQA_ALONE_REPLACES) : uint(SQA_ALONE_NOT);
  if (alone != uint(SQA_ALONE_NOT) && (access & uint(SQA_REACH_STORED_LATER)) != 0u) {
    uint slots = reach & uint(SQA_REACH_SLOTS);
    if (((reach >> ((access >> SQA_REACH_STORED) & 7u)) & 1u) != 0u)
      alone = uint(SQA_ALONE_LEAVES);
    else if ((access & uint(SQA_REACH_ONLY_READ)) == 0u || (slots & (slots - 1u)) != 0u)
      alone = uint(SQA_ALONE_NOT);
  }
  return alone;
}
