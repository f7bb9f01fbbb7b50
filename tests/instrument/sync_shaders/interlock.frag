#version 450
#extension GL_ARB_fragment_shader_interlock : require
layout(pixel_interlock_ordered) in;
layout(std430, set = 0, binding = 0) buffer Layers { uint layers[]; };
void main() {
  beginInvocationInterlockARB();
  layers[uint(gl_FragCoord.x)] += 1u;
  endInvocationInterlockARB();
  layers[0] = 3u;
}
// SPDX-License-Identifier: Apache-2.0
