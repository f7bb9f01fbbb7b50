// SPDX-License-Identifier: Apache-2.0
#include "host/findings/check_finding.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <utility>

#include "host/findings/hazard_text.h"
#include "host/findings/report_fields.h"
#include "host/order/cell.h"
#include "host/printf/printf_format.h"
#include "instrument/runtime/cell_fields.h"

namespace shaderqa {
namespace {

const char* check_name(uint32_t check) {
  constexpr const char* names[] = {nullptr, "assume", "expect", "breakpoint", "nan", "hazard"};
  return check < std::size(names) ? names[check] : nullptr;
}

std::string value_text(uint32_t bits) {
  const float value = std::bit_cast<float>(bits);
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-infinity" : "infinity";
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
  return text;
}

// component: of a vector or larger value, from 1; 0: a scalar.
std::string value_check_sentence(const CheckDetails& details, const SourcePosition& source,
                                 uint32_t component_number) {
  const std::string component =
      component_number == 0 ? "" : " in component " + std::to_string(component_number - 1);
  const size_t begin = source.text.find_first_not_of(" \t");
  std::string where = begin == std::string::npos ? details.instruction : source.text.substr(begin);
  if (!where.empty()) where = ": " + where;
  if (details.check == "assume") return "an assumption does not hold" + where;
  if (details.check == "expect") return "a value is not the expected one" + where;
  if (details.check == "breakpoint") return "a breakpoint was passed" + where;
  return "a result is " + details.value + component + where;
}

// others: of the cell's tag and access.
void complete(OtherAccess& other, const Cell& cell, const std::vector<const KnownCheck*>& others) {
  other.access = cell_access(cell);
  other.by_command = cell.tag == SQA_TAG_COMMAND;
  if (other.by_command) return;
  Stage stage = Stage::unknown;
  for (const KnownCheck* check : others) {
    stage = check->stage;
    const SourcePosition& source = check->site.source;
    std::string place;
    if (source.line != 0)
      place = source.file + ":" + std::to_string(source.line);
    else
      place = check->site.text + " (word " + std::to_string(check->site.instruction) + ")";
    if (std::ranges::find(other.places, place) == other.places.end()) other.places.push_back(place);
  }
  other.who = cell_owner(cell, stage);
}

}  // namespace

CheckReport::CheckReport(const abi::Report& record)
    : shader_hash(record.shader_hash[0] | uint64_t{record.shader_hash[1]} << 32),
      check(record.kind & 0xffu),
      access((record.kind >> 16) & 0xffu & ~uint32_t{SQA_ACCESS_EXACT}),
      occupancy(record.kind >> 24),
      stage((record.kind >> 8) & 0xffu),
      exact((record.kind >> 16) & SQA_ACCESS_EXACT),
      by_command(record.shader_hash[0] == SQA_COMMAND_HASH_LOW &&
                 record.shader_hash[1] == SQA_COMMAND_HASH_HIGH),
      address(record.address[0] | uint64_t{record.address[1]} << 32),
      value(record.value[0] | uint64_t{record.value[1]} << 32) {}

CheckDamage check_report_damage(const CheckReport& report) {
  const auto damaged = [](const char* what, uint32_t number) {
    return CheckDamage{what, std::string("a check's report has ") + what + " (" + std::to_string(number) +
                                 "): something overwrote the report block; such reports are ignored"};
  };
  if (!check_name(report.check)) return damaged("an unknown check", report.check);
  if (report.stage > static_cast<uint32_t>(Stage::unknown)) return damaged("an unknown stage", report.stage);
  if (!access_name(report.access)) return damaged("an unknown access", report.access);
  if (report.occupancy > SQA_OCCUPANCY_PROBES)
    return damaged("more taken buckets than were probed", report.occupancy);
  return {};
}

CheckDamage check_report_miss(CheckTable::Miss miss, const CheckReport& report, uint32_t instruction) {
  std::string hash;
  append_hash(hash, report.shader_hash);
  if (miss == CheckTable::Miss::shader) {
    return {"a shader never seen", "a check's report comes from shader " + hash +
                                       ", which was never instrumented here: something overwrote the report "
                                       "block; such reports are ignored"};
  }
  return {"an unknown site", "a check's report names word " + std::to_string(instruction) + " of shader " +
                                 hash +
                                 ", where nothing is checked: something overwrote the report block; "
                                 "such reports are ignored"};
}

const char* check_kind(uint32_t check) {
  if (check == SQA_CHECK_HAZARD) return "hazard";
  return check == SQA_CHECK_NAN ? "nan" : "assume";
}

Finding check_finding(const CheckTable::Found& found, const abi::Report& record, FindingContext context,
                      const std::vector<const KnownCheck*>& others) {
  const KnownCheck& known = *found.check;
  const CheckSite& site = known.site;
  const CheckReport report(record);
  auto details = std::make_shared<CheckDetails>();
  details->check = check_name(report.check) ? check_name(report.check) : "";
  details->instruction = site.text;
  details->word = site.instruction;
  if (site.set != UINT32_MAX || site.binding != UINT32_MAX) {
    details->variable = site.variable;
    details->set = site.set;
    details->binding = site.binding;
  }
  details->action_number = record.action;
  details->action = std::move(context.action);
  details->commands = std::move(context.commands);

  Finding finding;
  finding.kind = check_kind(report.check);
  details->by_command = report.by_command;
  if (!report.by_command) finding.shader = known.shader_hash;
  if (known.stage != Stage::unknown) finding.stage = to_string(known.stage);
  finding.entry_point = found.entry_points;
  finding.source = site.source;
  finding.invocation = render_invocation(site.invocation, record.invocation);
  if (report.check == SQA_CHECK_HAZARD) {
    HazardClass kind;
    if (report.exact) {
      const Cell cell = Cell::unpack(report.value);
      kind = classify_exact_hazard(report.access, cell, report.occupancy);
      details->other = std::move(context.other);
      if (!details->other) details->other.emplace();
      complete(*details->other, cell, others);
    } else {
      kind = classify_hazard(report.access, record.value[0], record.value[1]);
    }
    details->hazard_class = kind.name;
    details->earlier = kind.earlier;
    details->access = access_name(report.access) ? access_name(report.access) : "";
    details->address = report.address;
    details->size = record.size;
    details->buffer = std::move(context.buffer);
    details->scope = details->other ? other_access_text(*details->other) : hazard_scope(details->action);
    details->hint = hazard_hint(*details, report.access, known.stage);
    finding.text = hazard_sentence(*details);
  } else {
    if (report.check == SQA_CHECK_NAN) details->value = value_text(record.value[0]);
    if (report.check == SQA_CHECK_EXPECT) details->value = std::to_string(report.value);
    finding.text =
        value_check_sentence(*details, site.source, report.check == SQA_CHECK_NAN ? record.value[1] : 0);
  }
  finding.check = std::move(details);
  return finding;
}

Finding check_count_finding(const Finding& first, uint64_t count, uint32_t sharers, bool some_not_believed) {
  Finding finding = first;
  finding.kind = "note";
  finding.invocation.clear();
  auto details = std::make_shared<CheckDetails>();
  std::string where;
  if (first.source.line != 0)
    where = first.source.file + ":" + std::to_string(first.source.line);
  else if (!first.entry_point.empty())
    where = first.entry_point;
  if (first.check && first.check->by_command) {
    details->check = first.check->check;
    details->by_command = true;
    where = command_name(first.check->action);
  } else if (first.check) {
    details->check = first.check->check;
    details->instruction = first.check->instruction;
    details->word = first.check->word;
    where += (where.empty() ? "word " : ", word ") + std::to_string(first.check->word);
  }
  details->count = count;
  finding.text = details->check + " at " + where + ": failed " + std::to_string(count) + " times in all";
  if (sharers > 1)
    finding.text += " (a count shared with " + std::to_string(sharers - 1) +
                    (sharers == 2 ? " other site)" : " other sites)");
  if (some_not_believed) finding.text += ", also while the filter was too full to be believed";
  finding.check = std::move(details);
  return finding;
}

}  // namespace shaderqa
