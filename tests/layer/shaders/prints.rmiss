#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_debug_printf : require
layout(location = 0) rayPayloadInEXT uint payload;
void main() {
  debugPrintfEXT("missed");
  payload = 1;
}
// SPDX-License-Identifier: Apache-2.0
