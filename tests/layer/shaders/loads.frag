#version 460
// SPDX-License-Identifier: Apache-2.0
layout(set = 0, binding = 0, r32ui) readonly uniform uimage2D image;
layout(location = 0) out uint loaded;
void main() { loaded = imageLoad(image, ivec2(gl_FragCoord.xy)).x; }
