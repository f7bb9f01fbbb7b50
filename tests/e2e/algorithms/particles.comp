// One step of particles that attract their neighbours, from one buffer to another.
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 64) in;
struct Particle { vec2 position, velocity; };
layout(set = 0, binding = 0) readonly buffer Before { Particle before[]; };
layout(set = 0, binding = 1) writeonly buffer After { Particle after[]; };
layout(set = 0, binding = 2) coherent buffer Statistics { uint fastest; };
layout(push_constant) uniform Push { uint count; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= count) return;
  Particle particle = before[i];
  // Whatever else is in the shader, the sums are the same: compilers may fuse products into others.
  precise vec2 force = vec2(0.0);
  [[dont_unroll]] for (uint n = 1u; n <= 8u; ++n) {
    precise vec2 way = before[(i + n * 29u) % count].position - particle.position;
    precise float square = way.x * way.x + way.y * way.y;
    force += way / (1.0 + square);
  }
  precise vec2 velocity = particle.velocity * 0.99 + force * 0.01;
  precise vec2 position = particle.position + velocity * 0.01;
  after[i] = Particle(position, velocity);
  uint speed = uint(length(velocity) * 65536.0);
  atomicMax(fastest, speed);  //~ fastest: fastest = max(fastest, speed);
}
// SPDX-License-Identifier: Apache-2.0
