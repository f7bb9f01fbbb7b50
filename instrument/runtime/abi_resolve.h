// SPDX-License-Identifier: Apache-2.0
// Resolved descriptors (docs/internals/descriptor-buffers.md#resolved-descriptors): those in descriptor
// buffers that a shader of the exact engine's own looks up in front of an action (runtime/resolve.glsl), so
// that the action's record says of them what it says of those in sets. Read by GLSL and by C++. All words are
// little endian.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_RESOLVE_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_RESOLVE_H

#include "instrument/runtime/abi_descriptors.h"
#include "instrument/runtime/abi_exact.h"

// A resolved descriptor has a number from 1 on in its pipeline layout, above SQA_DIRECT_SHIFT of the
// runtime's descriptor argument. Bit (number - 1) of its set's dword at SQA_ACTION_WATCHED is its own. Those
// up to SQA_DIRECT_SLOTS have an entry at SQA_ACTION_DIRECT, too.
#define SQA_MOST_RESOLVED 32

// In an action's record, where offsets of sets would be: {u64 address of a list, SQA_RESOLVE_*, the numbers
// of workgroups as SQA_REACH_* have them}.
#define SQA_ACTION_RESOLVE SQA_ACTION_BUFFERED_END
#define SQA_RESOLVE_SETS 0xffff  // bit i: set i lies where the table's address of the record says, all of it
#define SQA_RESOLVE_ALL 0x20000  // the list has all of the layout's descriptors that lead to buffers
// The shader looks nothing up (SyncOptions::direct): memory whose cells do not follow each other, or that
// does not lie in one region of floors, has none, and the device says that there was some
// (SQA_WRITTEN_APART).
#define SQA_RESOLVE_DIRECT 0x80000
// Records of dispatches of the layer's own have in place of the list
// - a part of the command buffer's list of actions: what they write is marked, and nothing else happens;
#define SQA_RESOLVE_AHEAD 0x40000
// - without it, the descriptors of one or several actions that are resolved: SQA_RESOLVED_TOGETHER quads {u64
//   address of an action's record, place of the descriptor in its list, 0}. Behind the last one are zeros.
#define SQA_RESOLVED_TOGETHER 256

// A list: a quad {number of descriptors, 0, 0, 0}, and for each descriptor a quad {bytes from the begin of
// the set, kind | set << 8 | number << 16, 1: the action may write through it, 0}. There is memory for
// SQA_MOST_RESOLVED.
#define SQA_RESOLVED_SET_SHIFT 8
#define SQA_RESOLVED_NUMBER_SHIFT 16

// A part of a list of actions: a quad {u64 address of the next part, number of records, 0}, then the
// addresses of that many records, in quads.
#define SQA_AHEAD_RECORDS 64  // of a part, at most

#define SQA_RESOLVE_GROUP_SIZE 128

// Where the device has marked pages as written, for the host: a dword that counts the buffers, dwords up to
// SQA_WRITTEN_FIRST, and for the last ones of them an address each (u64), which the host replaces by 0.
#define SQA_WRITTEN_APART 1  // this dword is not 0: as SQA_RESOLVE_DIRECT has it
#define SQA_WRITTEN_FIRST 4
#define SQA_WRITTEN_PLACES 1024  // a power of two
#define SQA_WRITTEN_BYTES (SQA_WRITTEN_FIRST * 4 + SQA_WRITTEN_PLACES * 8)

#ifdef __cplusplus
namespace shaderqa::abi {
static_assert(SQA_ACTION_RESOLVE % 2 == 0);
static_assert(SQA_ACTION_RESOLVE + 4 <= SQA_ACTION_DIRECT);
}  // namespace shaderqa::abi
#endif
#endif
