// SPDX-License-Identifier: Apache-2.0
// Accesses to texels of images (docs/internals/images.md): from a view in a descriptor to the address that stands for the texel. What
// comes then is the same as for buffers.

// From this phase on, no barrier orders accesses to images before this invocation's, as sqa_since for buffers; or sqa_as_buffers.
uint sqa_since_images;
uint sqa_images_passed;  // passed_* and what was released, as in sqa_grouped, for images
const uint sqa_as_buffers = 0xffffffffu;

// Called after sqa_begin_sync. joined: barriers for buffers order images, too.
void sqa_begin_images(const bool joined) {
  sqa_since_images = joined ? sqa_as_buffers : 0u;
  sqa_images_passed = 0u;
}

uint sqa_since_of_images() { return sqa_since_images == sqa_as_buffers ? sqa_since : sqa_since_images; }

// As sqa_order_partly, and before a barrier that orders all.
void sqa_order_images(const uint since) {
  if (sqa_grouped != 0u && since > sqa_since_images && since < sqa_next_phase()) sqa_grouped |= ordered_partly;
  sqa_since_images = since;
}

// What follows does for images what the functions of these names in barriers.glsl do for buffers, and is called before them. There is
// nothing narrow: where something orders for subgroups, barriers for buffers order images, too.
void sqa_passed_barrier_images(const bool memory) {
  uint released = sqa_released(sqa_images_passed, memory);
  if (released > sqa_since_images) sqa_order_images(released);
  sqa_images_passed = 0u;
}
void sqa_passed_barrier_images_strict(const bool releases, const bool acquires) {
  uint released = sqa_released(sqa_images_passed, releases);
  if (acquires && released > sqa_since_images) sqa_order_images(released);
  sqa_images_passed = released << released_shift;
}
void sqa_passed_memory_barrier_images(const bool acquires, const bool early) {
  if (acquires) sqa_order_images(sqa_phase & ~SQA_PHASE_TIMES);
  sqa_images_passed |= early ? passed_early_barrier : passed_memory_barrier;
}
void sqa_passed_memory_barrier_images_strict(const bool acquires, const bool early) {
  uint released = sqa_images_passed >> released_shift;
  if (released > sqa_since_images) sqa_order_images(released);
  sqa_passed_memory_barrier_images(acquires, early);
}

#ifdef SQA_DESCRIPTOR_BUFFERS
// Whether the image of a descriptor with this entry may be in another layout than it says.
bool sqa_may_be_in_other_layout(const uvec4 entry) {
  uvec2 bits = sqa_record_address(SQA_ACTION_VIEW_LAYOUTS);
  uint named = entry.w & SQA_TABLE_LAYOUT;
  bool wrong = false;
  if ((bits.x | bits.y) != 0u && named != 0u && entry.z != SQA_NO_VIEW) {
    uint bit = sqa_view_layout_bit(entry.z, named);
    wrong = (SqaDwords(bits).dwords[bit >> 5u] >> (bit & 31u) & 1u) != 0u;
  }
  return wrong;
}
#endif

#ifdef SQA_DESCRIPTOR_BUFFERS
// Whether the render pass may write the image whose view has this record.
bool sqa_may_be_drawn(const uvec2 record) {
  uvec2 list = sqa_record_address(SQA_ACTION_DRAWN);
  bool drawn = true;
  if ((list.x | list.y) != 0u) {
    drawn = false;
    uvec2 image = SqaQuads(record).quads[0].xy;
    uint count = SqaDwords(list).dwords[0];
    [[dont_unroll]] for (uint i = 1u; i <= count; ++i) drawn = drawn || SqaAddresses(list).addresses[i] == image;
  }
  return drawn;
}
#endif

// The number of the view in a descriptor of a set, or SQA_NO_VIEW.
uint sqa_view_number(const uint set, const uvec4 descriptor, const uint index) {
  uint number = SQA_NO_VIEW;
  uint slot = descriptor.y + index;
  uvec2 table = sqa_record_address(SQA_ACTION_TABLES + set * 2u);
  if ((table.x | table.y) != 0u && slot < SqaQuads(table).quads[0].x) {
    uint meta = SqaQuads(table).quads[slot + 1u].w;
    if ((meta & SQA_TABLE_IMAGE) != 0u) number = meta >> SQA_TABLE_VIEW_SHIFT;
  }
  return number;
}

