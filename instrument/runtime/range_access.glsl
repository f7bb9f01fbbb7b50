// A compute shader of the layer's own: enters what a command (a copy, a fill, ...) reads and writes, as shaders do with
// their accesses. It has no descriptors and no push constants, so that it disturbs nothing that the application has bound.

layout(local_size_x = SQA_RANGE_GROUP_SIZE) in;
layout(constant_id = 0) const uint engine_low = 0u;  // address of ExactState
layout(constant_id = 1) const uint engine_high = 0u;
layout(constant_id = 2) const uint root_low = 0u;
layout(constant_id = 3) const uint root_high = 0u;

// Which row the n-th index names; a number behind all rows where it names none.
uint sqa_named_row(const SqaDwords record, const uint at, const uint n) {
  uint bytes = record.dwords[at + SQA_RANGE_INDEX_BYTES];
  uint64_t address =
      packUint2x32(uvec2(record.dwords[at + SQA_RANGE_INDICES], record.dwords[at + SQA_RANGE_INDICES + 1])) + uint64_t(n) * bytes;
  uint index = SqaDwords(unpackUint2x32(address & ~3ul)).dwords[0];
  bool restarts = false;
  if (bytes != 4u) {
    uint highest = (1u << (bytes * 8u)) - 1u;
    index = (index >> ((uint(address) & 3u) * 8u)) & highest;
    restarts = index == highest;
  }
  // A negative one is very large.
  return restarts ? 0xffffffffu : index + record.dwords[at + SQA_RANGE_ROW_OFFSET];
}

void sqa_enter_range(const uvec2 root, const SqaDwords record, const uint range, const uint part, const uint parts) {
  uint at = SQA_RANGES_FIRST + range * SQA_RANGE_DWORDS;
  uint64_t address = packUint2x32(uvec2(record.dwords[at + SQA_RANGE_ADDRESS], record.dwords[at + SQA_RANGE_ADDRESS + 1]));
  uint64_t pitch = packUint2x32(uvec2(record.dwords[at + SQA_RANGE_PITCH], record.dwords[at + SQA_RANGE_PITCH + 1]));
  uint64_t slice_pitch =
      packUint2x32(uvec2(record.dwords[at + SQA_RANGE_SLICE_PITCH], record.dwords[at + SQA_RANGE_SLICE_PITCH + 1]));
  uint bytes = record.dwords[at + SQA_RANGE_BYTES];
  uint rows = record.dwords[at + SQA_RANGE_ROWS];
  uint access = record.dwords[at + SQA_RANGE_ACCESS];
  // Words that a row may touch, wherever it begins.
  uint first = uint(address) & 3u;
  if (((uint(pitch) | uint(slice_pitch)) & 3u) != 0u) first = 3u;
  uint words = (first + bytes + 3u) / 4u;
  uint total = words * rows * record.dwords[at + SQA_RANGE_SLICES];
  SqaSite site = SqaSite(uvec2(SQA_COMMAND_HASH_LOW, SQA_COMMAND_HASH_HIGH), access,
                         SQA_CHECK_HAZARD | (SQA_STAGE_UNKNOWN << 8u) | (access << 16u) | (SQA_TAG_COMMAND << 20u));
  bool named = (record.dwords[at + SQA_RANGE_INDICES] | record.dwords[at + SQA_RANGE_INDICES + 1]) != 0u;
  uint last_row = record.dwords[at + SQA_RANGE_LAST_ROW];
  uint step = parts * SQA_RANGE_GROUP_SIZE;
  [[dont_unroll]] for (uint i = part * SQA_RANGE_GROUP_SIZE + gl_LocalInvocationIndex; i < total; i += step) {
    uint line = i / words;
    uint number = line % rows;
    if (named) {
      number = sqa_named_row(record, at, number);
      if (number > last_row) continue;
    }
    uint64_t row = address + uint64_t(line / rows) * slice_pitch + uint64_t(number) * pitch;
    uint64_t word = (row & ~3ul) + uint64_t(i % words) * 4ul;
    uint64_t begin = word > row ? word : row;
    uint64_t end = word + 4ul < row + uint64_t(bytes) ? word + 4ul : row + uint64_t(bytes);
    if (begin < end) sqa_access(root, site, unpackUint2x32(begin), uint(end - begin));
  }
}

void main() {
  uvec2 engine = uvec2(engine_low, engine_high);
  uvec2 root = uvec2(root_low, root_high);
  uvec2 block = SqaAddresses(SqaAddresses(engine).addresses[SQA_EXACT_RECORD_BLOCKS]).addresses[gl_WorkGroupID.z];
  uint carry;
  sqa_record.x = uaddCarry(block.x, gl_WorkGroupID.y * 16u, carry);
  sqa_record.y = block.y + carry;
  uint parts = sqa_record_dword(SQA_RANGES_GROUPS);
  // The command is one owner: its own accesses have an order, or need none.
  sqa_set_where(uvec3(0u));
  sqa_begin_sync(root, uvec2(0u), SQA_STAGE_UNKNOWN, uvec3(0u), true, false, true);
  sqa_grouped = 0u;
  if (sqa_watching() && parts != 0u)
    sqa_enter_range(root, SqaDwords(sqa_record), gl_WorkGroupID.x / parts, gl_WorkGroupID.x % parts, parts);
}
