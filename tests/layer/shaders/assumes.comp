#version 460
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(extensions = ["SPV_KHR_expect_assume"], capabilities = [5629], id = 5630) void assume_true(bool b);
layout(local_size_x = 1) in;
void main() { assume_true(gl_GlobalInvocationID.x != 7u); }
// SPDX-License-Identifier: Apache-2.0
