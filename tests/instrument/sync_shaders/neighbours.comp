// What an invocation accesses with nothing between that orders is one check: members of a structure, however their index
// is computed, and what was stored and is loaded again.
#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
struct Particle {
  vec4 position;
  vec4 velocity;
  float mass;
  uint hits;
};
layout(set = 0, binding = 0, std430) buffer From { Particle from[]; };
layout(set = 0, binding = 1, std430) buffer To { Particle to[]; };
layout(set = 0, binding = 2, std430) buffer Flags { volatile uint flags[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { vec4 box; uint left, right; };
layout(push_constant) uniform Arguments { uint width; Node node; };
void main() {
  uint i = gl_GlobalInvocationID.y * width + gl_GlobalInvocationID.x;
  // One load of 40 bytes.
  vec4 moved = from[i].position + from[i].velocity * from[i].mass + float(from[i].hits);
  // Two stores, since what is loaded between them may be what the first one stored; nothing for what is loaded again.
  to[i].position = moved;
  to[i].velocity = from[0].velocity;
  to[i].velocity = moved;
  moved += to[i].velocity;
  // Loaded before it is stored: a load and a store.
  to[i].mass += 1.0;
  // Another index.
  ++i;
  moved += from[i].position;
  // One load and one store.
  flags[0] = flags[0] + flags[0];
  // Through a pointer that is loaded again: one load of 24 bytes from its begin on.
  moved += node.box + float(node.left + node.right);
  // What lies in front of what was loaded first is another load: a pointer is taken as it is.
  barrier();
  moved.x += float(node.right);
  moved.y += float(node.left);
  if (moved.x > 0.0) to[i].position = moved;
  to[i].velocity = moved;
}
// SPDX-License-Identifier: Apache-2.0
