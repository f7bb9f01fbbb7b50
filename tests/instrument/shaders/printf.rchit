#version 460
#extension GL_EXT_debug_printf : require
#extension GL_EXT_ray_tracing : require
layout(location = 0) rayPayloadInEXT float distance;
void main() { debugPrintfEXT("hit %f", gl_HitTEXT); distance = gl_HitTEXT; }
// SPDX-License-Identifier: Apache-2.0
