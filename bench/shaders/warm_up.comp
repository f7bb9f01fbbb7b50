// Arithmetic alone, to bring the GPU to its full clocks. The result goes to a storage image, which shaderqa does not
// check, so that this shader costs the same under the layer as without it.
#version 460
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, r32f) uniform writeonly image2D result;
layout(push_constant) uniform Push { uint rounds; };
void main() {
  float x = float(gl_LocalInvocationID.x), y = 0.5;
  for (uint n = 0u; n < rounds; ++n) {
    y = fma(y, 0.999, x);
    x = fma(x, 0.5, y * 0.001);
  }
  imageStore(result, ivec2(gl_LocalInvocationID.x, gl_WorkGroupID.x), vec4(y));
}
// SPDX-License-Identifier: Apache-2.0
