// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "mutation.h"

namespace shaderqa::test {
namespace {

TEST(Mutation, NeitherCrashesNorMakesAValidModuleInvalid) {
  Mutator mutator(20260101);
  MutationStatistics statistics;
  std::vector<std::pair<Module, spv_target_env>> modules;
  for (const auto& name : shader_names())
    if (!name.starts_with("silent.")) modules.emplace_back(load_shader(name), environment_of(name));
  for (const auto& name : sync_shader_names())
    modules.emplace_back(load_sync_shader(name), environment_of(name));
  for (int i = 0; i < 6000; ++i) {
    const auto& [module, environment] = modules[mutator.below(static_cast<uint32_t>(modules.size()))];
    const std::string problem = try_mutation(mutator, module, environment, statistics);
    ASSERT_EQ(problem, "") << "iteration " << i;
  }
  // It did reach all of them.
  EXPECT_GT(statistics.refused, 500u);
  EXPECT_GT(statistics.instrumented, 500u);
  EXPECT_GT(statistics.valid, 100u);
}

// text: of a module that is valid.
void expect_valid_under_the_exact_engine(const std::string& text) {
  const Module words = assemble(text, SPV_ENV_VULKAN_1_1);
  InstrumentOptions options = sync_options();
  options.int64_atomics = true;
  options.sync.engine = SyncEngine::exact;
  const InstrumentResult result = instrument(words, options);
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(words, SPV_ENV_VULKAN_1_2), "");
  EXPECT_EQ(validation_error(result.words, SPV_ENV_VULKAN_1_2), "");
}

// A vector of three is no index. Not all validators say so.
TEST(Mutation, ABuiltInOfAnotherTypeIsNotRead) {
  std::string text = disassemble(load_sync_shader("image_parameter.comp.vulkan1.1"));
  const std::string was = "BuiltIn GlobalInvocationId";
  const size_t at = text.find(was);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, was.size(), "BuiltIn LocalInvocationIndex");
  expect_valid_under_the_exact_engine(text);
}

// Components that an image's dimension has no use for come behind the others.
TEST(Mutation, ATexelOfABufferIsTheFirstComponentOfItsCoordinate) {
  std::string text = disassemble(load_sync_shader("texels.comp.vulkan1.1"));
  const std::string read = "OpImageRead %v4float %";
  const size_t at = text.find(read), begin = text.find(' ', at + read.size()) + 1, end = text.find('\n', at);
  ASSERT_NE(at, std::string::npos);
  const std::string index = text.substr(begin, end - begin);
  text.replace(begin, end - begin, "%coordinate");
  text.insert(text.rfind('\n', at) + 1, "%coordinate = OpCompositeConstruct %v2int " + index + " %int_1\n");
  expect_valid_under_the_exact_engine(text);
}

}  // namespace
}  // namespace shaderqa::test
