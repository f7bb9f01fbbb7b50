// SPDX-License-Identifier: Apache-2.0
#include "host/findings/check_report.h"

#include <bit>

#include "instrument/runtime/abi_shared.h"

namespace shaderqa {
namespace {

uint64_t joined(const uint32_t (&words)[2]) { return words[0] | uint64_t{words[1]} << 32; }

CheckDamage damaged(const char* what, uint32_t number) {
  return {what, std::string("a check's report has ") + what + " (" + std::to_string(number) +
                    "): something overwrote the report block; such reports are ignored"};
}

WorkgroupReport workgroup_report(const abi::Report& record) {
  WorkgroupReport report;
  report.layout = record.dispatch_id;
  report.cell = record.address[0];
  report.barriers = record.address[1];
  report.tag = record.value[0] & 0xffffu;
  report.access = static_cast<Access>(record.value[0] >> 16 & 3u);
  report.by = record.value[0] >> 20 & 3u;
  report.owner = record.value[1];
  report.owner_is_lane = (record.value[0] & SQA_SHARED_OWNER_IS_LANE) != 0;
  report.missing = record.kind >> 24 == SQA_MISSING_MEMORY ? Missing::memory : Missing::order;
  return report;
}

}  // namespace

std::variant<CheckReport, CheckDamage> decode_report(const abi::Report& record) {
  const uint32_t check = record.kind & 0xffu, stage = record.kind >> 8 & 0xffu;
  const uint32_t access_bits = record.kind >> 16 & 0xffu, occupancy = record.kind >> 24;
  const bool exact = access_bits & SQA_ACCESS_EXACT;
  const uint32_t access = access_bits & ~(exact ? uint32_t{SQA_ACCESS_EXACT | SQA_ACCESS_NARROW} : 0u);
  if (check < SQA_CHECK_ASSUME || check > SQA_CHECK_LAYOUT) return damaged("an unknown check", check);
  if (stage > static_cast<uint32_t>(Stage::unknown)) return damaged("an unknown stage", stage);
  if (access > SQA_ACCESS_INDIRECT) return damaged("an unknown access", access);
  if (occupancy > SQA_OCCUPANCY_PROBES) return damaged("more taken buckets than were probed", occupancy);

  CheckReport report;
  report.shader_hash = joined(record.shader_hash);
  report.instruction = record.instruction;
  report.check = static_cast<Check>(check);
  report.access = static_cast<Access>(access);
  report.stage = static_cast<Stage>(stage);
  report.invocation = {record.invocation[0], record.invocation[1], record.invocation[2]};
  report.action = record.action;
  report.address = joined(record.address);
  report.size = record.size;
  report.value = joined(record.value);
  report.by_command =
      record.shader_hash[0] == SQA_COMMAND_HASH_LOW && record.shader_hash[1] == SQA_COMMAND_HASH_HIGH;
  if (exact) {
    report.exact =
        ExactReport{Cell::unpack(report.value), record.dispatch_id,
                    occupancy == SQA_MISSING_MEMORY ? Missing::memory : Missing::order,
                    report.access == Access::load && (access_bits & SQA_ACCESS_NARROW), record.invocation_id};
  } else if (check == SQA_CHECK_WORKGROUP || check == SQA_CHECK_UNINITIALISED) {
    report.workgroup = workgroup_report(record);
    report.address = 0;
  } else if (check == SQA_CHECK_NAN) {
    report.operands = {std::bit_cast<float>(record.address[0]), std::bit_cast<float>(record.address[1]),
                       std::bit_cast<float>(record.size)};
    report.address = 0;
    report.size = 0;
  } else {
    report.occupancy = occupancy;
  }
  return report;
}

}  // namespace shaderqa
