// SPDX-License-Identifier: Apache-2.0
// Loads and stores of cooperative matrices, where this SPIRV-Tools knows them.
#include <gtest/gtest.h>

#include <stdexcept>

#include "instrument/runtime/abi_report.h"
#include "support.h"

namespace shaderqa::test {
namespace {

Module khr_module(const std::string& body) {
  return assemble(fixture("cooperative_matrix", {{"BODY", body}}), SPV_ENV_UNIVERSAL_1_6);
}

class CooperativeKhr : public testing::Test {
 protected:
  void SetUp() override {
    try {
      khr_module("");
    } catch (const std::runtime_error& error) {
      GTEST_SKIP() << "this SPIRV-Tools does not know SPV_KHR_cooperative_matrix: " << error.what();
    }
  }
};

TEST_F(CooperativeKhr, LinesAreChecked) {
  const Module words = khr_module(R"(
%rows = OpCooperativeMatrixLoadKHR %matrix %element %c0 %c24
OpCooperativeMatrixStoreKHR %element %rows %c1 %c24)");
  ASSERT_EQ(validation_error(words, SPV_ENV_UNIVERSAL_1_6), "");
  const auto result = instrument(words, sync_options());
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_6), "");
  ASSERT_EQ(result.record.check_sites.size(), 2u);
  EXPECT_EQ(result.record.check_sites[0].access, uint32_t{SQA_ACCESS_LOAD});
  EXPECT_EQ(result.record.check_sites[1].access, uint32_t{SQA_ACCESS_STORE});
  EXPECT_TRUE(result.record.notes.empty());
  const std::string text = disassemble(result.words);
  EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_lines_set "), 2u);
  // Rows of 8 halves, 16 of them; columns of 16 halves, 8 of them. The stride is in uints.
  EXPECT_EQ(count(text, "OpIMul %uint %uint_8 %uint_2"), 1u);
  EXPECT_EQ(count(text, "OpIMul %uint %uint_16 %uint_2"), 1u);
  EXPECT_EQ(count(text, "OpIMul %uint %uint_24 %uint_4"), 2u);
}

TEST_F(CooperativeKhr, WhatIsNotKnownIsANote) {
  const Module words = khr_module(R"(
%specialised = OpCooperativeMatrixLoadKHR %matrix %element %unknown_layout %c24
%without_stride = OpCooperativeMatrixLoadKHR %matrix %element %c0)");
  const auto result = instrument(words, sync_options());
  EXPECT_TRUE(result.record.check_sites.empty());
  ASSERT_EQ(result.record.notes.size(), 1u);
  EXPECT_EQ(result.record.notes[0].text.find("2 accesses to values whose bytes are not known"), 0u);
}

// Subgroups have no numbers there.
TEST_F(CooperativeKhr, BeforeVersion13IsANote) {
  const std::string text = fixture(
      "cooperative_matrix", {{"BODY", "%rows = OpCooperativeMatrixLoadKHR %matrix %element %c0 %c24"}});
  EXPECT_EQ(instrument(assemble(text, SPV_ENV_UNIVERSAL_1_6), sync_options()).record.check_sites.size(), 1u);
  const auto result = instrument(assemble(text, SPV_ENV_UNIVERSAL_1_2), sync_options());
  EXPECT_TRUE(result.record.check_sites.empty());
  EXPECT_EQ(result.record.notes.size(), 1u);
}

}  // namespace
}  // namespace shaderqa::test
