// SPDX-License-Identifier: Apache-2.0
// The race map, from which the host makes pictures of hazards on images (docs/internals/images.md#pictures). Calls of sqa_map_race are
// left out of shaders where there are no pictures (runtime_import.cpp). Included by exact.glsl.

// Enters a hazard with the access in the cell `earlier`. Addresses of buffers have no place in the map.
void sqa_map_race(const uvec2 address, const uvec2 earlier) {
  uvec2 map = SqaAddresses(sqa_record_address(SQA_ACTION_ENGINE)).addresses[SQA_EXACT_RACE_MAP];
  // What is no image's address becomes a large number.
  uint number = ((SQA_HIGHEST_IMAGE_ADDRESS_HIGH - address.y) << (32 - SQA_RACE_MAP_BLOCK_LOG2)) | (~address.x >> SQA_RACE_MAP_BLOCK_LOG2);
  if ((map.x | map.y) != 0u && number < SQA_RACE_MAP_BLOCKS) {
    uvec2 block = SqaAddresses(map).addresses[number];
    if ((block.x | block.y) != 0u) {
      const uint last = (1u << (SQA_RACE_MAP_BLOCK_LOG2 - 6)) - 1u;
      uint kind = uint(SQA_RACE_BETWEEN_ACTIONS) << uint(sqa_cell_sequence(earlier.y) == sqa_sequence);
      atomicOr(SqaDwords(block).dwords[SQA_RACE_MAP_WORDS + ((address.x >> 6u) & last)], kind << ((address.x >> 1u) & 30u),
               gl_ScopeDevice, 0, gl_SemanticsRelaxed);
      // The host looks only at pages that have a bit.
      atomicOr(SqaDwords(block).dwords[(address.x >> (SQA_PAGE_LOG2 + 5)) & 1u], 1u << ((address.x >> SQA_PAGE_LOG2) & 31u),
               gl_ScopeDevice, 0, gl_SemanticsRelaxed);
    }
  }
}
