// The inclusive sums of all values in one dispatch: each workgroup looks back at those before it for theirs.
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Values { uint values[]; };
layout(set = 0, binding = 1) coherent buffer State { uint tickets; };
layout(set = 0, binding = 2) coherent buffer Flags { uint flags[]; };  // 0 nothing, 1 aggregate, 2 inclusive
layout(set = 0, binding = 3) coherent buffer Aggregates { uint aggregate[]; };
layout(set = 0, binding = 4) coherent buffer Inclusives { uint inclusive[]; };
layout(set = 0, binding = 5) writeonly buffer Sums { uint sums[]; };
shared uint scratch[64];
shared uint shared_tile, shared_before;

uint look(uint tile) {
  uint sum = 0u;
  uint other = tile - 1u;
  [[dont_unroll]] for (uint tries = 0u; tries < TRIES; ++tries) {
    uint flag = atomicOr(flags[other], 0u);  //~ look: uint flag = flags[other];
    if (flag == 0u) continue;
    memoryBarrierBuffer();  //- acquire
    if (flag == 2u) return sum + inclusive[other];
    sum += aggregate[other];
    if (other == 0u) break;
    --other;
  }
  return sum;
}

void main() {
  uint l = gl_LocalInvocationID.x;
  if (l == 0u) {
    uint ticket = atomicAdd(tickets, 1u);  //~ ticket: uint ticket = tickets; tickets = ticket + 1u;
    shared_tile = ticket;
  }
  barrier();  //= workgroup memory
  uint tile = shared_tile;
  uint sum = values[tile * 64u + l];
  scratch[l] = sum;
  [[dont_unroll]] for (uint step = 1u; step < 64u; step *= 2u) {
    barrier();  //= workgroup memory
    uint before = l >= step ? scratch[l - step] : 0u;
    barrier();  //= workgroup memory
    sum += before;
    scratch[l] = sum;
  }
  if (l == 63u) {
    uint before = 0u;
    if (tile != 0u) {
      aggregate[tile] = sum;
      memoryBarrierBuffer();  //- release_aggregate
      atomicExchange(flags[tile], 1u);  //~ publish_aggregate: flags[tile] = 1u;
      before = look(tile);
    }
    inclusive[tile] = before + sum;
    memoryBarrierBuffer();  //- release_inclusive
    atomicExchange(flags[tile], 2u);  //~ publish_inclusive: flags[tile] = 2u;
    shared_before = before;
  }
  barrier();  //= workgroup memory
  sums[tile * 64u + l] = shared_before + sum;
}
// SPDX-License-Identifier: Apache-2.0
