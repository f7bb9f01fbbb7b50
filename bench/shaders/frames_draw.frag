// SPDX-License-Identifier: Apache-2.0
// Counts how often each particle was drawn.
#version 450
layout(location = 0) flat in uint number;
layout(set = 0, binding = 2) buffer Counts { uint counts[]; };
layout(location = 0) out vec4 colour;

void main() {
  atomicAdd(counts[number], 1u);
  colour = vec4(unpackUnorm4x8(number * 2654435761u).rgb, 1.0);
}
