// SPDX-License-Identifier: Apache-2.0
// From an access to the memory that it touches, for every engine of the synchronisation check. The file that includes this has
// included accesses_state.glsl, and has defined
//   sqa_watching()  whether anything is checked
//   sqa_skips_read_only()  whether to skip accesses of buffers that no shader can write
//   sqa_skips(set, slot, kind)  whether to skip accesses with this kind argument through this slot
//   void sqa_access(root, site, address, size)
//   sqa_access_arguments(root, site, address, size)  optional: the same for arguments of an indirect command
// and, with SQA_HAS_DIRECT, also
//   void sqa_access_cells(root, site, address, size, cells, alone)  the same; cells: address of the first word's cell (0: not
//   known); alone: SQA_ALONE_*
//   sqa_cannot_follow()  optional: called where a descriptor's memory is not known

#ifndef sqa_access_arguments
#define sqa_access_arguments(root, site, address, size) sqa_access(root, site, address, size)
#endif

// Whether this is the first invocation that asks in an execution of an indirect command.
bool sqa_is_first_of_indirect() {
  uvec2 address = sqa_record_address(SQA_ACTION_INDIRECT);
  bool first = false;
  if (sqa_watching() && (address.x | address.y) != 0u) {
    SqaDwords record = SqaDwords(sqa_record_address(SQA_ACTION_SELF));
    uint serial = SqaDwords(sqa_record_address(SQA_ACTION_SUBMISSION)).dwords[SQA_SUBMISSION_SERIAL];
    first = sqa_load(record.dwords[SQA_ACTION_INDIRECT_DONE]) != serial &&
            sqa_swap(record.dwords[SQA_ACTION_INDIRECT_DONE], serial) != serial;
  }
  return first;
}
SqaSite sqa_site_of_indirect(const uvec2 hash, const uint stage) {
  return SqaSite(hash, 0u, SQA_CHECK_HAZARD | (stage << 8u) | (SQA_ACCESS_INDIRECT << 16u));
}

// Checks the arguments that an indirect command read. The first invocation of each execution of the command does so. Called after
// sqa_begin_sync, in versions of pipelines that run indirect commands.
void sqa_indirect(const uvec2 root, const uvec2 hash, const uint stage) {
  if (sqa_is_first_of_indirect()) {
    uvec2 address = sqa_record_address(SQA_ACTION_INDIRECT);
    uvec2 count = sqa_record_address(SQA_ACTION_INDIRECT_COUNT);
    uint bytes = sqa_record_dword(SQA_ACTION_INDIRECT_BYTES);
    [[dont_unroll]] for (uint i = 0u; i < 2u; ++i) {
      if ((address.x | address.y) != 0u) sqa_access_arguments(root, sqa_site_of_indirect(hash, stage), address, bytes);
      address = count;
      bytes = 4u;
    }
  }
}

// Checks an access by address and an offset from it. site: instruction, kind.
void sqa_access_address(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec2 address, const uint offset,
                        const uint size, const bool live) {
  if (live && sqa_watching() && (address.x | address.y) != 0u) {
    uint carry;
    uvec2 at = uvec2(uaddCarry(address.x, offset, carry), 0u);
    at.y = address.y + carry;
    sqa_access(root, SqaSite(hash, site.x, site.y), at, size);
  }
}

// What an access through a descriptor touches.
struct SqaFound {
  uvec2 address;
  uint bytes;   // 0: nothing that is checked
  uvec2 cells;  // of the first word; 0: not known
  uint alone;   // SQA_ALONE_*, of which 0 is NOT
};

