// SPDX-License-Identifier: Apache-2.0
// The descriptor table: the shadow of one VkDescriptorSet, in which instrumented shaders look up where a
// descriptor's memory lies. Read by GLSL and by C++. All words are little endian.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_TABLE_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_TABLE_H

// Entry 0 is the header {number of slots, 0, 0, 0}; slot i is entry i + 1: {address low, address high, range,
// meta}. The address is 0 for a null descriptor, one that was never written, or one whose accesses are not
// checked. The range is in bytes, clamped to 4 GiB - 1.
#define SQA_TABLE_ENTRY_DWORDS 4
// meta: texel bytes in the low 8 bits (0: not a texel buffer), then flags.
#define SQA_TABLE_DYNAMIC 0x100    // add the dynamic offset of the bind
#define SQA_TABLE_READ_ONLY 0x200  // shaders cannot write the buffer, unless FilterSubmission.aliased is set

#endif
