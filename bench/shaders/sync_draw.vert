// A triangle that covers nothing.
#version 460
void main() { gl_Position = vec4(0.0, 0.0, 0.0, 1.0); }
// SPDX-License-Identifier: Apache-2.0
