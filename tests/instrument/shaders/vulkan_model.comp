#version 460
#extension GL_EXT_debug_printf : require
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Data { uint values[]; };
void main() {
  uint old = atomicAdd(values[0], 1u, gl_ScopeQueueFamily, 0, 0);
  debugPrintfEXT("old %u", old);
}
// SPDX-License-Identifier: Apache-2.0
