#version 460
#extension GL_EXT_ray_tracing : require
layout(location = 0) rayPayloadInEXT vec4 payload;
layout(std430, set = 0, binding = 0) buffer Hits { uint hits[]; };
void main() { atomicAdd(hits[gl_PrimitiveID], 1u); payload = vec4(hits[0]); }
// SPDX-License-Identifier: Apache-2.0
