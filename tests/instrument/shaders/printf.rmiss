#version 460
#extension GL_EXT_debug_printf : require
#extension GL_EXT_ray_tracing : require
layout(location = 0) rayPayloadInEXT float distance;
void main() { debugPrintfEXT("miss"); distance = -1.0; }
// SPDX-License-Identifier: Apache-2.0
