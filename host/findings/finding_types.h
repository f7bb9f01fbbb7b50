// SPDX-License-Identifier: Apache-2.0
// The closed sets of values that findings are made of. Whoever decides something about a finding compares
// these; names are for the writers (report_text, check_text) and for the command line.
#ifndef SHADERQA_HOST_FINDINGS_FINDING_TYPES_H
#define SHADERQA_HOST_FINDINGS_FINDING_TYPES_H

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "instrument/runtime/abi_report.h"
#include "instrument/shader_record.h"

namespace shaderqa {

enum class FindingKind : uint8_t { printf, assume, nan, uninit, hazard, layout, redundant, trace, note };
inline constexpr std::array kFindingKinds = {FindingKind::printf,    FindingKind::assume, FindingKind::nan,
                                             FindingKind::uninit,    FindingKind::hazard, FindingKind::layout,
                                             FindingKind::redundant, FindingKind::trace,  FindingKind::note};
static_assert(kFindingKinds.size() == static_cast<size_t>(FindingKind::note) + 1);
const char* to_string(FindingKind kind);
// Nothing: no kind has this name.
std::optional<FindingKind> finding_kind(std::string_view name);

const char* to_string(Concern concern);  // "" for nothing

// What an instrumented instruction checks.
enum class Check : uint8_t {
  assume = SQA_CHECK_ASSUME,
  expect = SQA_CHECK_EXPECT,
  breakpoint = SQA_CHECK_BREAKPOINT,
  nan = SQA_CHECK_NAN,
  hazard = SQA_CHECK_HAZARD,
  workgroup = SQA_CHECK_WORKGROUP,  // a hazard of workgroup memory
  uninitialised = SQA_CHECK_UNINITIALISED,
  layout = SQA_CHECK_LAYOUT  // of an image that is accessed
};
const char* to_string(Check check);
// The kind of a failed check's finding: several checks share a kind.
FindingKind kind_of(Check check);

// How memory is accessed. `indirect`: a command reads its arguments.
enum class Access : uint8_t {
  load = SQA_ACCESS_LOAD,
  store = SQA_ACCESS_STORE,
  atomic = SQA_ACCESS_ATOMIC,
  indirect = SQA_ACCESS_INDIRECT
};
const char* to_string(Access access);

// The earlier access of a hazard. The filter's marks overlay each other, so that it sometimes knows only one
// of two.
enum class EarlierAccess : uint8_t { unknown, load, store, atomic, store_or_atomic, load_or_store };
const char* to_string(EarlierAccess access);  // "" for unknown

enum class HazardClass : uint8_t {
  unknown,  // the filter's marks do not explain the access
  read_after_write,
  write_after_read,
  write_after_write,
  atomic_against_plain,
  workgroup_atomics,  // atomics of workgroup scope, by several workgroups
  execution_only      // a barrier of the shader lies between them, but it does not order this memory
};
const char* to_string(HazardClass hazard_class);  // "" for unknown

// What keeps two accesses of an exact hazard from being ordered.
enum class Missing : uint8_t {
  order = SQA_MISSING_ORDER,   // nothing orders them
  memory = SQA_MISSING_MEMORY  // a barrier lies between them, without this memory in its semantics
};

// What kind of command an action is.
enum class ActionKind : uint8_t { other, dispatch, draw, trace };

}  // namespace shaderqa
#endif
