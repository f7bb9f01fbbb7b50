// SPDX-License-Identifier: Apache-2.0
// Shader records and report records for the tests of check reports.
#ifndef SHADERQA_TESTS_HOST_CHECK_BUILDER_H
#define SHADERQA_TESTS_HOST_CHECK_BUILDER_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/findings/check_collector.h"
#include "host/findings/check_reader.h"
#include "host/findings/report_text.h"
#include "host/order/cell.h"
#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/cell_fields.h"
#include "instrument/shader_record.h"

namespace shaderqa::test {

inline constexpr uint64_t kCheckedShader = 0x0123456789abcdef;

inline CheckSite check_site(uint32_t instruction, uint32_t check, uint32_t access = SQA_ACCESS_LOAD) {
  CheckSite site;
  site.instruction = instruction;
  site.check = check;
  site.access = access;
  site.text = "OpLoad %value";
  site.variable = "Particles";
  site.set = 1;
  site.binding = 2;
  site.invocation = InvocationKind::global_id;
  site.source = {"a.comp", 12, 3, "  x = data[i];"};
  return site;
}

inline ShaderRecord checked_shader(std::vector<CheckSite> sites, const std::string& entry_point = "main",
                                   Stage stage = Stage::compute) {
  ShaderRecord record;
  record.shader_hash = kCheckedShader;
  record.stage = stage;
  record.entry_point = entry_point;
  record.check_sites = std::move(sites);
  return record;
}

struct HazardMarks {
  uint32_t low, high;
};
// What accesses mark for the first four bytes of a granule.
inline constexpr HazardMarks kLoadMarks{0x000f0000, 0x01};
inline constexpr HazardMarks kStoreMarks{0x000f000f, 0x11};
inline constexpr HazardMarks kAtomicMarks{0x000f000f, 0x10};
// An atomic load.
inline constexpr HazardMarks kAtomicLoadMarks{0x000f0000, 0x00};

inline abi::Report report_of(uint32_t instruction, uint32_t check, uint32_t access = SQA_ACCESS_LOAD,
                             uint32_t occupancy = 0, HazardMarks marks = {0, 0}) {
  abi::Report record{};
  record.shader_hash[0] = static_cast<uint32_t>(kCheckedShader);
  record.shader_hash[1] = static_cast<uint32_t>(kCheckedShader >> 32);
  record.instruction = instruction;
  record.invocation[0] = 7;
  record.kind = check | static_cast<uint32_t>(Stage::compute) << 8 | access << 16 | occupancy << 24;
  record.address[0] = 0x1040;
  record.size = 4;
  record.action = 12;
  record.value[0] = marks.low;
  record.value[1] = marks.high;
  return record;
}

// A report of the exact engine: `earlier` is the cell that the access found.
inline abi::Report exact_report(uint32_t instruction, uint32_t access, const Cell& earlier,
                                uint32_t missing = SQA_MISSING_ORDER) {
  const uint64_t bits = earlier.pack();
  return report_of(instruction, SQA_CHECK_HAZARD, access | SQA_ACCESS_EXACT, missing,
                   {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)});
}

// A command's own access, found by the exact engine.
inline abi::Report command_report(uint32_t access, const Cell& earlier) {
  abi::Report record = exact_report(access, access, earlier);
  record.shader_hash[0] = SQA_COMMAND_HASH_LOW;
  record.shader_hash[1] = SQA_COMMAND_HASH_HIGH;
  record.kind = (record.kind & ~0xff00u) | SQA_STAGE_UNKNOWN << 8;
  return record;
}

inline Cell cell_of(uint32_t kind, uint32_t tag = SQA_TAG_COMMAND) {
  Cell cell;
  cell.mask = 15;
  cell.kind = kind;
  cell.tag = tag;
  cell.sequence = 3;
  return cell;
}

inline ActionOrigin action_of(uint32_t number, const std::string& name, const std::string& arguments = "(1)",
                              ActionKind kind = ActionKind::other) {
  ActionOrigin action;
  action.number = number;
  action.index = number;
  action.kind = kind;
  action.name = name;
  action.command = name + arguments;
  action.command_buffer = "main";
  return action;
}

// Keeps what a collector tells it.
struct KeepingClient : CheckClient {
  FindingContext context(const CheckReport&) override { return known; }
  void finding(const Finding& finding) override { findings.push_back(finding); }
  void note(const std::string& key, const std::string& text) override { notes.emplace(key, text); }

  FindingContext known;
  std::vector<Finding> findings;
  std::map<std::string, std::string> notes;
};

// The report block and a GPU that writes into it.
struct FakeBlock {
  std::unique_ptr<abi::ReportControl> control = std::make_unique<abi::ReportControl>();
  std::vector<abi::Report> records = std::vector<abi::Report>(SQA_REPORT_SLOTS);
  CheckReader reader{control.get(), records.data()};

  // False: the slot is taken.
  bool publish(uint32_t slot, const abi::Report& record) {
    ++control->failures[failure_counter(record.shader_hash[0] | uint64_t{record.shader_hash[1]} << 32,
                                        record.instruction)];
    if (control->slots[slot] != 0) return false;
    control->slots[slot] = 1;
    records[slot] = record;
    records[slot].ticket = ++control->published;
    return true;
  }
};

}  // namespace shaderqa::test
#endif
