// SPDX-License-Identifier: Apache-2.0
// Whatever the validator accepts, it accepts after the rewrite: all stages, SPIR-V 1.0 to 1.6, all options.
#include <gtest/gtest.h>

#include "support.h"

namespace shaderqa::test {
namespace {

std::vector<InstrumentOptions> all_options() {
  std::vector<InstrumentOptions> all;
  for (uint32_t bits = 0; bits < 64; ++bits) {
    InstrumentOptions options = default_options();
    options.int64_atomics = bits & 1;
    options.subgroup_ballot = bits & 2;
    options.memory_barrier = bits & 4;
    options.vulkan_memory_model_device_scope = bits & 8;
    options.record_invocation = bits & 16;
    options.varying_addresses = bits & 4;
    if (bits & 32) options.printf_first = 10, options.printf_every = 100;
    all.push_back(options);
  }
  return all;
}

class Validity : public testing::TestWithParam<std::string> {};

TEST_P(Validity, HoldsWithAllOptions) {
  const Module words = load_shader(GetParam());
  const spv_target_env environment = environment_of(GetParam());
  ASSERT_EQ(validation_error(words, environment), "");
  for (const InstrumentOptions& options : all_options()) {
    const auto result = instrument(words, options);
    if (GetParam().starts_with("silent")) {
      EXPECT_EQ(result.status, InstrumentStatus::untouched);
      EXPECT_TRUE(result.words.empty());
      continue;
    }
    ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
    ASSERT_EQ(validation_error(result.words, environment), "") << disassemble(result.words);
    EXPECT_TRUE(result.record.notes.empty()) << result.record.notes.front().text;
    const std::string text = disassemble(result.words);
    EXPECT_EQ(count(text, "DebugPrintf"), 0u);
    EXPECT_EQ(count(text, "SPV_KHR_non_semantic_info"), count(text, "OpExtInstImport \"NonSemantic."));
    EXPECT_EQ(count(text, "OpMemoryBarrier") > 0, options.memory_barrier);
    const bool subgroup = options.subgroup_ballot && words[1] >= 0x00010300;
    EXPECT_EQ(count(text, "OpGroupNonUniformBallot %") > 0, subgroup);
    EXPECT_EQ(count(text, "OpCapability Int64Atomics"), options.int64_atomics ? 1u : 0u);
    const uint32_t extra = options.record_invocation ? 1 : 0;
    for (const PrintfSite& site : result.record.printf_sites)
      EXPECT_EQ(site.invocation != InvocationKind::none, extra == 1);
  }
}

// With checks, whether or not the module prints.
TEST_P(Validity, HoldsWithEveryCheckOfValues) {
  const Module words = load_shader(GetParam());
  const spv_target_env environment = environment_of(GetParam());
  for (const NanCheck nan : {NanCheck::none, NanCheck::writes, NanCheck::full, NanCheck::flush}) {
    for (uint32_t bits = 0; bits < 8; ++bits) {
      InstrumentOptions options = default_options();
      options.nan = nan;
      options.printf = bits & 1;
      options.assume = options.expect = bits & 2;
      options.keep_assume = bits & 4;
      options.record_invocation = bits & 2;
      options.memory_barrier = bits & 4;
      const auto result = instrument(words, options);
      ASSERT_NE(result.status, InstrumentStatus::refused) << result.message;
      if (result.status == InstrumentStatus::untouched) continue;
      ASSERT_EQ(validation_error(result.words, environment), "") << disassemble(result.words);
      for (const CheckSite& site : result.record.check_sites) {
        ASSERT_LT(site.instruction, words.size());
        EXPECT_FALSE(site.text.empty());
      }
    }
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Shaders, Validity, testing::ValuesIn(shader_names()), test_name);

}  // namespace
}  // namespace shaderqa::test
