// SPDX-License-Identifier: Apache-2.0
// What the synchronisation check knows about its invocation, with every engine.

layout(buffer_reference, std430, buffer_reference_align = 4) buffer SqaDwords {
  uint dwords[];
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer SqaQuads {
  uvec4 quads[];
};

#ifdef SQA_RANGES
uvec2 sqa_record;  // address of a record of range accesses, or of an action
#define sqa_record_dword(i) SqaDwords(sqa_record).dwords[i]
#define sqa_record_quad(i) SqaQuads(sqa_record).quads[(i) >> 2]
#else
// The action record. The import sets its descriptor set.
layout(std140, set = 0, binding = 0) uniform SqaActionRecord {
  uvec4 quads[SQA_ACTION_MAX_DWORDS / 4];
} sqa_record;
#define sqa_record_dword(i) sqa_record.quads[(i) >> 2][(i) & 3]
#define sqa_record_quad(i) sqa_record.quads[(i) >> 2]
#endif
// The slot that sqa_skips is asked for.
#ifndef SQA_DESCRIPTOR_BUFFERS
#define sqa_watched_slot(descriptor, slot) slot
#endif
#define sqa_record_address(i) uvec2(sqa_record_dword(i), sqa_record_dword((i) + 1))

uint sqa_phase;       // barriers of the workgroup that this invocation passed
uint sqa_ordered;     // not 0: something that the engine cannot see orders what this invocation does

// From here on, until `ordered` is false again, something that the engine cannot see (a device fence together with atomics, an
// interlock) orders this invocation. Its accesses are still stored for others to find, but it reports nothing.
void sqa_set_ordered(const bool ordered) { sqa_ordered = uint(ordered); }
