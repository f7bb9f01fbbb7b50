// SPDX-License-Identifier: Apache-2.0
// Range accesses: memory that one command (a copy, a fill, ...) reads and writes by itself, which the exact
// engine's own shader records (runtime/range_access.glsl). Read by GLSL and by C++. All words are little
// endian.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_RANGES_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_RANGES_H

#include "instrument/runtime/abi_exact.h"

// The record of a command with ranges is an action record up to SQA_ACTION_EXACT_SHARED_END, and its own from
// there on. It is found by the base of the dispatch: 16 bytes times y behind the address that
// ExactState.record_blocks_address has for z.
#define SQA_RANGES_GROUPS (SQA_ACTION_EXACT_SHARED_END + 0)  // workgroups that work on each range
#define SQA_RANGES_FIRST (SQA_ACTION_EXACT_SHARED_END + 2)   // the ranges, SQA_RANGE_DWORDS each

// A range is rows of bytes, and slices of rows.
#define SQA_RANGE_ADDRESS 0  // u64
#define SQA_RANGE_BYTES 2    // of a row
#define SQA_RANGE_ROWS 3     // of a slice
#define SQA_RANGE_SLICES 4
#define SQA_RANGE_ACCESS 5       // SQA_ACCESS_LOAD, _STORE or _INDIRECT, and SQA_RANGE_LAST or _LOADS
#define SQA_RANGE_PITCH 6        // u64: from row to row
#define SQA_RANGE_SLICE_PITCH 8  // u64
// Where indices name the rows, each row's number is an index plus a signed offset; rows behind the last row
// of the buffer are left out.
#define SQA_RANGE_INDICES 10      // u64: address of the first index; 0: rows follow each other
#define SQA_RANGE_INDEX_BYTES 12  // 1, 2 or 4; the highest index restarts a primitive
#define SQA_RANGE_ROW_OFFSET 13
#define SQA_RANGE_LAST_ROW 14
// A draw's arguments in memory may say which rows of the range, or which indices, are read. Then there is one
// slice, and SQA_RANGE_ROWS is the highest possible number of rows.
#define SQA_RANGE_ARGUMENTS 15  // u64: address of the draw's arguments; 0: all rows
// Four numbers of dwords of the arguments, a byte each, the lowest byte first: how many elements are drawn;
// what must not be 0, either; the first one; with indices, what is added to each.
#define SQA_RANGE_FIELDS 17
#define SQA_RANGE_DIVISOR 18  // elements that share a row; 0: all do
#define SQA_RANGE_DRAWS 19    // u64: address of the number of draws; 0: the draw is made
#define SQA_RANGE_DRAW 21     // its number: it is made where there are more draws
// With SQA_RANGE_DRAWS and without SQA_RANGE_ARGUMENTS there are as many rows as draws, and at most
// SQA_RANGE_ROWS.
#define SQA_RANGE_DWORDS 22
// Words of the last accesses to texels (abi_image.h): whole words.
#define SQA_RANGE_LAST 0x100
// A store of texels before which the command has read them (a render pass that loads its attachment).
#define SQA_RANGE_LOADS 0x200
#define SQA_RANGE_FLAGS (SQA_RANGE_LAST | SQA_RANGE_LOADS)
#define SQA_RANGE_GROUP_SIZE 64
// Specialisation constant 4 says which accesses a pipeline checks: each kind is a large part of the shader.
#define SQA_RANGES_WORDS 0   // those without SQA_RANGE_LAST
#define SQA_RANGES_TEXELS 1  // with and without it
#define SQA_RANGES_HOST 2    // with floors of SQA_CLASS_HOST
#define SQA_RANGES_KINDS 3
// Words of one range; words that two rows touch in part count twice.
#define SQA_MAX_RANGE_WORDS 0x20000000

#endif
