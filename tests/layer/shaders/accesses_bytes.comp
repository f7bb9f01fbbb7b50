#version 460
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Values {
  uint8_t values[];
};
void main() { values[gl_GlobalInvocationID.x] = uint8_t(gl_GlobalInvocationID.x); }
// SPDX-License-Identifier: Apache-2.0
