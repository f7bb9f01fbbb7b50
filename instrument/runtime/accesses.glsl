// From an access to the memory that it touches, for every engine of the sync check. What includes this has defined
//   sqa_watching()  whether anything is checked
//   sqa_skips_read_only()  whether accesses of what no shader can write are of no interest
//   void sqa_access(root, site, address, size)
// and includes accesses_state.glsl before.

// The range that an indirect command read: checked by the first invocation of each execution of the command.
void sqa_indirect(const uvec2 root, const uvec2 hash, const uint stage) {
  SqaDwords record = SqaDwords(sqa_record);
  uvec2 address = uvec2(record.dwords[SQA_ACTION_INDIRECT], record.dwords[SQA_ACTION_INDIRECT + 1]);
  if ((address.x | address.y) != 0u) {
    SqaDwords submission = SqaDwords(uvec2(record.dwords[SQA_ACTION_SUBMISSION], record.dwords[SQA_ACTION_SUBMISSION + 1]));
    uint serial = submission.dwords[1];
    if (sqa_load(record.dwords[SQA_ACTION_INDIRECT_DONE]) != serial &&
        atomicExchange(record.dwords[SQA_ACTION_INDIRECT_DONE], serial, gl_ScopeDevice, 0, gl_SemanticsRelaxed) != serial) {
      SqaSite site = SqaSite(hash, 0u, SQA_CHECK_HAZARD | (stage << 8u) | (SQA_ACCESS_INDIRECT << 16u));
      uvec2 count = uvec2(record.dwords[SQA_ACTION_INDIRECT_COUNT], record.dwords[SQA_ACTION_INDIRECT_COUNT + 1]);
      uint bytes = record.dwords[SQA_ACTION_INDIRECT_BYTES];
      [[dont_unroll]] for (uint i = 0u; i < 2u; ++i) {
        if ((address.x | address.y) != 0u) sqa_access(root, site, address, bytes);
        address = count;
        bytes = 4u;
      }
    }
  }
}

// An access by address and an offset from it. site: instruction, kind.
void sqa_access_address(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec2 address, const uint offset,
                        const uint size, const bool live) {
  if (live && sqa_watching() && (address.x | address.y) != 0u) {
    uint carry;
    uvec2 at = uvec2(uaddCarry(address.x, offset, carry), 0u);
    at.y = address.y + carry;
    sqa_access(root, SqaSite(hash, site.x, site.y), at, size);
  }
}

// An access through a descriptor. descriptor: set, slot of the binding in the set's table, its array length, its
// number among the dynamic offsets (or SQA_NOT_DYNAMIC), both of array element 0. index: in the array. offset: bytes; of texel buffers the
// element, and size is 0.
void sqa_access_set(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec4 descriptor, const uint index,
                    const uint offset, const uint size, const bool live) {
  if (live && sqa_watching() && index < descriptor.z) {
    SqaDwords action = SqaDwords(sqa_record);
    uvec2 table = uvec2(action.dwords[SQA_ACTION_TABLES + descriptor.x * 2u],
                        action.dwords[SQA_ACTION_TABLES + descriptor.x * 2u + 1u]);
    uint slot = descriptor.y + index;
    if ((table.x | table.y) != 0u && slot < SqaDwords(table).dwords[0]) {
      uint entry = (slot + 1u) * SQA_TABLE_ENTRY_DWORDS;
      uint meta = SqaDwords(table).dwords[entry + 3u];
      if ((meta & SQA_TABLE_READ_ONLY) != 0u && sqa_skips_read_only()) return;
      uvec2 base = uvec2(SqaDwords(table).dwords[entry], SqaDwords(table).dwords[entry + 1u]);
      uint range = SqaDwords(table).dwords[entry + 2u];
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
        if (in_bounds) dynamic = action.dwords[SQA_ACTION_DYNAMIC + number];
      }
      if (in_bounds && (base.x | base.y) != 0u) {
        uint carry;
        base.x = uaddCarry(base.x, dynamic, carry);
        base.y += carry;
        base.x = uaddCarry(base.x, begin, carry);
        base.y += carry;
        sqa_access(root, SqaSite(hash, site.x, site.y), base, bytes);
      }
    }
  }
}
