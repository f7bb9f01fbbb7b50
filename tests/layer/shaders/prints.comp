#version 460
#extension GL_EXT_debug_printf : require
layout(local_size_x = 1) in;
void main() { debugPrintfEXT("compute %u", gl_GlobalInvocationID.x); }
// SPDX-License-Identifier: Apache-2.0
