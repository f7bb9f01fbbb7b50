#version 460
layout(location = 0) in vec3 position;
layout(location = 1) in vec2 place;
layout(location = 2) in vec4 unused;
layout(location = 3) in float colour;
void main() { gl_Position = vec4(position.xy + place, position.z, colour); }
// SPDX-License-Identifier: Apache-2.0
