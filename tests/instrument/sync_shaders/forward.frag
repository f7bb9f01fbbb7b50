// SPDX-License-Identifier: Apache-2.0
// Reads through every kind of descriptor, and stores to two buffers, of which it reads one.
#version 450
layout(std140, set = 0, binding = 0) uniform Camera { vec4 tint; };
layout(std430, set = 0, binding = 1) readonly buffer Lights { vec4 lights[]; };
layout(set = 0, binding = 2) uniform sampler2D albedo;
layout(input_attachment_index = 0, set = 0, binding = 3) uniform subpassInput depth;
layout(std430, set = 0, binding = 4) buffer Seen { uint seen[]; };
layout(std430, set = 0, binding = 5) writeonly buffer Out { uint values[]; };
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;
void main() {
  color = tint + lights[0] + texture(albedo, at) + subpassLoad(depth) + float(seen[1]);
  seen[uint(gl_FragCoord.x)] = 1u;
  values[uint(gl_FragCoord.y)] = 2u;
}
