// Textured and lit. At the picked pixel every fragment says what it is, those that are drawn over later too.
#version 450
#extension GL_EXT_debug_printf : require
layout(set = 0, binding = 1) uniform sampler2D checker;
layout(push_constant) uniform Push { mat4 view_projection; uvec2 picked; };
layout(location = 0) in vec3 normal;
layout(location = 1) in vec2 texture_position;
layout(location = 2) flat in uint box_index;
layout(location = 0) out vec4 colour;
layout(location = 1) out uint drawn_box;

void main() {
  const float light = 0.3 + 0.7 * max(dot(normal, normalize(vec3(0.4, 0.8, 0.6))), 0.0);
  colour = vec4(texture(checker, texture_position).rgb * light, 1.0);
  drawn_box = box_index + 1;
  if (uvec2(gl_FragCoord.xy) == picked)
    debugPrintfEXT("pixel %v2u: box %u, depth %.4f, colour %.3v3f", picked, box_index, gl_FragCoord.z, colour.rgb);
}
// SPDX-License-Identifier: Apache-2.0
