// SPDX-License-Identifier: Apache-2.0
// Accesses that are noted where they are, and checked later by code that stands in the shader only a few times (docs/internals/exact.md,
// "Queued checks"). Nothing that the invocation does in between orders it with others. What of an access is constant is found by the
// number of its site, in functions that instrument/passes/check_queue.cpp writes.

uvec4 sqa_noted_buffers[SQA_QUEUE_ROOM];  // {site, index, offset} or {site, address, offset}
uvec4 sqa_noted_texels[SQA_QUEUE_ROOM];   // or positions
uvec3 sqa_noted_images[SQA_QUEUE_ROOM];   // {site, index, level}
// Accesses that were noted: more than there is room for are lost.
uint sqa_buffers_noted, sqa_images_noted;

void sqa_begin_queue() {
  sqa_buffers_noted = 0u;
  sqa_images_noted = 0u;
}

uint sqa_queue_place(const uint noted) { return noted < SQA_QUEUE_ROOM ? noted : SQA_QUEUE_ROOM - 1u; }

void sqa_note_set(const uint site, const uint index, const uint offset, const bool live) {
  sqa_noted_buffers[sqa_queue_place(sqa_buffers_noted)].xyz = uvec3(site, index, offset);
  sqa_buffers_noted += live ? 1u : 0u;
}
void sqa_note_address(const uint site, const uvec2 address, const uint offset, const bool live) {
  sqa_noted_buffers[sqa_queue_place(sqa_buffers_noted)] = uvec4(site, address, offset);
  sqa_buffers_noted += live ? 1u : 0u;
}
void sqa_note_image(const uint site, const uint index, const uvec4 texel, const uint level, const bool live) {
  uint at = sqa_queue_place(sqa_images_noted);
  sqa_noted_texels[at] = texel;
  sqa_noted_images[at] = uvec3(site, index, level);
  sqa_images_noted += live ? 1u : 0u;
}
void sqa_note_sample(const uint site, const uint index, const vec4 position, const float lod, const bool live) {
  sqa_note_image(site, index, floatBitsToUint(position), floatBitsToUint(lod), live);
}

uvec4 sqa_noted_buffer(const uint i) { return sqa_noted_buffers[i]; }
uvec4 sqa_noted_texel(const uint i) { return sqa_noted_texels[i]; }
uvec3 sqa_noted_image(const uint i) { return sqa_noted_images[i]; }

// How many accesses are to be checked now: all, once so many are noted.
uint sqa_queue_length(const bool images, const uint least) {
  uint noted = images ? sqa_images_noted : sqa_buffers_noted;
  return noted < least ? 0u : noted < SQA_QUEUE_ROOM ? noted : SQA_QUEUE_ROOM;
}

uint sqa_queue_rest(const uint noted, const uint least) { return noted < least ? noted : 0u; }

// Behind these. What had no room is counted, for a note.
void sqa_end_queue(const uvec2 root, const uint least) {
  uint lost = sqa_buffers_noted - sqa_queue_length(false, 0u) + sqa_images_noted - sqa_queue_length(true, 0u);
  if (lost != 0u) {
    uvec2 control = SqaCheckRoot(root).control;
    if ((control.x | control.y) != 0u) sqa_add(SqaControl(control).unqueued, lost);
  }
  sqa_buffers_noted = sqa_queue_rest(sqa_buffers_noted, least);
  sqa_images_noted = sqa_queue_rest(sqa_images_noted, least);
}

// For main(), which keeps all functions.
void sqa_use_queue(const uvec2 h) {
  sqa_begin_queue();
  sqa_note_set(0u, 0u, 0u, true);
  sqa_note_address(0u, h, 0u, true);
  sqa_note_image(0u, 0u, uvec4(0u), 0u, true);
  sqa_note_sample(0u, 0u, vec4(0.0), 0.0, true);
  if (sqa_noted_buffer(0u) == sqa_noted_texel(sqa_queue_length(true, 1u)) && sqa_noted_image(0u).x == 0u) sqa_begin_queue();
  sqa_end_queue(h, 1u);
}
