// Axis-aligned boxes, one an instance, their corners made from the vertex index.
#version 450
#extension GL_EXT_debug_printf : require
struct Box { vec4 centre; vec4 half_size; };
layout(std430, set = 0, binding = 0) readonly buffer Boxes { Box boxes[]; };
layout(push_constant) uniform Push { mat4 view_projection; uvec2 picked; };
layout(location = 0) out vec3 normal;
layout(location = 1) out vec2 texture_position;
layout(location = 2) flat out uint box_index;

void main() {
  const int face = gl_VertexIndex / 6;
  const int corner = int[6](0, 1, 2, 2, 1, 3)[gl_VertexIndex % 6];
  const vec2 uv = vec2(corner & 1, corner >> 1);
  const int axis = face >> 1;
  const float side = (face & 1) == 0 ? -1.0 : 1.0;
  vec3 local;
  local[axis] = side;
  local[(axis + 1) % 3] = uv.x * 2.0 - 1.0;
  local[(axis + 2) % 3] = uv.y * 2.0 - 1.0;
  normal = vec3(0.0);
  normal[axis] = side;
  texture_position = uv * 0.5;
  box_index = gl_InstanceIndex;
  const Box box = boxes[gl_InstanceIndex];
  gl_Position = view_projection * vec4(box.centre.xyz + local * box.half_size.xyz, 1.0);
  if (gl_VertexIndex == 0 && gl_InstanceIndex % 16 == 0)
    debugPrintfEXT("box %d: centre %.2v3f -> clip %.2v4f", gl_InstanceIndex, box.centre.xyz, gl_Position);
}
// SPDX-License-Identifier: Apache-2.0
