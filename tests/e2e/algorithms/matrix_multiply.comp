// C += A * B of square matrices, by tiles of 8x8 in workgroup memory; the sums over k are split among workgroups.
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) readonly buffer B { uint b[]; };
layout(set = 0, binding = 2) buffer C { uint c[]; };
layout(push_constant) uniform Push { uint size; };
shared uint tile_a[8][8], tile_b[8][8];

void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  uint row = gl_GlobalInvocationID.y, column = gl_GlobalInvocationID.x;
  uint part = size / gl_NumWorkGroups.z;
  uint sum = 0u;
  [[dont_unroll]] for (uint k = gl_WorkGroupID.z * part; k < (gl_WorkGroupID.z + 1u) * part; k += 8u) {
    tile_a[y][x] = a[row * size + k + x];
    tile_b[y][x] = b[(k + y) * size + column];
    barrier();  //= workgroup memory
    [[dont_unroll]] for (uint n = 0u; n < 8u; ++n) sum += tile_a[y][n] * tile_b[n][x];
    barrier();  //= workgroup memory
  }
  atomicAdd(c[row * size + column], sum);  //~ accumulate: c[row * size + column] += sum;
}
// SPDX-License-Identifier: Apache-2.0
