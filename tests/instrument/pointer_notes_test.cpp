// SPDX-License-Identifier: Apache-2.0
// Pointers that the sync check cannot follow are said once a shader.
#include <gtest/gtest.h>

#include "support.h"

namespace shaderqa::test {
namespace {

Module selected_column(const std::string& order) {
  return assemble(fixture("selected_column", {{"ORDER", order}}));
}

InstrumentResult rewritten(const Module& words) {
  EXPECT_EQ(validation_error(words, SPV_ENV_UNIVERSAL_1_5), "");
  const InstrumentResult result = instrument(words, sync_options());
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_5), "");
  return result;
}

TEST(PointerNotes, SelectedColumnsOfRowMajorMatricesAreSaid) {
  const InstrumentResult result = rewritten(selected_column("RowMajor"));
  ASSERT_EQ(result.record.notes.size(), 1u);
  EXPECT_EQ(result.record.notes[0].text,
            "Accesses through some pointers that are selected, stored or handed on are not checked for "
            "synchronisation: where those lead cannot be followed.");
}

TEST(PointerNotes, SelectedColumnsOfColumnMajorMatricesAreChecked) {
  const InstrumentResult result = rewritten(selected_column("ColMajor"));
  EXPECT_TRUE(result.record.notes.empty()) << result.record.notes[0].text;
  EXPECT_EQ(result.record.check_sites.size(), 2u);
}

}  // namespace
}  // namespace shaderqa::test
