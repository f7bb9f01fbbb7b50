// SPDX-License-Identifier: Apache-2.0
// Compares declarations and the application's instrumented functions with text files, without the runtime's.
// SHADERQA_UPDATE_GOLDEN=1 writes the files again; review the difference before committing it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "support.h"

namespace shaderqa::test {
namespace {

struct Golden {
  const char* name;
  InstrumentOptions options;
};

class GoldenOutputs : public testing::TestWithParam<Golden> {};

TEST_P(GoldenOutputs, AreAsBefore) {
  const std::string base = std::string(SOURCE_DIR) + "/golden/";
  const std::string name = GetParam().name;
  const std::string input = read_text(base + name.substr(0, name.find('.')) + ".spvasm");
  ASSERT_FALSE(input.empty());
  const Module words = assemble(input, SPV_ENV_UNIVERSAL_1_3);
  ASSERT_EQ(validation_error(words, SPV_ENV_UNIVERSAL_1_3), "");
  const auto result = instrument(words, GetParam().options);
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_3), "");
  const std::string module = disassemble(result.words);
  const std::string output = declarations_of(module) + functions_of(module);
  const std::string path = base + name + ".expected.spvasm";
  if (std::getenv("SHADERQA_UPDATE_GOLDEN")) std::ofstream(path) << output;
  EXPECT_EQ(output, read_text(path));
}

InstrumentOptions with(auto&& change) {
  InstrumentOptions options = default_options();
  change(options);
  return options;
}

InstrumentOptions with_stops(bool accesses) {
  return with([&](auto& o) {
    o.printf = false;
    o.trace = true;
    o.debug = DebugStops::unordered;
    o.debug_accesses = accesses;
  });
}

INSTANTIATE_TEST_SUITE_P(
    Golden, GoldenOutputs,
    testing::Values(
        Golden{"compute.int64", default_options()},
        Golden{"compute.int32", with([](auto& o) { o.int64_atomics = o.memory_barrier = false; })},
        Golden{"compute.subgroup", with([](auto& o) { o.subgroup_ballot = o.record_invocation = true; })},
        Golden{"values.writes", with([](auto& o) { o.assume = o.expect = true, o.nan = NanCheck::writes; })},
        Golden{"values.full", with([](auto& o) { o.nan = NanCheck::full, o.keep_assume = false; })},
        Golden{"values.flush", with([](auto& o) { o.nan = NanCheck::flush; })},
        Golden{"stops.lines", with_stops(false)}, Golden{"stops.accesses", with_stops(true)},
        Golden{"fragment.budget", with([](auto& o) { o.printf_first = 3, o.record_invocation = true; })}),
    [](const auto& test) {
      std::string name = test.param.name;
      name[name.find('.')] = '_';
      return name;
    });

}  // namespace
}  // namespace shaderqa::test
