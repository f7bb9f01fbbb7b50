#version 450
layout(location = 0) in vec2 position;
layout(location = 0) out vec4 color;
layout(location = 1) out float weight;
layout(location = 2) out vec4 fixed_color;
void main() {
  if (position.x < 0.0) discard;
  vec2 slope = dFdx(position) / position.y;
  color = vec4(slope, inversesqrt(position.x), 1.0);
  weight = log(position.y);
  fixed_color = vec4(0.5);
  gl_FragDepth = position.x / position.y;
}
// SPDX-License-Identifier: Apache-2.0
