// The inner nodes of a radix tree over sorted, distinct codes, each found by itself (Karras 2012). Inner nodes
#extension GL_EXT_control_flow_attributes : require
// come first, leaves behind them.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Codes { uint codes[]; };
layout(set = 0, binding = 1) buffer Children { uvec2 children[]; };
layout(set = 0, binding = 2) buffer Parents { uint parents[]; };
layout(push_constant) uniform Push { uint leaves; };

shared uint all_codes[256];

// Common leading bits of two codes, -1 outside.
int common_bits(int i, int j) {
  if (j < 0 || j >= int(leaves)) return -1;
  return 31 - findMSB(all_codes[i] ^ all_codes[j]);
}

void main() {
  [[dont_unroll]] for (uint n = gl_LocalInvocationID.x; n < leaves; n += 64u) all_codes[n] = codes[n];
  barrier();  //= workgroup memory
  int i = int(gl_GlobalInvocationID.x);
  if (i >= int(leaves) - 1) return;
  int direction = common_bits(i, i + 1) > common_bits(i, i - 1) ? 1 : -1;
  int least = common_bits(i, i - direction);
  int most = 2;
  [[dont_unroll]] while (common_bits(i, i + most * direction) > least) most *= 2;
  int range = 0;
  [[dont_unroll]] for (int step = most / 2; step >= 1; step /= 2)
    if (common_bits(i, i + (range + step) * direction) > least) range += step;
  int other = i + range * direction;
  int node_bits = common_bits(i, other);
  int split = 0;
  int step = range;
  [[dont_unroll]] do {
    step = (step + 1) / 2;
    if (common_bits(i, i + (split + step) * direction) > node_bits) split += step;
  } while (step > 1);
  int middle = i + split * direction + min(direction, 0);
  uint inner = leaves - 1u;
  uint left = min(i, other) == middle ? inner + uint(middle) : uint(middle);
  uint right = max(i, other) == middle + 1 ? inner + uint(middle + 1) : uint(middle + 1);
  children[i] = uvec2(left, right);
  parents[left] = uint(i);
  parents[right] = uint(i);
}
// SPDX-License-Identifier: Apache-2.0
