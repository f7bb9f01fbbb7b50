// SPDX-License-Identifier: Apache-2.0
// The check of workgroup memory: its cells, and what a report of it holds. Read by GLSL and by C++.
// docs/internals/workgroup-memory.md explains it.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_SHARED_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_SHARED_H

// A cell, from its highest bits down: phase, subphase, state, owner, tag. How many bits they have depends on
// the shader ("shape"). Cells only grow, so an access is stored by an atomic maximum.
//   phase     control barriers that the workgroup had passed, from 1; a cell of 0 was never accessed
//   subphase  barriers of its subgroup since the last of these that ordered memory
//   owner     invocation: local index, or where subgroups are told apart subgroup * subgroup size + lane
//   tag       number of the access in the shader, from 1; 0: it has none
#define SQA_SHARED_STATE_BITS 4
#define SQA_SHARED_SUBPHASE_BITS 3

// States, each with what others may not do. ONE: one invocation; GROUP: several of one subgroup; SEVERAL:
// several, of several subgroups where subgroups are told apart.
#define SQA_SHARED_PEEK_ONE 1  // atomic loads
#define SQA_SHARED_PEEK_GROUP 2
#define SQA_SHARED_PEEK_SEVERAL 3
#define SQA_SHARED_PASSED_ONE 4  // reads whose value a subgroup operation passes on
#define SQA_SHARED_READ_ONE 5
#define SQA_SHARED_READ_GROUP 6
#define SQA_SHARED_PASSED_GROUP 7  // at least one of them is passed on
#define SQA_SHARED_READ_SEVERAL 8
#define SQA_SHARED_ATOMIC_ONE 9  // other atomics
#define SQA_SHARED_ATOMIC_GROUP 10
#define SQA_SHARED_ATOMIC_SEVERAL 11
#define SQA_SHARED_MIXED_ONE 12  // reads and atomics of one invocation
// Reads of what the same subgroup wrote in an earlier subphase: for its invocations reads, for others writes.
#define SQA_SHARED_BEHIND_ONE 13
#define SQA_SHARED_BEHIND_GROUP 14
#define SQA_SHARED_WRITE_ONE 15

// Sets of states, a bit for each.
#define SQA_SHARED_ONE_INVOCATION 0xb232
#define SQA_SHARED_ONE_SUBGROUP 0xf6f6
#define SQA_SHARED_SEVERAL 0x0dcc  // none of them a write
#define SQA_SHARED_READS 0x01f0
// What may be passed on: whether atomic loads and BEHIND are is not held.
#define SQA_SHARED_PASSED_ON 0x6096
#define SQA_SHARED_PEEK_CONFLICTS 0x8000
#define SQA_SHARED_READ_CONFLICTS 0x9e00  // for other subgroups also BEHIND
#define SQA_SHARED_ATOMIC_CONFLICTS 0xf1f0
#define SQA_SHARED_WRITE_CONFLICTS 0xfffe

// The argument `shape` of the runtime, a byte each from the lowest: bits of tag, owner and subphase, and
//   width  of an access that depends on what a subgroup operation returned: how many invocations that
//          connects, 255 for the subgroup; otherwise 0
// SQA_SHARED_PARTLY_ORDERED, in the byte of the subphase: behind something in this shader only accesses up to
// some phase are ordered, and not all.
#define SQA_SHARED_PARTLY_ORDERED 0x800000

// A report. Report::address: the cell's number, and the barriers that the invocation had passed.
// Report::dispatch_id: WorkgroupLayout::id. Report::value: low, the other side's tag | SQA_ACCESS_* << 16 |
// SQA_SHARED_BY_* << 20 | flags; high, its owner, as an invocation or as subgroup << 16 | lane.
#define SQA_SHARED_BY_ONE 0
#define SQA_SHARED_BY_GROUP 1
#define SQA_SHARED_BY_SEVERAL 2
#define SQA_SHARED_OWNER_IS_LANE 0x1000000

#endif
