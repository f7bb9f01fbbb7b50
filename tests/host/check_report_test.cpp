// SPDX-License-Identifier: Apache-2.0
// The decoders of what shaders write: cells and reports.
#include "host/findings/check_report.h"

#include <gtest/gtest.h>

#include "instrument/runtime/abi_shared.h"
#include "tests/host/check_builder.h"

namespace shaderqa::test {
namespace {

TEST(Cells, EachFieldIsItsOwn) {
  Cell all{15, 3, 3, 3, SQA_TAGS - 1, SQA_MAX_PHASE, (1u << SQA_OWNER_BITS) - 1, 0x7fff};
  EXPECT_EQ(all.pack(), UINT64_MAX);
  EXPECT_EQ(Cell::unpack(UINT64_MAX), all);
  EXPECT_EQ(Cell::unpack(0), Cell{});
  uint32_t Cell::*const fields[] = {&Cell::mask, &Cell::kind,  &Cell::spread, &Cell::before,
                                    &Cell::tag,  &Cell::phase, &Cell::owner,  &Cell::sequence};
  uint64_t seen = 0;
  for (const auto field : fields) {
    Cell one;
    one.*field = all.*field;
    EXPECT_EQ(Cell::unpack(one.pack()), one);
    EXPECT_EQ(seen & one.pack(), 0u);
    seen |= one.pack();
  }
  EXPECT_EQ(seen, UINT64_MAX);
}

TEST(Cells, AccessesAndOwners) {
  EXPECT_EQ(cell_access(cell_of(SQA_KIND_READ)), uint32_t{SQA_ACCESS_LOAD});
  EXPECT_EQ(cell_access(cell_of(SQA_KIND_WRITE)), uint32_t{SQA_ACCESS_STORE});
  EXPECT_EQ(cell_access(cell_of(SQA_KIND_ATOMIC)), uint32_t{SQA_ACCESS_ATOMIC});
  EXPECT_EQ(cell_access(cell_of(SQA_KIND_ATOMIC_WORKGROUP)), uint32_t{SQA_ACCESS_ATOMIC});
  Cell atomic_load = cell_of(SQA_KIND_READ);
  atomic_load.mask = 0;
  EXPECT_EQ(cell_access(atomic_load), uint32_t{SQA_ACCESS_ATOMIC});
  Cell cell;
  cell.owner = 3u << SQA_LOCAL_BITS | 7;
  EXPECT_EQ(cell_owner(cell).workgroup, 3u);
  EXPECT_EQ(cell_owner(cell).local_invocation, 7u);
  const Spread expected[] = {Spread::invocation, Spread::workgroup, Spread::several, Spread::invocation};
  for (cell.spread = 0; cell.spread <= SQA_SPREAD_REPORTED; ++cell.spread)
    EXPECT_EQ(cell_owner(cell).spread, expected[cell.spread]) << cell.spread;
}

TEST(CheckReports, OfTheFilter) {
  const auto decoded = decode_report(report_of(50, SQA_CHECK_HAZARD, SQA_ACCESS_STORE, 9, kStoreMarks));
  const auto& report = std::get<CheckReport>(decoded);
  EXPECT_EQ(report.shader_hash, kCheckedShader);
  EXPECT_EQ(report.instruction, 50u);
  EXPECT_EQ(report.check, Check::hazard);
  EXPECT_EQ(report.access, Access::store);
  EXPECT_EQ(report.stage, Stage::compute);
  EXPECT_EQ(report.invocation[0], 7u);
  EXPECT_EQ(report.action, 12u);
  EXPECT_EQ(report.address, 0x1040u);
  EXPECT_EQ(report.size, 4u);
  EXPECT_EQ(report.occupancy, 9u);
  EXPECT_EQ(report.value_low(), kStoreMarks.low);
  EXPECT_EQ(report.value_high(), kStoreMarks.high);
  EXPECT_FALSE(report.by_command);
  EXPECT_FALSE(report.exact);
}

TEST(CheckReports, OfTheExactEngine) {
  const Cell cell = cell_of(SQA_KIND_WRITE, 77);
  for (const uint32_t missing : {SQA_MISSING_ORDER, SQA_MISSING_MEMORY}) {
    abi::Report record = exact_report(50, SQA_ACCESS_LOAD, cell, missing);
    record.dispatch_id = 1234;
    const auto decoded = decode_report(record);
    const auto& report = std::get<CheckReport>(decoded);
    EXPECT_EQ(report.access, Access::load);
    EXPECT_EQ(report.occupancy, 0u) << "there is no filter that could be full";
    ASSERT_TRUE(report.exact);
    EXPECT_EQ(report.exact->cell, cell);
    EXPECT_EQ(report.exact->sequence, 1234u);
    EXPECT_EQ(report.exact->missing, static_cast<Missing>(missing));
  }
  const auto decoded = decode_report(command_report(SQA_ACCESS_STORE, cell));
  EXPECT_TRUE(std::get<CheckReport>(decoded).by_command);
}

TEST(CheckReports, Damage) {
  const auto what = [](uint32_t kind) {
    abi::Report record = report_of(50, SQA_CHECK_ASSUME);
    record.kind = kind;
    const auto decoded = decode_report(record);
    const auto* damage = std::get_if<CheckDamage>(&decoded);
    return std::string(damage ? damage->what : "nothing");
  };
  EXPECT_EQ(what(SQA_CHECK_ASSUME), "nothing");
  for (const uint32_t check : {0u, SQA_CHECK_LAYOUT + 1u, 255u}) EXPECT_EQ(what(check), "an unknown check");
  EXPECT_EQ(what(SQA_CHECK_ASSUME | SQA_STAGE_UNKNOWN << 8), "nothing");
  EXPECT_EQ(what(SQA_CHECK_ASSUME | (SQA_STAGE_UNKNOWN + 1) << 8), "an unknown stage");
  EXPECT_EQ(what(SQA_CHECK_HAZARD | 7 << 16), "nothing") << "indirect, of the exact engine";
  EXPECT_EQ(what(SQA_CHECK_HAZARD | 8 << 16), "an unknown access");
  EXPECT_EQ(what(SQA_CHECK_HAZARD | SQA_OCCUPANCY_PROBES << 24), "nothing");
  EXPECT_EQ(what(SQA_CHECK_HAZARD | (SQA_OCCUPANCY_PROBES + 1u) << 24),
            "more taken buckets than were probed");
}

TEST(CheckReports, OfWorkgroupMemory) {
  for (const uint32_t by : {SQA_SHARED_BY_ONE, SQA_SHARED_BY_GROUP, SQA_SHARED_BY_SEVERAL}) {
    abi::Report record = report_of(50, SQA_CHECK_WORKGROUP, SQA_ACCESS_STORE, SQA_MISSING_ORDER,
                                   {0x1234u | SQA_ACCESS_LOAD << 16 | by << 20, 77});
    record.address[0] = 5;
    record.address[1] = 3;
    const auto decoded = decode_report(record);
    const auto* const report = std::get_if<CheckReport>(&decoded);
    ASSERT_TRUE(report && report->workgroup);
    EXPECT_EQ(report->workgroup->by, by);
    EXPECT_EQ(report->workgroup->tag, 0x1234u);
    EXPECT_EQ(report->workgroup->access, Access::load);
    EXPECT_EQ(report->workgroup->owner, 77u);
    EXPECT_EQ(report->workgroup->cell, 5u);
    EXPECT_EQ(report->workgroup->barriers, 3u);
    EXPECT_FALSE(report->workgroup->owner_is_lane);
  }
}

}  // namespace
}  // namespace shaderqa::test
