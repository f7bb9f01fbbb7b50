// SPDX-License-Identifier: Apache-2.0
#include "host/findings/check_finding.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "host/findings/fingerprint.h"
#include "host/findings/hazard_class.h"
#include "host/printf/printf_format.h"
#include "instrument/runtime/abi_shared.h"
#include "instrument/runtime/cell_fields.h"

namespace shaderqa {
namespace {

SitePlace place_of(const KnownCheck& check) {
  const CheckSite& site = check.site;
  if (site.source.line == 0)
    return {{}, 0, site.text, site.instruction, check.shader_hash, 0, {}, site.frames};
  return {site.source.file, site.source.line, {}, 0, 0, site.source.column, site.source.text, site.frames};
}

// Whether the action has no more workgroups than a cell can number.
bool numbers_all_workgroups(const std::optional<ActionOrigin>& action) {
  return !action || action->workgroups <= uint64_t{1} << (SQA_OWNER_BITS - SQA_LOCAL_BITS);
}

// What the cell says about the earlier access. others: sites with the cell's tag and access.
void add_cell(OtherAccess& other, const Cell& cell, const std::vector<const KnownCheck*>& others) {
  other.access = static_cast<Access>(cell_access(cell));
  other.by_command = cell.tag == SQA_TAG_COMMAND;
  if (other.by_command) return;
  other.owner = cell_owner(cell);
  for (const KnownCheck* check : others) {
    other.stage = check->stage;
    SitePlace place = place_of(*check);
    if (std::ranges::find(other.places, place) == other.places.end())
      other.places.push_back(std::move(place));
  }
}

Hazard hazard_of(const CheckReport& report, Stage stage, const std::optional<ActionOrigin>& action,
                 FindingContext& context, const std::vector<const KnownCheck*>& others) {
  Hazard hazard;
  hazard.access = report.access;
  hazard.of_uniform = report.exact && report.exact->of_uniform;
  hazard.by_command = report.by_command;
  hazard.stage = stage;
  hazard.address = report.address;
  hazard.size = report.size;
  hazard.buffer = std::move(context.buffer);
  hazard.image = std::move(context.image);
  Classified classified;
  if (report.exact) {
    const Cell& cell = report.exact->cell;
    hazard.other = std::move(context.other);
    if (!hazard.other) hazard.other.emplace();
    add_cell(*hazard.other, cell, others);
    const bool same_action = hazard.other->same_action;
    classified = classify_exact_hazard(report.access, cell, report.exact->missing, same_action);
    hazard.other->precedes = precedes_cell(report.access, cell, same_action);
    hazard.other->numbered =
        numbers_all_workgroups(hazard.other->same_action ? action : hazard.other->action);
  } else {
    classified = classify_hazard(report.access, report.value_low(), report.value_high());
  }
  hazard.hazard_class = classified.hazard_class;
  hazard.earlier = classified.earlier;
  return hazard;
}

EarlierAccess earlier_access(Access access) {
  if (access == Access::load) return EarlierAccess::load;
  return access == Access::store ? EarlierAccess::store : EarlierAccess::atomic;
}

std::string who_of(const WorkgroupReport& report) {
  if (report.by == SQA_SHARED_BY_SEVERAL) return "several invocations of the same workgroup";
  const uint32_t subgroup = report.owner >> 16, lane = report.owner & 0xffffu;
  if (report.by == SQA_SHARED_BY_GROUP)
    return "several invocations of subgroup " + std::to_string(subgroup) + " of the same workgroup";
  if (report.owner_is_lane)
    return "invocation " + std::to_string(lane) + " of subgroup " + std::to_string(subgroup) +
           " of the same workgroup";
  return "local invocation " + std::to_string(report.owner) + " of the same workgroup";
}

Hazard workgroup_hazard_of(const CheckReport& report, Stage stage,
                           const std::vector<const KnownCheck*>& others) {
  Hazard hazard;
  hazard.access = report.access;
  hazard.stage = stage;
  hazard.size = report.size;
  OtherAccess& other = hazard.other.emplace();
  other.access = report.workgroup->access;
  other.stage = stage;
  other.same_action = true;
  other.who = who_of(*report.workgroup);
  for (const KnownCheck* check : others)
    if (SitePlace place = place_of(*check); std::ranges::find(other.places, place) == other.places.end())
      other.places.push_back(std::move(place));
  const Classified classified =
      classify_pair(report.access, earlier_access(other.access), report.workgroup->missing);
  hazard.hazard_class = classified.hazard_class;
  hazard.earlier = classified.earlier;
  return hazard;
}

BadFloat bad_float_of(const CheckReport& report, const CheckSite& site) {
  BadFloat bad{std::bit_cast<float>(report.value_low()), report.value_high(), {}, report.operands};
  const uint32_t component = bad.component == 0 ? 0 : bad.component - 1;
  if (component < site.origins.size()) bad.origin = site.origins[component];
  return bad;
}

}  // namespace

Finding check_finding(const CheckTable::Found& found, const CheckReport& report, FindingContext context,
                      const std::vector<const KnownCheck*>& others) {
  const KnownCheck& known = *found.check;
  const CheckSite& site = known.site;
  auto details = std::make_shared<CheckDetails>();
  details->check = report.check;
  details->instruction = site.text;
  details->word = site.instruction;
  if (site.set != UINT32_MAX || site.binding != UINT32_MAX) {
    // A module may have no names.
    details->variable = site.variable.empty() ? "a resource" : site.variable;
    details->set = site.set;
    details->binding = site.binding;
  }
  details->action_number = report.action;
  details->action = std::move(context.action);
  details->commands = std::move(context.commands);
  details->frames = site.frames;
  if (report.check == Check::nan) details->bad_float = bad_float_of(report, site);
  if (report.check == Check::expect) details->unexpected = report.value;
  if (report.check == Check::hazard)
    details->hazard = hazard_of(report, known.stage, details->action, context, others);
  if (report.check == Check::layout) details->layout = std::move(context.layout);
  if (report.workgroup) details->part = WorkgroupPart{context.workgroup_part, report.workgroup->barriers};
  if (report.check == Check::workgroup && report.workgroup)
    details->hazard = workgroup_hazard_of(report, known.stage, others);

  Finding finding;
  finding.kind = kind_of(report.check);
  if (!report.by_command) finding.shader = known.shader_hash;
  finding.stage = known.stage;
  finding.entry_point = found.entry_points;
  finding.source = site.source;
  finding.invocation = render_invocation(site.invocation, report.invocation);
  finding.pipeline = std::move(context.pipeline);
  finding.shader_name = std::move(context.shader_name);
  finding.device = std::move(context.device);
  finding.driver = std::move(context.driver);
  finding.check = std::move(details);
  return finding;
}

Finding check_count_finding(const Finding& first, const FailureCount& count) {
  Finding finding = first;
  finding.kind = FindingKind::note;
  finding.fingerprint = fingerprint_of(first);
  finding.invocation.clear();
  auto details = std::make_shared<CheckDetails>();
  details->check = first.check->check;
  details->count = count;
  details->instruction = first.check->instruction;
  details->word = first.check->word;
  if (count.by_command) details->action = first.check->action;
  finding.check = std::move(details);
  return finding;
}

}  // namespace shaderqa
