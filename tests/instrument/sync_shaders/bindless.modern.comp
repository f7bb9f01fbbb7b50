// Arrays of descriptors with an index of each invocation's own, addresses, small types, atomics on 64 bits.
#version 460
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 64) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node {
  vec4 value;
  layout(row_major) mat2x3 rows;
  Node next;
  uint8_t small[4];
  float16_t half_value;
  uint64_t wide;
};
layout(std430, set = 0, binding = 0) buffer Bucket { uint data[]; } buckets[];
layout(std430, set = 0, binding = 1) buffer Heads {
  Node first;
  uvec2 raw;
  u16vec3 shorts[4];
  uint64_t total;
} heads;
void touch(Node node, uint i) { node.value.y = float(i); }
void main() {
  uint i = gl_GlobalInvocationID.x;
  buckets[nonuniformEXT(i & 15u)].data[i] = 1u;
  buckets[3].data[i] = 2u;
  Node node = heads.first;
  node.next.value = node.value;
  node.rows[1] = vec3(1.0);
  node.rows = node.next.rows;
  node.small[i & 3u] = uint8_t(i);
  node.half_value = float16_t(1.0);
  heads.shorts[int16_t(i)].z = uint16_t(3);
  atomicAdd(heads.total, 1ul);
  atomicAdd(node.wide, 1ul);
  touch(Node(heads.raw), i);
  heads.first = node.next;
}
// SPDX-License-Identifier: Apache-2.0
