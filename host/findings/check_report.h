// SPDX-License-Identifier: Apache-2.0
// The one decoder of abi::Report: from the words of the report block to typed values.
#ifndef SHADERQA_HOST_FINDINGS_CHECK_REPORT_H
#define SHADERQA_HOST_FINDINGS_CHECK_REPORT_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "host/findings/finding_types.h"
#include "host/order/cell.h"
#include "instrument/runtime/abi_report.h"
#include "instrument/shader_record.h"

namespace shaderqa {

// What only the exact engine's reports say.
struct ExactReport {
  Cell cell;              // the earlier access
  uint32_t sequence = 0;  // sequence number of the later one
  Missing missing = Missing::order;
  bool of_uniform = false;  // the later one loads from a uniform buffer, or an input of a subpass
  uint32_t owner = 0;       // of the later one, as a cell would have it
};

// What only reports of workgroup memory say (abi_shared.h).
struct WorkgroupReport {
  uint32_t layout = 0;  // WorkgroupLayout::id
  uint32_t cell = 0;
  uint32_t barriers = 0;  // that the invocation had passed
  // The earlier access, of a hazard.
  uint32_t tag = 0;
  Access access = Access::load;
  uint32_t by = 0;  // SQA_SHARED_BY_*
  uint32_t owner = 0;
  bool owner_is_lane = false;  // subgroup << 16 | lane, not an invocation
  Missing missing = Missing::order;
};

struct CheckReport {
  uint64_t shader_hash = 0;
  uint32_t instruction = 0;  // word offset in the application's module
  Check check = Check::assume;
  Access access = Access::load;  // of hazards
  Stage stage = Stage::unknown;
  std::array<uint32_t, 3> invocation{};
  uint32_t action = 0;                            // 0: not known
  uint64_t address = 0;                           // 0: the check has none
  uint32_t size = 0;                              // bytes of the access
  uint64_t value = 0;                             // abi::Report::value
  std::array<float, kOriginOperands> operands{};  // of nan: of what made the value
  bool by_command = false;                        // a hazard of memory that a command accesses by itself
  uint32_t occupancy = 0;                         // of the filter: how many of the probed buckets were taken
  std::optional<ExactReport> exact;
  std::optional<WorkgroupReport> workgroup;

  uint32_t value_low() const { return static_cast<uint32_t>(value); }
  uint32_t value_high() const { return static_cast<uint32_t>(value >> 32); }
};

// A record that no shader of ours wrote like that. what: the kind of damage, of which there are few.
struct CheckDamage {
  const char* what = "";
  std::string sentence;
};

std::variant<CheckReport, CheckDamage> decode_report(const abi::Report& record);

}  // namespace shaderqa
#endif