// The record of a view; 0: it has none.
uvec2 sqa_record_of_view(const uint view) {
  uvec2 record = uvec2(0u);
  if (view != SQA_NO_VIEW) {
    uvec2 views = SqaAddresses(sqa_record_address(SQA_ACTION_ENGINE)).addresses[SQA_EXACT_IMAGE_VIEWS];
    if ((views.x | views.y) != 0u) {
      uvec2 block = SqaAddresses(views).addresses[view >> SQA_IMAGE_BLOCK_VIEWS_LOG2];
      uint64_t offset = uint64_t(view & uint(SQA_IMAGE_BLOCK_VIEWS - 1)) * uint64_t(SQA_IMAGE_VIEW_QUADS * 16);
      if ((block.x | block.y) != 0u) record = unpackUint2x32(packUint2x32(block) + offset);
    }
  }
  return record;
}

// The record of the view in a descriptor; 0: what is there is not followed. alone: x and y of the invocation tell apart who reaches it.
uvec2 sqa_view_record(const uint set, const uvec4 descriptor, const uint index, out bool alone) {
  uvec2 record = uvec2(0u);
  alone = false;
  if ((descriptor.x >> SQA_DIRECT_SHIFT) != 0u) {
    uint number = (descriptor.x >> SQA_DIRECT_SHIFT) - 1u;
    uint at = SQA_ACTION_DIRECT + number * SQA_DIRECT_DWORDS;
    uint others = uint(SQA_REACH_SLOTS) & ~(1u << number);
    alone = sqa_alone(others | uint(SQA_REACH_TEXEL), sqa_record_dword(at + SQA_DIRECT_REACH)) != SQA_ALONE_NOT;
    record = sqa_record_address(at);
  } else {
    record = sqa_record_of_view(sqa_view_number(set, descriptor, index));
  }
  return record;
}

// False: the view does not have this texel, or it has no word.
bool sqa_find_texel(const uvec2 record, const uvec4 texel, const uint level, out uvec2 found, out uvec2 found_last) {
  bool has_word = false;
  found = uvec2(0u);
  found_last = uvec2(0u);
#define SQA_WITH_TEXEL(address, last_address) \
  has_word = true;                            \
  found = address;                            \
  found_last = last_address;
#include "instrument/runtime/texel_place.glsl"
#undef SQA_WITH_TEXEL
  return has_word;
}

// Checks an access to a texel, if it has a word. alone: as of sqa_view_record. The invocation's accesses to images are ordered by other barriers
// than those to buffers.
void sqa_access_texel(const uvec2 root, const SqaSite site, const uvec2 record, const bool alone, const uvec4 texel, const uint level) {
#define SQA_WITH_TEXEL(address, last_address)                            \
  uint since = sqa_since;                                                \
  sqa_since = sqa_since_of_images();                                     \
  sqa_access_words_of_texel(root, site, address, last_address, alone);   \
  sqa_since = since;
#include "instrument/runtime/texel_place.glsl"
#undef SQA_WITH_TEXEL
}

// Whether this read is none of those of a sparse image that are checked (SQA_IMAGE_SPARSE_STEP). bits: not 0 for most reads, the same
// for all of a place.
bool sqa_skips_sparse(const uint set, const uint slot, const uint kind, const uint bits) {
#if defined(SQA_FOOTPRINTS) || defined(SQA_READ_LOG)
  return false;
#else
  return bits != 0u && slot < SQA_WATCHED_SLOTS && ((kind >> 16u) & 3u) == SQA_ACCESS_LOAD &&
         (sqa_record_dword(SQA_ACTION_DENSE) >> sqa_layout_bit(set, slot) & 1u) == 0u;
#endif
}
// Which reads of sparse images are checked must have nothing to do with which texels a layout transition is entered at, or has last
// accesses: these lie at powers of two. So multiples of irrational fractions (of the golden ratio, and of its like in two dimensions)
// choose workgroups and tiles evenly, without a period. Other ones in each action.

