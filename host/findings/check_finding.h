// SPDX-License-Identifier: Apache-2.0
// From a record of the report block to a finding.
#ifndef SHADERQA_HOST_FINDINGS_CHECK_FINDING_H
#define SHADERQA_HOST_FINDINGS_CHECK_FINDING_H

#include <optional>
#include <string>

#include "host/findings/check_details.h"
#include "host/findings/check_table.h"
#include "host/findings/report.h"
#include "instrument/runtime/abi_report.h"

namespace shaderqa {

// A record's words with their meaning; nothing is known to be sensible.
struct CheckReport {
  explicit CheckReport(const abi::Report& record);
  uint64_t shader_hash;
  uint32_t check, access, occupancy, stage;
  bool exact;       // of the exact engine
  bool by_command;  // a command's own access
  uint64_t address, value;
};

// Hazards found while the filter was as full as that are not believed.
inline constexpr uint32_t kMaxBelievedOccupancy = 22;

// A record that no shader of ours wrote like that. what: the kind of damage, of which there are few.
struct CheckDamage {
  const char* what = nullptr;  // null: nothing is wrong
  std::string sentence;
};
// Of the record itself, and of one whose site is not in the table.
CheckDamage check_report_damage(const CheckReport& report);
CheckDamage check_report_miss(CheckTable::Miss miss, const CheckReport& report, uint32_t instruction);

// What the layer knows beside the record.
struct FindingContext {
  std::optional<BufferOrigin> buffer;
  std::optional<ActionOrigin> action;
  std::vector<std::string> commands;
  std::optional<OtherAccess> other;  // its action, and what is lacking
};
// "assume", "nan" or "hazard".
const char* check_kind(uint32_t check);
// others: sites that can be the other access of an exact hazard.
Finding check_finding(const CheckTable::Found& found, const abi::Report& record, FindingContext context,
                      const std::vector<const KnownCheck*>& others = {});
// The note at the end for a site that failed more than once. sharers: sites that count there.
Finding check_count_finding(const Finding& first, uint64_t count, uint32_t sharers, bool some_not_believed);

}  // namespace shaderqa
#endif
