#version 450
layout(std430, set = 0, binding = 0) readonly buffer Positions { vec4 positions[]; };
layout(std140, set = 0, binding = 1) uniform Camera { mat4 view; } cameras[3];
void main() { gl_Position = cameras[1].view * positions[gl_VertexIndex]; }
// SPDX-License-Identifier: Apache-2.0
