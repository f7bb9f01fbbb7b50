// SPDX-License-Identifier: Apache-2.0
// How hazards reach the host: at once, or, where the code of a report would stand in the shader many times and the driver inlines all of
// it, at the end of the invocation. Included by exact.glsl.

SqaSite sqa_reported_site(const SqaSite site) {
  return SqaSite(site.hash, site.instruction, (site.kind & SQA_ACCESS_REPORTED) | (SQA_ACCESS_EXACT << 16u));
}
// Hazards with accesses of other kinds, of other actions and at other places (as far as the low bits of their tags differ) are findings
// of their own, so that it does not matter which of them the host has read meanwhile. At most 32 claims for a site: 8 for each value of
// those bits, and as many slots are probed. An invocation that counted its reports would keep the number through all of the
// application's shader. Applied twice, it returns the reported site.
SqaSite sqa_claiming_site(const SqaSite reported, const uvec2 earlier) {
  uint with = (earlier.x & (SQA_CELL_KIND_FIELD | SQA_ONES(2u) << SQA_CELL_TAG)) << (claim_place - SQA_CELL_TAG) |
              (sqa_cell_sequence(earlier.y) & 1u) << 24u;
  return SqaSite(reported.hash, reported.instruction, reported.kind ^ with);
}

void sqa_report_hazard(const uvec2 root, const SqaSite site, const uint missing, const uvec2 address, const uint size,
                       const uvec2 earlier) {
  // Every hazard, also where its report is on its way already.
  sqa_map_race(address, earlier);
  uvec2 control = SqaCheckRoot(root).control;
  SqaSite reported = sqa_reported_site(site);
  uint slot = SQA_REPORT_SLOTS;
  if ((control.x | control.y) != 0u) slot = sqa_claim(control, sqa_claiming_site(reported, earlier), false);
  if (slot < SQA_REPORT_SLOTS) sqa_publish(root, slot, reported, missing, address, size, earlier);
}

// The bytes that are reported of an access of which so many are checked.
#ifdef SQA_READ_LOG
uint sqa_whole_read;
#define sqa_whole_access(bytes) sqa_whole_read
#else
#define sqa_whole_access(bytes) bytes
#endif

#ifndef SQA_COMMANDS
SqaSite sqa_layout_site(const SqaSite site) { return SqaSite(site.hash, site.instruction, (site.kind & 0x3ff00u) | SQA_CHECK_LAYOUT); }
uint sqa_submission_serial() { return SqaDwords(sqa_record_address(SQA_ACTION_SUBMISSION)).dwords[SQA_SUBMISSION_SERIAL]; }
// Reports an access through a descriptor whose image may be in another layout than it says. set, slot: as SQA_CHECK_LAYOUT has
// them. Nothing is counted: the site's failures are hazards.
void sqa_report_layout(const uvec2 root, const SqaSite site, const uint set, const uint slot) {
  uvec2 control = SqaCheckRoot(root).control;
  if ((control.x | control.y) != 0u) {
    SqaSite wrong = sqa_layout_site(site);
    uint claimed = sqa_claim_counted(control, wrong);
    if (claimed < SQA_REPORT_SLOTS) sqa_publish(root, claimed, wrong, 0u, uvec2(0u), set, uvec2(slot, sqa_submission_serial()));
  }
}

// What the invocation has found: the first finding, and one that claims another slot. Which one differs from invocation to invocation
// and from action to action, so that others keep others.
struct SqaFinding {
  uint rank;   // 0: there is none
  uvec2 site;  // instruction and kind, as they claim a slot
  uint missing, size;
  uvec2 address, value;
};
SqaFinding sqa_first_finding, sqa_other_finding;

void sqa_begin_findings() {
  sqa_first_finding.rank = 0u;
  sqa_other_finding.rank = 0u;
}

void sqa_keep_finding(const SqaSite site, const uint missing, const uvec2 address, const uint size, const uvec2 value) {
  uint rank = (((site.instruction ^ site.kind) * 2654435761u) ^ ((sqa_owner + sqa_sequence) * 2246822519u)) * 3266489917u | 1u;
  SqaFinding finding = SqaFinding(rank, uvec2(site.instruction, site.kind), missing, size, address, value);
  if (sqa_first_finding.rank == 0u)
    sqa_first_finding = finding;
  else if (finding.site != sqa_first_finding.site && rank > sqa_other_finding.rank)
    sqa_other_finding = finding;
}

// In the place of sqa_report_hazard.
void sqa_note_hazard(const uvec2 root, const SqaSite site, const uint missing, const uvec2 address, const uint size,
                     const uvec2 earlier) {
  sqa_map_race(address, earlier);
  uvec2 control = SqaCheckRoot(root).control;
  SqaSite reported = sqa_reported_site(site);
  if ((control.x | control.y) != 0u) sqa_count_failure(control, reported);
  sqa_keep_finding(sqa_claiming_site(reported, earlier), missing, address, size, earlier);
}
// In the place of sqa_report_layout.
void sqa_note_layout(const uvec2 root, const SqaSite site, const uint set, const uint slot) {
  sqa_keep_finding(sqa_layout_site(site), 0u, uvec2(0u), set, uvec2(slot, sqa_submission_serial()));
}

// At the end of the invocation.
void sqa_report_findings(const uvec2 root, const uvec2 hash) {
  uvec2 control = SqaCheckRoot(root).control;
  SqaFinding finding = sqa_first_finding;
  if (finding.rank != 0u && (control.x | control.y) != 0u) {
    [[dont_unroll]] for (uint n = 0u; n < 2u && finding.rank != 0u; ++n) {
      SqaSite claiming = SqaSite(hash, finding.site.x, finding.site.y);
      SqaSite site = claiming;
      if ((site.kind & 0xffu) != SQA_CHECK_LAYOUT) site = sqa_claiming_site(claiming, finding.value);
      uint slot = sqa_claim_counted(control, claiming);
      if (slot < SQA_REPORT_SLOTS) sqa_publish(root, slot, site, finding.missing, finding.address, finding.size, finding.value);
      finding = sqa_other_finding;
    }
    sqa_begin_findings();
  }
}
#endif
