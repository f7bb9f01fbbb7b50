#version 460
void main() { gl_Position = vec4(0); }
// SPDX-License-Identifier: Apache-2.0
