// SPDX-License-Identifier: Apache-2.0
// How a failed check reaches the host, for every runtime that has checks. Same rules as printf.glsl, except that
// module-level variables are allowed: runtime_import.cpp brings them in as Private variables. What includes this has
// included abi_report.h and defined
//   sqa_report_dispatch()    what a report gives as its dispatch id
//   sqa_report_invocation()  and as its invocation id
// and defines sqa_begin_checks, which is called at the start of the entry point where the sync check does not begin.

layout(buffer_reference, std430, buffer_reference_align = 8) buffer SqaCheckRoot {
  uint before[44];
  uvec2 control;
  uvec2 records;
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer SqaBegunRoot {
  uvec4 before[14];
  uvec4 begun;  // BegunAction
};
layout(buffer_reference, std430, buffer_reference_align = 4) buffer SqaControl {
  uint published;
  uint unclaimed;
  uint unqueued;
  uint reserved[13];
  uint slots[SQA_REPORT_SLOTS];
  uint failures[SQA_REPORT_SLOTS];
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer SqaRecord {
  uvec4 quads[SQA_REPORT_DWORDS / 4];
};

#define sqa_load(m) atomicLoad(m, gl_ScopeDevice, 0, gl_SemanticsRelaxed)
#define sqa_store(m, v) atomicStore(m, v, gl_ScopeDevice, 0, gl_SemanticsRelaxed)
#define sqa_add(m, v) atomicAdd(m, v, gl_ScopeDevice, 0, gl_SemanticsRelaxed)
#define sqa_swap(m, v) atomicExchange(m, v, gl_ScopeDevice, 0, gl_SemanticsRelaxed)
#define sqa_release() memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease)

// Who this invocation is, as InvocationKind says. Always read whole, since the import may read the built-in variable instead;
// otherwise sqa_set_where sets it at the start of the entry point.
uvec3 sqa_where;
void sqa_set_where(const uvec3 where) { sqa_where = where; }
// A number that all invocations have in common which sqa_where names: all stages of one ray tracing launch, or of one vertex if that is
// executed more than once. also: what tells them apart besides sqa_where, or 0. These may be bits of floats, most of which differ in
// the upper bits alone.
uint sqa_named_number(const uint mix, const uvec3 also) {
  uvec3 who = sqa_where;
  uint beside = (also.x * 668265263u) ^ (also.y * 374761393u) ^ (also.z * 2246822519u);
  beside ^= beside >> 15u;
  return (who.x ^ (who.y * 2654435761u) ^ (who.z * 2246822519u) ^ mix ^ beside) * 1103633207u;
}

// Per invocation. Set by sqa_begin_checks or sqa_begin_sync at the start of the entry point.
uint sqa_attempts;      // reports it tried to make
uint sqa_action;        // 0: not known

// Called after sqa_begin_sync where sqa_where numbers all invocations of an action from 0. The host reads it when the device is lost, or
// does not finish.
void sqa_tell_begun(const uvec2 root, const uvec2 hash) {
  uvec3 where = sqa_where;
  if (sqa_action != 0u && (where.x | where.y | where.z) == 0u)
    SqaBegunRoot(root).begun = uvec4(sqa_action, hash, 0u);
}

// A broken loop fails for ever; each invocation reports at most this often.
const uint max_attempts = 16u;
const uint max_probes = 8u;
// What claims a slot may have, in its kind from this bit on, which of a site's places to look for one it begins at.
const uint claim_place = 26u;

struct SqaSite {
  uvec2 hash;        // of the shader
  uint instruction;  // word offset in the application's module
  uint kind;         // check | stage << 8 | access << 16
};

uint sqa_hash_of_site(const SqaSite site) { return (site.instruction * 97u) ^ site.hash.x ^ site.hash.y; }

void sqa_count_failure(const uvec2 control, const SqaSite site) {
  sqa_add(SqaControl(control).failures[sqa_hash_of_site(site) & (SQA_REPORT_SLOTS - 1u)], 1u);
}

// Claims a slot for a failure that was counted. Returns its number, or SQA_REPORT_SLOTS if there is nothing to do.
uint sqa_claim_counted(const uvec2 control, const SqaSite site) {
  uint slot = SQA_REPORT_SLOTS;
  uint site_hash = sqa_hash_of_site(site);
  // The mark says whose claim it is. If another failure has the slot, the next slots are tried; if the same failure has it,
  // a report is already on its way to the host.
  uint mark = (((site_hash ^ (site.kind * 2654435761u)) * 2246822519u) ^ (sqa_report_dispatch() * 51329u)) | 1u;
  uint home = site_hash ^ (sqa_report_dispatch() * 51329u) ^ ((site.kind >> claim_place) * 3u);
  bool looking = true;
  [[dont_unroll]] for (uint n = 0u; n < max_probes && looking; ++n) {
    uint at = (home + n * 61u) & (SQA_REPORT_SLOTS - 1u);
    // Most failures find the slot taken, and a load costs less than a swap.
    uint old = sqa_load(SqaControl(control).slots[at]);
    if (old == 0u)
      old = atomicCompSwap(SqaControl(control).slots[at], 0u, mark, gl_ScopeDevice, 0, gl_SemanticsRelaxed, 0,
                           gl_SemanticsRelaxed);
    if (old == 0u) slot = at;
    looking = old != 0u && old != mark;
  }
  if (looking) sqa_add(SqaControl(control).unclaimed, 1u);
  return slot;
}

// The same for one that is counted here. limited: max_attempts counts.
uint sqa_claim(const uvec2 control, const SqaSite site, const bool limited) {
  uint slot = SQA_REPORT_SLOTS;
  if (!limited || sqa_attempts < max_attempts) {
    if (limited) ++sqa_attempts;
    sqa_count_failure(control, site);
    slot = sqa_claim_counted(control, site);
  }
  return slot;
}

void sqa_publish(const uvec2 root, const uint slot, const SqaSite site, const uint occupancy, const uvec2 address,
                 const uint size, const uvec2 value) {
  uvec2 control = SqaCheckRoot(root).control;
  uint carry;
  uint low = uaddCarry(SqaCheckRoot(root).records.x, slot * (SQA_REPORT_DWORDS * 4u), carry);
  SqaRecord record = SqaRecord(uvec2(low, SqaCheckRoot(root).records.y + carry));
  record.quads[0] = uvec4(site.hash, site.instruction, sqa_report_dispatch());
  record.quads[1] = uvec4(sqa_where, site.kind | (occupancy << 24));
  record.quads[2] = uvec4(address, size, sqa_action);
  record.quads[3].xyz = uvec3(value, sqa_report_invocation());
  sqa_release();
  uint ticket = sqa_add(SqaControl(control).published, 1u) + 1u;
  sqa_store(record.quads[3].w, ticket | uint(ticket == 0u));
}

// operands: of what made a value, in place of an address and a size.
void sqa_report(const uvec2 root, const SqaSite site, const uvec2 value, const uvec3 operands) {
  uvec2 control = SqaCheckRoot(root).control;
  if ((control.x | control.y) != 0u) {
    uint slot = sqa_claim(control, site, true);
    if (slot < SQA_REPORT_SLOTS) sqa_publish(root, slot, site, 0u, operands.xy, operands.z, value);
  }
}

// The code of a report is large, so where there are many checks of values, what fails is noted, and reported at the end of
// the invocation.
const uint most_failures = 8u;
uint sqa_failures;                // how many are noted
uvec2 sqa_failed_bits;            // a bit for each of their instructions
uvec4 sqa_failed[most_failures];  // site, value
uvec3 sqa_failed_operands[most_failures];
void sqa_begin_failures() {
  sqa_failures = 0u;
  sqa_failed_bits = uvec2(0u);
}
// In the place of sqa_report. What one check finds again and again takes one note. Its bit is that of no other one near it, but
// may be that of one far away, which then is not told of in this invocation.
void sqa_note_failure(const uvec2 root, const SqaSite site, const uvec2 value, const uvec3 operands) {
  uint bit = 1u << (site.instruction & 31u);
  uvec2 bits = (site.instruction & 32u) == 0u ? uvec2(bit, 0u) : uvec2(0u, bit);
  uint at = sqa_failures;
  if (at < most_failures && (sqa_failed_bits & bits) == uvec2(0u)) {
    sqa_failed[at] = uvec4(site.instruction, site.kind, value);
    sqa_failed_operands[at] = operands;
    sqa_failures = at + 1u;
    sqa_failed_bits |= bits;
  }
}
void sqa_report_failures(const uvec2 root, const uvec2 hash) {
  if (sqa_failures != 0u) {
    uvec2 control = SqaCheckRoot(root).control;
    if ((control.x | control.y) != 0u) {
      [[dont_unroll]] for (uint n = 0u; n < sqa_failures; ++n) {
        uvec4 failed = sqa_failed[n];
        SqaSite site = SqaSite(hash, failed.x, failed.y);
        uint slot = sqa_claim(control, site, true);
        uvec3 operands = sqa_failed_operands[n];
        if (slot < SQA_REPORT_SLOTS) sqa_publish(root, slot, site, 0u, operands.xy, operands.z, failed.zw);
      }
    }
    sqa_begin_failures();
  }
}

// hash: the shader's. site: instruction, kind. live: the invocation has side effects.
void sqa_check(const uvec2 root, const uvec2 hash, const uvec2 site, const bool ok, const bool live, const uvec2 value) {
  if (!ok && live) sqa_report(root, SqaSite(hash, site.x, site.y), value, uvec3(0u));
}
void sqa_check_operands(const uvec2 root, const uvec2 hash, const uvec2 site, const bool ok, const bool live, const uvec2 value,
                        const uvec3 operands) {
  if (!ok && live) sqa_report(root, SqaSite(hash, site.x, site.y), value, operands);
}
