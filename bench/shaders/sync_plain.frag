// No buffer is accessed.
#version 460
layout(location = 0) out vec4 colour;
void main() { colour = vec4(1.0); }
// SPDX-License-Identifier: Apache-2.0
