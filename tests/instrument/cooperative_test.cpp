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
  EXPECT_EQ(result.record.notes[0].text.find("2 loads and stores of cooperative matrices"), 0u);
}

// What matrices load and store there is not followed, and NVIDIA's driver 580 hung with checks of the rest.
TEST_F(CooperativeKhr, WorkgroupMemoryBesideThemIsLeftAlone) {
  std::string text =
      fixture("cooperative_matrix", {{"BODY",
                                      "OpStore %word %c1\nOpControlBarrier %c2 %c2 %order\n"
                                      "%rows = OpCooperativeMatrixLoadKHR %matrix %word %c0 %c24\n"
                                      "%seen = OpLoad %uint %word"}});
  text.replace(
      text.find("%main = OpFunction"), 0,
      "%c2 = OpConstant %uint 2\n%order = OpConstant %uint 264\n%c512 = OpConstant %uint 512\n"
      "%words = OpTypeArray %uint %c512\n%words_pointer = OpTypePointer Workgroup %words\n"
      "%shared_pointer = OpTypePointer Workgroup %uint\n%shared = OpVariable %words_pointer Workgroup\n");
  text.insert(text.find("%element ="), "%word = OpAccessChain %shared_pointer %shared %c0\n");
  text.replace(text.find("%buffer\n"), 7, "%buffer %shared");
  InstrumentOptions options = sync_options();
  options.workgroup.races = true;
  const auto result = instrument(assemble(text, SPV_ENV_UNIVERSAL_1_6), options);
  EXPECT_TRUE(result.record.check_sites.empty());
  ASSERT_EQ(result.record.notes.size(), 1u) << result.message;
  EXPECT_NE(result.record.notes[0].text.find("workgroup memory are not checked: what cooperative matrices"),
            std::string::npos);
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
