// SPDX-License-Identifier: Apache-2.0
// Descriptors in descriptor buffers (docs/internals/descriptor-buffers.md) and heaps (descriptor-heaps.md):
// tables by which shaders find what a descriptor's bytes mean. Read by GLSL and by C++. All words are little
// endian.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_DESCRIPTORS_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_DESCRIPTORS_H

// A set in a descriptor buffer has no descriptor table: at its place in SQA_ACTION_TABLES is the address
// where it begins in the buffer, or 0. The slot argument of such a descriptor has this bit; the others are
// the bytes from the begin of the set to array element 0.
#define SQA_IN_BUFFER 0x80000000
// Also set where the buffer is a heap. At SQA_ACTION_DYNAMIC of the record is then, for each number of a
// table, how many bytes the heap has behind the table's address.
#define SQA_IN_HEAP 0x40000000
// Also set where memory says which descriptor it is: the table's address is that of an index. At
// SQA_ACTION_DYNAMIC of the record is then how many bytes of the heap an index counts, with SQA_INDEX_*, and
// at SQA_ACTION_HEAP {u64 address of the heap, its bytes}. Without SQA_IN_HEAP, memory has the address of a
// buffer there, and no descriptor.
#define SQA_INDIRECT 0x20000000
#define SQA_INDEX_STRIDE 0x3fffffff
#define SQA_INDEX_COMBINED 0x40000000  // the upper bits are the index of a sampler
// Each array element has an index. The first is as many bytes behind the table's address as the descriptor
// has in place of those from one element to the next.
#define SQA_INDEX_EACH 0x80000000
#define SQA_INDEX_OF_COMBINED 0xfffff  // the bits that are left
#define SQA_ACTION_HEAP (SQA_ACTION_DYNAMIC + SQA_MAX_SETS)
// Behind that, where images are followed: u64 address of SQA_VIEW_LAYOUT_DWORDS dwords, or 0. They are
// written by submissions. A bit: the image of a descriptor with this view and layout (as meta has it) is in
// another layout. Several have a bit in common.
#define SQA_ACTION_VIEW_LAYOUTS (SQA_ACTION_HEAP + 4)
#define SQA_VIEW_LAYOUT_DWORDS 128u
#define sqa_view_layout_bit(view, named) (((view) ^ (named)*97u) & (SQA_VIEW_LAYOUT_DWORDS * 32u - 1u))
// Behind that: u64 address of {u64 count, u64[count] addresses of images that the render pass writes}, or 0
// where they are not known.
#define SQA_ACTION_DRAWN (SQA_ACTION_VIEW_LAYOUTS + 2)
#define SQA_ACTION_BUFFERED_END (SQA_ACTION_DRAWN + 2)
// In place of the set in a report of SQA_CHECK_LAYOUT, beside the layout; the view is in place of the slot.
#define SQA_LAYOUT_OF_VIEW 0x80000000
// In place of the number of a dynamic offset, there being none: the kind, and above it the bytes from one
// array element to the next.
#define SQA_DESCRIPTOR_STRIDE_SHIFT 8

// Kinds. The same bytes may mean another thing in a descriptor of another kind.
#define SQA_DESCRIPTOR_UNIFORM 0
#define SQA_DESCRIPTOR_STORAGE 1
#define SQA_DESCRIPTOR_UNIFORM_TEXEL 2
#define SQA_DESCRIPTOR_STORAGE_TEXEL 3
#define SQA_DESCRIPTOR_SAMPLED_IMAGE 4
#define SQA_DESCRIPTOR_STORAGE_IMAGE 5
#define SQA_DESCRIPTOR_COMBINED_IMAGE 6
#define SQA_DESCRIPTOR_INPUT 7  // of a subpass
#define SQA_DESCRIPTOR_KINDS 8
#define SQA_DESCRIPTOR_HEAP 8  // added for one in a heap, whose bytes are others than in a descriptor buffer
#define SQA_DESCRIPTOR_TABLES 16
#define SQA_DESCRIPTOR_MUTABLE 0xff  // of a mutable binding: what the shader declares says which

// ExactState.descriptors_address leads to the directory: a quad for each kind in descriptor buffers, and from
// SQA_DESCRIPTOR_HEAP on for each in heaps, {u64 address of its table | log2 of its places, or 0; quads of a
// place; dwords of a descriptor}, of which only the first two change. Then this dword, which shaders set
// where they find nothing.
#define SQA_DESCRIPTORS_UNKNOWN 64
#define SQA_DESCRIPTORS_BYTES 272
#define SQA_DESCRIPTOR_LOG2 0x1f
// A table has a power of two of places. A place: a quad {address low, address high, range, meta}, then the
// bytes of the descriptor, with zeroes up to a whole quad. Address and range are those of a descriptor
// table's entry (abi_table.h); for images, the range is the number of the view's record, or SQA_NO_VIEW. The
// lowest bits of meta are those of such an entry, too; the others are the tag. Where the same bytes were
// given for several layouts, they name none. The tag is 0 in a place that is
// free. A descriptor is in the first place with its bytes, looked for from `hash & (places - 1)` on, before
// any that is free.
#define SQA_DESCRIPTOR_TAG 0xfffffc00
#define SQA_NO_VIEW 0xffffffff

// The hash of a descriptor: from 0 on, for each of its dwords, and for zeroes up to four dwords. The tag: its
// upper bits, or 0x400 for 0.
#define SQA_DESCRIPTOR_FOLD(hash) ((hash) ^ ((hash) >> 15u))
#define SQA_DESCRIPTOR_HASH(hash, dword) SQA_DESCRIPTOR_FOLD(((hash) ^ (dword)) * 0x9e3779b1u)

#endif
