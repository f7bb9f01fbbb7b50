// Helper invocations have no accesses.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;
layout(std430, set = 0, binding = 0) buffer Touched { uint touched[]; };
void main() {
  if (at.x < 0.5) discard;
  touched[uint(gl_FragCoord.x)] = 1u;
  color = dFdx(vec4(at, at));
}
// SPDX-License-Identifier: Apache-2.0