// Not 0 in the workgroups that leave out such reads.
uint sqa_outside_of_groups(const uint mask) {
  return (((sqa_owner >> SQA_LOCAL_BITS) * 2654435769u >> 26u) + sqa_sequence) & mask;
}
// Not 0 in the tiles of 8 x 8 fragments that leave out such reads, or log none. The same for helper invocations, which have no sequence
// number: all of a quad must take the same version of a shader.
uint sqa_outside_of_tiles() {
  uvec2 submission = sqa_record_address(SQA_ACTION_SUBMISSION);
  uint number = sqa_sequence_number(sqa_record_dword(SQA_ACTION_SEQUENCE));
  if ((submission.x | submission.y) != 0u) number += SqaDwords(submission).dwords[SQA_SUBMISSION_FIRST_SEQUENCE];
  uvec3 who = sqa_where;  // as a whole: the import may replace it by the program's own input
  return (((who.x >> 3u) * 3242174889u + (who.y >> 3u) * 2447445414u >> 26u) + number) & sqa_record_dword(SQA_ACTION_SPARSE_PLACES);
}
// Not 0 for a read that is left out. bits: the same for one that is in no such place.
uint sqa_sparse_bits(const uint kind, const uint bits) {
  uint mask = sqa_record_dword(SQA_ACTION_SPARSE_PLACES);
  uint left_out = bits;
  if (((kind >> 8u) & 0xffu) == SQA_STAGE_FRAGMENT)
    left_out = sqa_outside_of_tiles();
  else if (mask != 0u)
    left_out = sqa_outside_of_groups(mask);
  return left_out;
}
uint sqa_sparse_bits_of(const uint kind, const uvec2 texel) {
  return sqa_sparse_bits(kind, (texel.x | texel.y) & uint(SQA_IMAGE_SPARSE_STEP - 1));
}

uint sqa_sparse_bits_of_sample(const uint kind) {
  return sqa_sparse_bits(kind, sqa_grouped != 0u ? sqa_outside_of_groups(SQA_IMAGE_SPARSE_FEW - 1u) : 0u);
}

// These slots of a set (a bit each) as sqa_layout_bit has them.
uint sqa_layout_bits(const uint set, const uint slots) {
  uint first = sqa_layout_bit(set, 0u);
  return (slots << first) | (first == 0u ? 0u : slots >> (32u - first));
}
// Whether all of these slots are of sparse images, in the layouts that their descriptors name.
bool sqa_all_sparse(const uint set, const uint slots) {
  return ((sqa_record_dword(SQA_ACTION_DENSE) | sqa_record_dword(SQA_ACTION_LAYOUTS)) & sqa_layout_bits(set, slots)) == 0u;
}
// Whether this workgroup, or tile of fragments, leaves out all reads through these slots. The answer is the same for all of one.
bool sqa_group_leaves_out(const uint set, const uint slots) {
  return sqa_all_sparse(set, slots) && sqa_outside_of_groups(sqa_record_dword(SQA_ACTION_SPARSE_PLACES)) != 0u;
}
bool sqa_tile_leaves_out(const uint set, const uint slots) { return sqa_all_sparse(set, slots) && sqa_outside_of_tiles() != 0u; }