// descriptor: set (and SQA_DIRECT_SHIFT), slot of the binding in the set's table, its array length, its number among the dynamic
// offsets (or SQA_NOT_DYNAMIC); slot and number are those of array element 0. index: in the array. offset: bytes; for texel buffers the
// element, and size is 0. kind: of the site.
SqaFound sqa_find_access(const uint kind, const uvec4 descriptor, const uint index, const uint offset, const uint size, const bool live) {
  SqaFound found = SqaFound(uvec2(0u), 0u, uvec2(0u), 0u);
  uint set = descriptor.x & ((1u << SQA_DIRECT_SHIFT) - 1u);
  uint slot = descriptor.y + index;
  if (live && sqa_watching() && index < descriptor.z && !sqa_skips(set, sqa_watched_slot(descriptor, slot), kind)) {
    uvec4 entry = uvec4(0u);
    uint meta = 0u;
    bool known = false;
#ifdef SQA_HAS_DIRECT
#ifdef SQA_DESCRIPTOR_BUFFERS
    if ((descriptor.x >> SQA_DIRECT_SHIFT) - 1u < SQA_DIRECT_SLOTS) {
#else
    if ((descriptor.x >> SQA_DIRECT_SHIFT) != 0u) {
#endif
      uint at = SQA_ACTION_DIRECT + ((descriptor.x >> SQA_DIRECT_SHIFT) - 1u) * SQA_DIRECT_DWORDS;
      entry = sqa_record_quad(at);
      found.cells = sqa_record_address(at + 4u);
      known = (found.cells.x | found.cells.y) != 0u;
      if (known) found.alone = sqa_alone(descriptor.z, entry.w);
    }
#endif
#ifdef SQA_DESCRIPTOR_BUFFERS
    if (!known && (descriptor.y & SQA_IN_BUFFER) != 0u) {
      known = sqa_find_descriptor(set, descriptor, index, entry);
      meta = entry.w;
    } else
#endif
    if (!known) {
      uvec2 table = sqa_record_address(SQA_ACTION_TABLES + set * 2u);
      known = (table.x | table.y) != 0u && slot < SqaQuads(table).quads[0].x;
      if (known) entry = SqaQuads(table).quads[slot + 1u];
      meta = entry.w;
    }
    if (known && !((meta & SQA_TABLE_READ_ONLY) != 0u && sqa_skips_read_only())) {
      uvec2 base = entry.xy;
      uint range = entry.z;
      uint begin = offset;
      uint bytes = size;
      bool in_bounds = true;
      if (size == 0u) {
        bytes = meta & 0xffu;
        begin = offset * bytes;
        in_bounds = bytes != 0u && offset < range / (bytes | uint(bytes == 0u));
      }
      in_bounds = in_bounds && bytes <= range && begin <= range - bytes;
      uint dynamic = 0u;
      if ((meta & SQA_TABLE_DYNAMIC) != 0u) {
        uint number = descriptor.w + index;
        in_bounds = in_bounds && descriptor.w < SQA_ACTION_MAX_DYNAMIC && number < SQA_ACTION_MAX_DYNAMIC;
        if (in_bounds) dynamic = sqa_record_dword(SQA_ACTION_DYNAMIC + number);
      }
      if (in_bounds && (base.x | base.y) != 0u) {
        uint carry;
        base.x = uaddCarry(base.x, dynamic, carry);
        base.y += carry;
        base.x = uaddCarry(base.x, begin, carry);
        base.y += carry;
#ifdef SQA_HAS_DIRECT
        // Cells take twice the space of their words.
        if ((found.cells.x | found.cells.y) != 0u)
          found.cells = unpackUint2x32(packUint2x32(found.cells) + uint64_t(begin & ~3u) * 2ul);
#endif
        found.address = base;
        found.bytes = bytes;
      }
#ifdef sqa_cannot_follow
      if ((base.x | base.y) == 0u || bytes == 0u ||
          ((meta & SQA_TABLE_DYNAMIC) != 0u &&
           (descriptor.w >= SQA_ACTION_MAX_DYNAMIC || descriptor.w + index >= SQA_ACTION_MAX_DYNAMIC)))
        sqa_cannot_follow();
    } else {
      sqa_cannot_follow();
#endif
    }
  }
  return found;
}

// Checks an access through a descriptor.
void sqa_access_set(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec4 descriptor, const uint index,
                    const uint offset, const uint size, const bool live) {
  SqaFound found = sqa_find_access(site.y, descriptor, index, offset, size, live);
#ifdef SQA_HAS_DIRECT
  if (found.bytes != 0u)
    sqa_access_cells(root, SqaSite(hash, site.x, site.y), found.address, found.bytes, found.cells, found.alone);
#else
  if (found.bytes != 0u) sqa_access(root, SqaSite(hash, site.x, site.y), found.address, found.bytes);
#endif
}
