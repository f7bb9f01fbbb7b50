#version 460
#extension GL_EXT_ray_tracing : require

layout(location = 1) rayPayloadInEXT float sunlight;

void main() { sunlight = 1.0; }
// SPDX-License-Identifier: Apache-2.0
