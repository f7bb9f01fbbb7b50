// A function that gets its texel buffers as parameters, and a memory model that makes visible what it says.
#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) writeonly uniform imageBuffer left;
layout(set = 0, binding = 1) writeonly uniform imageBuffer right;
layout(set = 0, binding = 2) uniform samplerBuffer source;
layout(set = 0, binding = 3) uniform samplerBuffer other;
void copy(writeonly imageBuffer to, samplerBuffer from, int i) { imageStore(to, i, texelFetch(from, i)); }
void main() {
  int i = int(gl_GlobalInvocationID.x);
  copy(left, source, i);
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer | gl_StorageSemanticsImage,
                 gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
  copy(right, other, i + 1);
}
// SPDX-License-Identifier: Apache-2.0