// The record of the view that an access through a descriptor reaches, which is the same as sqa_access_set's, behind the check of
// its layout; 0: there is none, or the access is not checked. bits: as sqa_skips_sparse takes them. alone: as of sqa_view_record.
uvec2 sqa_checked_view(const uvec2 root, const SqaSite site, const uvec4 descriptor, const uint index, const uint bits,
                       const bool live, out bool alone) {
  uint set = descriptor.x & ((1u << SQA_DIRECT_SHIFT) - 1u);
  uint slot = descriptor.y + index;
  uvec2 record = uvec2(0u);
  alone = false;
  if (live && sqa_watching() && index < descriptor.z) {
    bool wrong = (sqa_record_dword(SQA_ACTION_LAYOUTS) >> sqa_layout_bit(set, slot) & 1u) != 0u;
    uvec2 named = uvec2(set, slot);
    bool in_set = true;
#ifdef SQA_DESCRIPTOR_BUFFERS
    if ((descriptor.y & SQA_IN_BUFFER) != 0u) {
      in_set = false;
      uvec4 entry = uvec4(0u);
      if (!sqa_find_descriptor(set, descriptor, index, entry)) entry = uvec4(0u, 0u, SQA_NO_VIEW, 0u);
      wrong = sqa_may_be_in_other_layout(entry);
      named = uvec2(SQA_LAYOUT_OF_VIEW | (entry.w & SQA_TABLE_LAYOUT), entry.z);
      record = sqa_record_of_view(entry.z);
    }
#endif
    if (wrong) sqa_report_layout(root, site, named.x, named.y);
    if (in_set && !sqa_skips(set, slot, site.kind) && !sqa_skips_sparse(set, slot, site.kind, bits))
      record = sqa_view_record(set, descriptor, index, alone);
  }
  return record;
}

// Checks an access to one texel through a descriptor.
void sqa_access_image(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec4 descriptor, const uint index,
                      const uvec4 texel, const uint level, const bool live) {
  SqaSite at = SqaSite(hash, site.x, site.y);
  bool alone;
  uvec2 record = sqa_checked_view(root, at, descriptor, index, sqa_sparse_bits_of(site.y, texel.xy), live, alone);
  if ((record.x | record.y) != 0u) sqa_access_texel(root, at, record, alone, texel, level);
}

// Whether the view is of one layer, and no descriptor in a buffer of an image that the render pass may write: where sets are,
// SQA_ACTION_WATCHED says so.
bool sqa_can_be_input(const uvec4 descriptor, const uvec2 record) {
  bool can_be = (record.x | record.y) != 0u;
#ifdef SQA_DESCRIPTOR_BUFFERS
  if (can_be && (descriptor.y & SQA_IN_BUFFER) != 0u && sqa_may_be_drawn(record)) can_be = false;
#endif
  if (can_be) can_be = SqaQuads(record).quads[1].w == 1u;
  return can_be;
}

// The same for an input of a subpass, whose texel counts from the fragment. Which layer of several it is depends on the render pass.
void sqa_access_input(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec4 descriptor, const uint index,
                      const uvec4 texel, const bool live) {
  SqaSite at = SqaSite(hash, site.x, site.y);
  uvec3 who = sqa_where;
  uvec2 on = texel.xy + who.xy;
  bool alone;
  uvec2 record = sqa_checked_view(root, at, descriptor, index, sqa_sparse_bits_of(site.y, on), live, alone);
  if (sqa_can_be_input(descriptor, record))
    sqa_access_texel(root, at, record, false, uvec4(on, 0u, texel.w), 0u);
}

const uint sqa_no_level = 0xffffffffu;

// The level that a sample with this level of detail reads, whether its sampler takes the nearest level or mixes two.
uint sqa_level_near(const float lod, const uint levels) {
  float last = float(levels - 1u);
  float at = lod < 0.0 ? 0.0 : lod > last ? last : lod;
  uint nearest = uint(at + 0.5);
  float apart = at - float(nearest);
  return apart > -0.35 && apart < 0.35 ? nearest : sqa_no_level;
}

// The level that is read whichever of the device's samplers it is; sqa_no_level: that is not known.
uint sqa_sampled_level(const uvec4 samplers, const float lod, const uint how, const uint levels) {
  uint level = 0u;
  if (levels != 1u) {
    level = sqa_no_level;
    if ((how & SQA_SAMPLE_LEVEL_ASKED) != 0u) {
      level = sqa_level_near(lod, levels);
    } else if ((how & SQA_SAMPLE_LEVEL_GIVEN) != 0u && (samplers.x & SQA_SAMPLERS_BIASED) == 0u) {
      float lowest = uintBitsToFloat(samplers.z), highest = uintBitsToFloat(samplers.w);
      level = sqa_level_near(lod < highest ? lod : highest, levels);
      if (level != sqa_level_near(lod > lowest ? lod : lowest, levels)) level = sqa_no_level;
    }
  }
  return level;
}

