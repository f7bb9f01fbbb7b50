// SPDX-License-Identifier: Apache-2.0
// What the validator accepts it accepts after the sync check's rewrite: SPIR-V 1.0 to 1.6, all options, alone
// and together with the other passes; and the same words every time.
#include <gtest/gtest.h>

#include <algorithm>

#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/range_access.h"
#include "support.h"

namespace shaderqa::test {
namespace {

std::vector<InstrumentOptions> all_options() {
  std::vector<InstrumentOptions> all;
  for (uint32_t bits = 0; bits < 64; ++bits) {
    InstrumentOptions options = sync_options();
    options.int64_atomics = bits & 1;
    options.memory_barrier = bits & 2;
    options.vulkan_memory_model_device_scope = bits & 4;
    options.record_invocation = options.varying_addresses = bits & 8;
    if (bits & 32) {
      if (!options.int64_atomics) continue;
      options.sync.engine = SyncEngine::exact;
      options.sync.images = bits & 2;
      options.sync.race_map = bits & 1 && bits & 2;
      options.sync.strict = options.workgroup.strict = bits & 4;
    }
    if (bits & 16) options.nan = NanCheck::full, options.assume = true;
    options.workgroup.races = bits & 8;
    options.workgroup.uninitialised = bits & 4;
    options.workgroup.values_known = bits & 1;
    all.push_back(options);
    if (bits & 24) continue;
    all.push_back(options);
    all.back().sync.calls = SyncCalls::always;
    all.push_back(options);
    all.back().sync.record_constant = 128;
    all.push_back(options);
    all.back().sync.direct = true;
    for (DescriptorSlots& slots : all.back().sync.descriptors)
      if (slots.set == 0) slots.direct = slots.binding + 1;
    if (!(bits & 32)) continue;
    all.push_back(options);
    all.back().sync.calls = SyncCalls::queued;
    options.sync.footprints = true;
    all.push_back(options);
  }
  return all;
}

void expect_valid(const Module& words, spv_target_env environment) {
  ASSERT_EQ(validation_error(words, environment), "");
  for (const InstrumentOptions& options : all_options()) {
    const auto result = instrument(words, options);
    if (result.status == InstrumentStatus::untouched) continue;
    ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
    ASSERT_EQ(validation_error(result.words, environment), "") << disassemble(result.words);
    EXPECT_EQ(instrument(words, options).words, result.words);
  }
}

TEST(RangeAccess, TheLayersOwnShadersAreValid) {
  for (const auto words : {range_access_shader(false), range_access_shader(true), resolve_shader()}) {
    EXPECT_EQ(validation_error(Module(words.begin(), words.end()), SPV_ENV_VULKAN_1_1), "");
  }
}

// Shaders pay for pictures only where there are some.
TEST(RaceMap, IsInShadersThatEnterHazardsAlone) {
  InstrumentOptions options = sync_options();
  options.int64_atomics = options.sync.images = true;
  options.sync.engine = SyncEngine::exact;
  for (const bool with : {false, true}) {
    options.sync.race_map = with;
    const auto result = instrument(load_sync_shader("images.comp.vulkan1.1"), options);
    ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
    const std::string text = disassemble(result.words);
    EXPECT_EQ(count(text, "%sqa_map_race = OpFunction"), with ? 1u : 0u);
    EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_map_race"), with ? 1u : 0u);
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

class SyncValidity : public testing::TestWithParam<std::string> {};

TEST_P(SyncValidity, HoldsWithAllOptions) {
  const Module words = load_sync_shader(GetParam());
  expect_valid(words, environment_of(GetParam()));
  const auto result = instrument(words, sync_options());
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_FALSE(result.record.check_sites.empty());
  const std::string text = disassemble(result.words);
  EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_begin_sync"), 1u);
  // What counts its invocations from zero tells that it has begun.
  const InvocationKind kind = result.record.check_sites[0].invocation;
  const bool counts = kind == InvocationKind::global_id || kind == InvocationKind::launch_id;
  EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_tell_begun"), counts ? 1u : 0u);
}

INSTANTIATE_TEST_SUITE_P(Shaders, SyncValidity, testing::ValuesIn(sync_shader_names()), test_name);

class SyncWithPrintf : public testing::TestWithParam<std::string> {};

TEST_P(SyncWithPrintf, HoldsWithAllOptions) {
  expect_valid(load_shader(GetParam()), environment_of(GetParam()));
}

// Where no access is checked the layer binds no record.
TEST_P(SyncWithPrintf, OnlyAccessesNeedTheRecord) {
  for (const SyncEngine engine : {SyncEngine::bloom, SyncEngine::exact}) {
    InstrumentOptions options = sync_options();
    options.int64_atomics = true;
    options.sync.engine = engine;
    options.sync.record_set = 11;
    options.assume = options.expect = true;
    options.nan = NanCheck::full;
    const auto result = instrument(load_shader(GetParam()), options);
    const bool checked = std::ranges::any_of(
        result.record.check_sites, [](const CheckSite& site) { return site.check == SQA_CHECK_HAZARD; });
    EXPECT_EQ(count(disassemble(result.words), "DescriptorSet 11"), checked ? 1u : 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Shaders, SyncWithPrintf, testing::ValuesIn(shader_names()), test_name);

}  // namespace
}  // namespace shaderqa::test
