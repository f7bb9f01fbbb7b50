// SPDX-License-Identifier: Apache-2.0
// Compiled as GLSL by exact.glsl, and as C++ by its tests.

// What an access to own elements has to do with its cells. allowed: in place of the descriptor's array length. reach: of the entry at
// SQA_ACTION_DIRECT (SQA_REACH_* in abi_exact.h).
uint sqa_alone(const uint allowed, const uint reach) {
  // One subtraction compares the three numbers of workgroups: none borrows from the bit above its own.
  bool few = (((allowed | uint(SQA_REACH_ABOVE)) - (reach & uint(SQA_REACH_UNKNOWN))) & uint(SQA_REACH_ABOVE)) == uint(SQA_REACH_ABOVE);
  uint slots = reach & uint(SQA_REACH_SLOTS);
  uint alone = few && (slots & ~allowed) == 0u ? uint(SQA_ALONE_REPLACES) : uint(SQA_ALONE_NOT);
  if (alone != uint(SQA_ALONE_NOT) && (allowed & uint(SQA_REACH_STORED_LATER)) != 0u) {
    if (((reach >> ((allowed >> SQA_REACH_STORED) & 7u)) & 1u) != 0u)
      alone = uint(SQA_ALONE_LEAVES);
    else if ((allowed & uint(SQA_REACH_ONLY_READ)) == 0u || (slots & (slots - 1u)) != 0u)
      alone = uint(SQA_ALONE_NOT);
  }
  return alone;
}