// Where a direction hits a cube: a position on a face, in w its number.
vec4 sqa_cube_position(const vec3 direction) {
  vec3 size = vec3(direction.x < 0.0 ? -direction.x : direction.x, direction.y < 0.0 ? -direction.y : direction.y,
                   direction.z < 0.0 ? -direction.z : direction.z);
  vec2 at = vec2(-direction.x, -direction.y);
  float length = size.z, face = 5.0;
  if (size.x >= size.y && size.x >= size.z) {
    length = size.x;
    at = vec2(direction.x > 0.0 ? -direction.z : direction.z, -direction.y);
    face = direction.x > 0.0 ? 0.0 : 1.0;
  } else if (size.y >= size.z) {
    length = size.y;
    at = vec2(direction.x, direction.y > 0.0 ? direction.z : -direction.z);
    face = direction.y > 0.0 ? 2.0 : 3.0;
  } else if (direction.z > 0.0) {
    at.x = direction.x;
    face = 4.0;
  }
  return vec4(at / length * 0.5 + 0.5, 0.5, face);
}

// Finds the texel that a read which filters or gathers reads, whichever way the sampler filters and wraps: the one in which the position
// lies. It is normalised: x, y and z (where the image has no depth, in w the layer), or a direction; with an offset in texels. lod: as how
// says it (SQA_SAMPLE_*). False: it is not known.
bool sqa_find_sample(const uvec2 record, const vec4 position, const uvec3 offset, const float lod, const uint how, out uvec4 texel,
                     out uint level) {
  bool found = false;
  texel = uvec4(0u);
  uvec2 views = SqaAddresses(sqa_record_address(SQA_ACTION_ENGINE)).addresses[SQA_EXACT_IMAGE_VIEWS];
  uvec4 samplers = SqaQuads(views).quads[SQA_IMAGE_SAMPLERS / 2];
  level = sqa_sampled_level(samplers, lod, how, SqaQuads(record).quads[0].z);
  uint odd = SQA_SAMPLERS_ODD | ((how & SQA_SAMPLE_DERIVED) != 0u ? SQA_SAMPLERS_ANISOTROPIC : 0u);
  if (level != sqa_no_level && (samplers.x & odd) == 0u) {
    uvec4 place = SqaQuads(record).quads[1u + level];
    vec4 on = position;
    uint faces = 1u, face = 0u;
    if ((how & SQA_SAMPLE_CUBE) != 0u) {
      on = sqa_cube_position(position.xyz);
      faces = 6u;
      face = uint(on.w);
    }
    vec3 at = on.xyz * vec3(place.yzw);
    // A layer is rounded to the nearest one.
    if ((how & SQA_SAMPLE_SOLID) == 0u) at.z = position.w + 0.5;
    const float largest = 1048576.0;
    if (all(greaterThan(at, vec3(0.0))) && all(lessThan(at, vec3(largest)))) {
      uvec3 in_level = uvec3(at);
      // Near an edge rounding decides. The offset comes last: a product with a sum would become an instruction of an extended set,
      // which the program's module may not have.
      const float edge = 0.03125;
      vec3 part = at - vec3(in_level);
      in_level += offset;
      bool inside = all(lessThan(in_level, uvec3(place.yz, place.w / faces)));
      texel = uvec4(in_level.xy, in_level.z * faces + face, 0u);
      found = inside && all(greaterThan(part, vec3(edge))) && all(lessThan(part, vec3(1.0 - edge)));
    }
  }
  return found;
}

// Checks a read that filters or gathers, as sqa_find_sample takes it.
void sqa_access_sampled(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec4 descriptor, const uint index,
                        const vec4 position, const uvec3 offset, const float lod, const uint how, const bool live) {
  SqaSite sampled = SqaSite(hash, site.x, site.y);
  bool alone;
  uvec2 record = sqa_checked_view(root, sampled, descriptor, index, sqa_sparse_bits_of_sample(site.y), live, alone);
  if ((record.x | record.y) != 0u) {
    uvec4 texel;
    uint level;
    if (sqa_find_sample(record, position, offset, lod, how, texel, level)) sqa_access_texel(root, sampled, record, false, texel, level);
  }
}
