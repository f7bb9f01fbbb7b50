// Counts how many particles each of 256 cells has.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "samples/sync/particles.glsl"
void main() { atomicAdd(counts[cell_of(particles[gl_GlobalInvocationID.x].position)], 1u); }
// SPDX-License-Identifier: Apache-2.0
