// SPDX-License-Identifier: Apache-2.0
// The exact engine's order between actions (docs/internals/exact.md): sequence numbers, classes of producers
// and consumers, and floors. Read by GLSL and by C++. All words are little endian.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_ORDER_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_ORDER_H

// Classes of producers and consumers.
#define SQA_CLASS_COMPUTE 0
#define SQA_CLASS_PRE_RASTERIZATION 1
#define SQA_CLASS_FRAGMENT 2
#define SQA_CLASS_RAY_TRACING 3
#define SQA_CLASS_INDIRECT 4
#define SQA_CLASS_VERTEX_INPUT 5
#define SQA_CLASS_TRANSFER 6
#define SQA_CLASS_BUILD 7
#define SQA_CLASS_TRANSITION SQA_CLASS_BUILD  // of images' layouts: no build accesses images
#define SQA_CLASS_HOST 8
#define SQA_CLASS_CLEAR 9  // fills and updates: transfers, but of another stage than copies
// Attachments of depth and stencil, and what else comes in front of the fragment shader and is not followed.
#define SQA_CLASS_DEPTH 10
#define SQA_CLASS_COLOR 11
// Blits, resolves, and all stages whose accesses are not followed: dependencies chain through them.
#define SQA_CLASS_OTHER 12
#define SQA_CLASS_CONDITION 13  // predicates of conditional rendering
#define SQA_CLASSES 14          // at most 15: two masks of classes share a floor

// Sequence number of an access: ExactSubmission.first_sequence + the record's SQA_ACTION_SEQUENCE + its
// column. A direct dispatch or trace takes one sequence number, an indirect one three, a draw four.
#define SQA_EPOCH_BIT 0x4000  // of a sequence number: numbers start again in each epoch
// SequenceInfo, by sequence number: class | queue << 8.
#define SQA_MAX_QUEUES 16

// An action's floors, for its consumers: columns in the order of SQA_COLUMN_*. A header {u32 regions, u32
// class of the main column, 0, 0}, then regions {u64 begin, u64 end, u32
// floors[SQA_FLOOR_COLUMNS][SQA_FLOOR_KINDS][SQA_CLASSES]} (by producer), the first for all memory. An
// address has the highest floor of the regions that contain it.
#define SQA_COLUMN_MAIN 0  // compute, pre-rasterization, ray tracing
#define SQA_COLUMN_FRAGMENT 1
#define SQA_COLUMN_INDIRECT 2
#define SQA_COLUMN_VERTEX_INPUT 3
#define SQA_FLOOR_COLUMNS 4
#define SQA_COLUMN_UNIFORM 4  // beside a column's number: the access is a read of a uniform buffer
#define SQA_FLOOR_HEADER_DWORDS 4
#define SQA_FLOOR_EXECUTED 0
#define SQA_FLOOR_AVAILABLE 1
#define SQA_FLOOR_VISIBLE 2
#define SQA_FLOOR_VISIBLE_UNIFORM 3  // to reads of uniform buffers, which have an access flag of their own
#define SQA_FLOOR_KINDS 4
// What a semaphore or the host's wait made visible to every access. Only the floors that a command buffer
// inherits have this kind.
#define SQA_FLOOR_VISIBLE_TO_ALL 4
#define SQA_INHERITED_KINDS 5
#define SQA_REGION_DWORDS (4 + SQA_FLOOR_COLUMNS * SQA_FLOOR_KINDS * SQA_CLASSES)
#define SQA_SPACE_REGIONS 16  // at most, of buffers, and as many of images
#define SQA_MAX_REGIONS (1 + 2 * SQA_SPACE_REGIONS)
// A floor is the number of sequence numbers of this command buffer, counted from 0, that lie below it. With
// this bit set it is the number of a floor that the command buffer had when it began: SubmissionState says
// which sequence number that was (SQA_SUBMISSION_FLOORS).
#define SQA_FLOOR_INHERITED 0x80000000
#define SQA_INHERITED_FLOORS 1024  // at most, of a command buffer
// Floors of a record whose main column is SQA_CLASS_HOST say what the host reads after it has waited.
// Instead of regions there are, behind the header and by queue: the sequence number up to which it was
// compared before, the one up to which it is known to be done, and, by producer, up to which one writes are
// visible to the host.
#define SQA_HOST_SEEN 0
#define SQA_HOST_DONE 1
#define SQA_HOST_VISIBLE 2  // [SQA_CLASSES]
#define SQA_HOST_DWORDS (2 + SQA_CLASSES)

#endif
