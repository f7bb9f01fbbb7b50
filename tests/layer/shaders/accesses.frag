#version 460
layout(set = 0, binding = 0) buffer Values {
  uint values[];
};
void main() { values[uint(gl_FragCoord.x)] += 1u; }
// SPDX-License-Identifier: Apache-2.0
