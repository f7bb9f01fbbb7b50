// SPDX-License-Identifier: Apache-2.0
// A compute shader of the layer's own (docs/internals/exact.md#reads-of-draws). Behind a render pass it checks the reads that the stages of
// its draws have logged, as these would have done, and empties the log. Like range_access.glsl, it has neither descriptors nor push
// constants, and finds its record by the base of the dispatch.
#include "instrument/runtime/engine_root.glsl"

layout(local_size_x = SQA_READ_GROUP_SIZE) in;
layout(constant_id = 2) const uint checked_kind = SQA_RANGES_WORDS;  // without images there is less code to compile

void sqa_check_logged(const uvec2 root, const SqaQuads entry) {
  uvec4 site = entry.quads[SQA_READ_SITE / 4];
  uvec4 place = entry.quads[SQA_READ_DESCRIPTOR / 4];
  uvec4 where = entry.quads[SQA_READ_WHERE / 4];
  uvec4 at = entry.quads[SQA_READ_AT / 4];
  uvec4 moved = entry.quads[SQA_READ_MOVED / 4];
  sqa_record = entry.quads[0].xy;
  sqa_begin_sync((site.y >> 8u) & 0xffu, uvec3(0u), false, true, true);
  sqa_begin_images(false);
  sqa_owner = entry.quads[0].w;
  sqa_set_where(where.xyz);
  uint index = place.z;
  uvec4 descriptor = uvec4(place.xy, index + 1u, place.w);
  if (where.w == SQA_READ_ARGUMENTS) {
    // These are accesses of another column, and have numbers of their own.
    sqa_sequence += SQA_COLUMN_INDIRECT - sqa_column;
    sqa_column = SQA_COLUMN_INDIRECT;
    sqa_ordered_before = 0u;
  }
  if (where.w == SQA_READ_SET)
    sqa_access_set(root, site.zw, site.xy, descriptor, index, at.x, at.y, true);
  else if (where.w == SQA_READ_ADDRESS || where.w == SQA_READ_ARGUMENTS)
    sqa_access_address(root, site.zw, site.xy, at.xy, at.z, at.w, true);
  else if (checked_kind != SQA_RANGES_TEXELS)
    return;
  else if (where.w == SQA_READ_TEXEL)
    sqa_access_image(root, site.zw, site.xy, descriptor, index, at, moved.w, true);
  else if (where.w == SQA_READ_INPUT)
    sqa_access_input(root, site.zw, site.xy, descriptor, index, at, true);
  else
    sqa_access_sampled(root, site.zw, site.xy, descriptor, index, uintBitsToFloat(at), moved.xyz, uintBitsToFloat(moved.w), where.w,
                       true);
}

void main() {
  uvec2 root = sqa_root();
  uvec2 engine = sqa_engine_state();
  uvec2 block = SqaAddresses(SqaAddresses(engine).addresses[SQA_EXACT_RECORD_BLOCKS]).addresses[gl_WorkGroupID.z];
  uint carry;
  sqa_record.x = uaddCarry(block.x, gl_WorkGroupID.y * 16u, carry);
  sqa_record.y = block.y + carry;
  SqaDwords state = SqaDwords(sqa_record_address(SQA_ACTION_SUBMISSION));
  uint queue = state.dwords[SQA_SUBMISSION_QUEUE];
  uint serial = state.dwords[SQA_SUBMISSION_SERIAL];
  uint at = SQA_EXACT_READ_LOGS + queue * 2u;
  uvec2 log = uvec2(0u);
  uint count = 0u;
  // Where this submission is not checked, another one may use the log at the same time.
  if (state.dwords[SQA_SUBMISSION_FIRST_SEQUENCE] != 0u && queue < SQA_READ_QUEUES) {
    log = SqaAddresses(engine).addresses[at];
    count = SqaDwords(engine).dwords[at * 2u + 2u];
  }
  bool there = (log.x | log.y) != 0u;
  uint most = count < SQA_READ_LOG_ENTRIES ? count : SQA_READ_LOG_ENTRIES;
  if (!there) most = 0u;
  [[dont_unroll]] for (uint i = gl_WorkGroupID.x * SQA_READ_GROUP_SIZE + gl_LocalInvocationIndex; i < most;
                       i += SQA_READ_GROUPS * SQA_READ_GROUP_SIZE) {
    SqaQuads entry = SqaQuads(sqa_log_entry(log, i));
    // What another submission has left was not checked behind its render pass: its record may be gone.
    if (entry.quads[0].z == serial) sqa_check_logged(root, entry);
  }
  // The last workgroup empties the log: all others have read how much is in it.
  barrier();
  if (gl_LocalInvocationIndex == 0u && there) {
    uint finished = atomicAdd(SqaDwords(engine).dwords[at * 2u + 3u], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                              gl_SemanticsAcquireRelease);
    if (finished == SQA_READ_GROUPS - 1u) {
      sqa_store(SqaDwords(engine).dwords[at * 2u + 3u], 0u);
      sqa_store(SqaDwords(engine).dwords[at * 2u + 2u], 0u);
    }
  }
}
