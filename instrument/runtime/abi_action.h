// SPDX-License-Identifier: Apache-2.0
// The action record: what only one draw, dispatch or trace knows, whatever the engine. Each action that needs
// one has one, bound as a (dynamic) uniform buffer, binding 0, in the reserved descriptor set. The engines
// keep their own parts of it: abi_filter.h, abi_exact.h. Read by GLSL and by C++. All words are little
// endian.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_ACTION_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_ACTION_H

// Dword indices.
#define SQA_ACTION_SELF 0             // u64: its own device address
#define SQA_ACTION_NUMBER 2           // u32, unique on the device, never 0
#define SQA_ACTION_INDIRECT_DONE 3    // written by the shader: serial of the submission that checked them
#define SQA_ACTION_ENGINE 4           // u64: address of FamilyState or ExactState; 0: nothing is checked
#define SQA_ACTION_SUBMISSION 6       // u64: address of SubmissionState
#define SQA_ACTION_INDIRECT 8         // u64: address of the command's arguments, 0: a direct command
#define SQA_ACTION_INDIRECT_COUNT 10  // u64: address of the draw count of *IndirectCount, 0: none
#define SQA_ACTION_INDIRECT_BYTES 12  // of the arguments
// Written by submissions. Bit sqa_layout_bit(set, slot): the image of such a descriptor is in another layout
// than the descriptor says (docs/internals/images.md#layouts).
#define SQA_ACTION_LAYOUTS 13
#define sqa_layout_bit(set, slot) (((set)*7u + (slot)) & 31u)
// The exact engine's, whose own part begins later. Bit sqa_layout_bit(set, slot): through such a descriptor
// of an image, in the first SQA_WATCHED_SLOTS slots, all reads are checked; else some
// (SQA_IMAGE_SPARSE_STEP).
#define SQA_ACTION_DENSE 14
// A mask: one place of (this + 1) checks all reads of sparse images, or logs its reads (abi_reads.h). A place
// is a workgroup (0: checked are texels by their place, samples in some workgroups), or a tile of fragments.
#define SQA_ACTION_SPARSE_PLACES 15
// The engines' parts, whole quads of dwords but for the filter's, which shares one with the common part.
#define SQA_ACTION_FILTER_PART 14
#define SQA_ACTION_EXACT_PART 16
#define SQA_ACTION_TABLES 40  // u64[SQA_MAX_SETS]: addresses of descriptor tables; 0: no set bound
#define SQA_MAX_SETS 16
#define SQA_NOT_DYNAMIC 0xffffffff
// u32 each: dynamic offsets, flat, as vkCmdBindDescriptorSets counts them. Records without direct descriptors
// end behind the last offset that they need.
#define SQA_ACTION_DYNAMIC 72
#define SQA_ACTION_MAX_DYNAMIC 48
#define SQA_ACTION_DIRECT_PART 120  // the exact engine's direct descriptors, to the end
#define SQA_ACTION_MAX_DWORDS 184   // whole quads

// The runtime's descriptor argument has the number of the set below this bit. Above it: 1 + the number of the
// descriptor's entry at SQA_ACTION_DIRECT (abi_exact.h), or 0; for descriptor buffers see abi_resolve.h.
#define SQA_DIRECT_SHIFT 8

// --- Dwords of SubmissionState that every engine has (abi_submission.h).
#define SQA_SUBMISSION_QUEUE 0
#define SQA_SUBMISSION_SERIAL 1
#define SQA_SUBMISSION_FILTER_PART 2
#define SQA_SUBMISSION_EXACT_PART 4

#endif
