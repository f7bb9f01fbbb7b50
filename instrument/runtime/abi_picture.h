// SPDX-License-Identifier: Apache-2.0
// Where shaders write what a picture shows. Read by GLSL and by C++. All words are little endian.
// docs/internals/pictures.md explains it.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_PICTURE_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_PICTURE_H

#define SQA_PICTURE_SLOTS 32  // shaders of a device that have pictures

// --- Indices of dwords in a picture. Shaders write those from SQA_PICTURE_EXTENT on.
#define SQA_PICTURE_PITCH 4u   // cells from left to right, of fragments
#define SQA_PICTURE_CELLS 5u   // how many there are
#define SQA_PICTURE_CELL 6u    // dwords of a cell
#define SQA_PICTURE_EXTENT 8u  // x, y, z: the largest that came
// x, y, z: the largest complement, so that dispatches of different sizes can be told apart.
#define SQA_PICTURE_LEAST 11u
#define SQA_PICTURE_MISSED 14u  // invocations for which there was no cell
#define SQA_PICTURE_LANES 15u   // the most invocations of a subgroup that ran together
#define SQA_PICTURE_BLOCKS 1024u
#define SQA_PICTURE_MOST_BLOCKS 1024u
// Dwords of a block: how often a subgroup ran it, and the sum of the invocations that ran it together.
#define SQA_PICTURE_BLOCK_TIMES 0u  // low, high
#define SQA_PICTURE_BLOCK_SUM 2u    // low, high
#define SQA_PICTURE_BLOCK_DWORDS 4u
#define SQA_PICTURE_FIRST_CELL 5120u
// The first dword of a cell counts; the rest is the value, or of divergence the sum of the invocations that
// ran a block together, and how many blocks that are.

#ifdef __cplusplus
#include <cstdint>

namespace shaderqa::abi {

struct PictureSlot {
  uint32_t key[2];  // picture_key() of the shader
  uint64_t address;
};

// Zeroed by the host. A slot is complete before a shader that looks for it can run.
struct PictureControl {
  uint32_t slots;
  uint32_t reserved[3];
  PictureSlot slot[SQA_PICTURE_SLOTS];
};
static_assert(sizeof(PictureControl) == 16 + 16 * SQA_PICTURE_SLOTS);

}  // namespace shaderqa::abi
#endif
#endif
