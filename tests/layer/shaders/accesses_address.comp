#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 1) in;
layout(buffer_reference, std430) buffer Values {
  uint values[];
};
layout(push_constant) uniform Push { Values at; };
void main() { at.values[gl_GlobalInvocationID.x] += 1u; }
// SPDX-License-Identifier: Apache-2.0
