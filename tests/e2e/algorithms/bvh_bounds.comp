// Bounds from the leaves up: of a node's two children the one that comes second goes on.
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Points { uvec2 points[]; };
layout(set = 0, binding = 1) readonly buffer Children { uvec2 children[]; };
layout(set = 0, binding = 2) readonly buffer Parents { uint parents[]; };
layout(set = 0, binding = 3) coherent buffer Visits { uint visits[]; };
layout(set = 0, binding = 4) coherent buffer Bounds { uvec4 bounds[]; };
layout(push_constant) uniform Push { uint leaves; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= leaves) return;
  uint node = leaves - 1u + i;
  bounds[node] = points[i].xyxy;
  [[dont_unroll]] while (node != 0u) {
    node = parents[node];
    memoryBarrierBuffer();  //- release
    uint before = atomicAdd(visits[node], 1u);  //~ visit: uint before = visits[node]; visits[node] = before + 1u;
    if (before == 0u) return;
    memoryBarrierBuffer();  //- acquire
    uvec2 both = children[node];
    uvec4 left = bounds[both.x];
    uvec4 right = bounds[both.y];
    bounds[node] = uvec4(min(left.xy, right.xy), max(left.zw, right.zw));
  }
}
// SPDX-License-Identifier: Apache-2.0
