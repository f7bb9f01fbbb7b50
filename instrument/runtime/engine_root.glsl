// SPDX-License-Identifier: Apache-2.0
// How the layer's own compute shaders find everything. The root block is at the same address in each run where the driver allows
// that, and nothing else in them differs from run to run: so the driver's cache has them.
layout(constant_id = 0) const uint root_low = 0u;  // address of Root
layout(constant_id = 1) const uint root_high = 0u;

layout(buffer_reference, std430, buffer_reference_align = 8) buffer SqaEngineRoot {
  uint before[52];
  uvec2 engine;
};
uvec2 sqa_root() { return uvec2(root_low, root_high); }
uvec2 sqa_engine_state() { return SqaEngineRoot(sqa_root()).engine; }
