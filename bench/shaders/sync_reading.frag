// A storage buffer is read.
#version 460
layout(set = 0, binding = 0, std430) readonly buffer From { vec4 from[]; };
layout(location = 0) out vec4 colour;
void main() { colour = from[0]; }
// SPDX-License-Identifier: Apache-2.0
