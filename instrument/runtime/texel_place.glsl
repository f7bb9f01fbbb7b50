// SPDX-License-Identifier: Apache-2.0
// From a texel of a view to its words. image.glsl includes this in functions with `record`, of the view, `texel` (x, y, z or the layer, and
// sample) and `level`. It runs SQA_WITH_TEXEL(address, last) if the view has the texel and the texel has a word; last: the first word of its
// last accesses; 0: it has none. In a function that returns these, an H200 took 2 % longer for a copy of a storage image.

  uvec4 view = SqaQuads(record).quads[0];
  uint shift = view.w & 0xffu;
  uint samples = (view.w >> 8u) & SQA_IMAGE_SAMPLES_MASK;
  if (level < view.z && texel.w < samples && ((texel.x | texel.y) & ((1u << shift) - 1u)) == 0u) {
    uvec4 place = SqaQuads(record).quads[1u + level];
    if (texel.x < place.y && texel.y < place.z && texel.z < place.w) {
      uint columns = ((place.y - 1u) >> shift) + 1u;
      uint rows = ((place.z - 1u) >> shift) + 1u;
      uint of_slice = rows * columns * samples;
      uint last = of_slice;  // the first word of the last accesses
      uint last_shift = shift + ((view.w >> SQA_IMAGE_LAST_SHIFT) & 31u);
      uint last_columns = ((place.y - 1u) >> last_shift) + 1u;
      if ((view.w & SQA_IMAGE_HAS_LAST) != 0u) {
        last = (of_slice + (SQA_LAST_WORDS - 1u)) & ~(SQA_LAST_WORDS - 1u);
        of_slice = last + (((place.z - 1u) >> last_shift) + 1u) * last_columns * samples * SQA_LAST_WORDS;
      }
      uint slice = place.x + texel.z * of_slice;
      uint word = slice + ((texel.y >> shift) * columns + (texel.x >> shift)) * samples + texel.w;
      uvec2 address = unpackUint2x32(packUint2x32(view.xy) + uint64_t(word) * 4ul);
      uvec2 last_address = uvec2(0u);
      if ((view.w & SQA_IMAGE_HAS_LAST) != 0u && ((texel.x | texel.y) & ((1u << last_shift) - 1u)) == 0u) {
        word = slice + last + (((texel.y >> last_shift) * last_columns + (texel.x >> last_shift)) * samples + texel.w) * SQA_LAST_WORDS;
        last_address = unpackUint2x32(packUint2x32(view.xy) + uint64_t(word) * 4ul);
      }
      SQA_WITH_TEXEL(address, last_address)
    }
  }
