// SPDX-License-Identifier: Apache-2.0
// No address of the runtime is known to be the same for all invocations, where the driver loads from such
// while none is active.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "support.h"

namespace shaderqa::test {
namespace {

InstrumentOptions exact_options(bool varying) {
  InstrumentOptions options = sync_options();
  options.int64_atomics = true;
  options.sync.engine = SyncEngine::exact;
  options.nan = NanCheck::full;
  options.varying_addresses = varying;
  return options;
}

std::string rewritten(const std::string& shader, const InstrumentOptions& options) {
  const InstrumentResult result = instrument(load_sync_shader(shader), options);
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, environment_of(shader)), "");
  return disassemble(result.words);
}

// Conversions of addresses to pointers: of a sum with the zero, and of something else.
struct Conversions {
  size_t varying = 0, others = 0;
};
Conversions conversions(const std::string& text) {
  Conversions found;
  std::istringstream lines(text);
  for (std::string line, last; std::getline(lines, line); last = line) {
    if (line.find(" = OpBitcast %_ptr_PhysicalStorageBuffer_") == std::string::npos) continue;
    const std::string address = line.substr(line.rfind(' ') + 1);
    const bool is_sum = last.find(address + " = OpBitwiseOr %v2uint ") != std::string::npos;
    ++(is_sum ? found.varying : found.others);
  }
  return found;
}

TEST(VaryingZero, IsInEveryAddressOfTheRuntime) {
  const std::string text = rewritten("images.comp.vulkan1.1", exact_options(true));
  const Conversions found = conversions(text);
  EXPECT_GT(found.varying, 10u);
  EXPECT_EQ(found.others, 0u);
  EXPECT_EQ(count(text, "OpStore %sqa_varying_zero "), 1u);
  const size_t start = text.find("%main = OpFunction ");
  EXPECT_LT(text.find("OpStore %sqa_varying_zero ", start), text.find("OpFunctionCall", start))
      << "before anything that uses it";
  EXPECT_EQ(count(text, "BuiltIn SubgroupLocalInvocationId"), 1u) << "which varies in workgroups of one, too";
}

TEST(VaryingZero, IsNotThereForOtherDrivers) {
  const std::string text = rewritten("images.comp.vulkan1.1", exact_options(false));
  EXPECT_EQ(count(text, "sqa_varying_zero"), 0u);
  EXPECT_EQ(conversions(text).varying, 0u);
  EXPECT_GT(conversions(text).others, 10u);
}

}  // namespace
}  // namespace shaderqa::test
