// SPDX-License-Identifier: Apache-2.0
// How much larger modules become: by what each site needs, not by how often it is reached, and by no more
// sites than asked.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "instrument/runtime/abi_report.h"
#include "tests/instrument/support.h"

namespace shaderqa::test {
namespace {

// Functions that each call the next one twice; the last one prints: 2^(length - 1) messages.
Module doubling_chain(uint32_t length) {
  std::string functions;
  for (uint32_t i = 0; i < length; ++i) {
    const std::string name = "%f" + std::to_string(i), next = "%f" + std::to_string(i + 1);
    functions += name + " = OpFunction %void None %void_function\n%l" + std::to_string(i) + " = OpLabel\n";
    if (i + 1 < length)
      functions += "%a" + std::to_string(i) + " = OpFunctionCall %void " + next + "\n%b" + std::to_string(i) +
                   " = OpFunctionCall %void " + next + "\n";
    else
      functions += "%print = OpExtInst %void %printf 1 %format\n";
    functions += "OpReturn\nOpFunctionEnd\n";
  }
  return assemble(compute_shader(functions, "%first = OpFunctionCall %void %f0"));
}

size_t growth(const Module& words) {
  const auto result = instrument(words, default_options());
  EXPECT_EQ(result.status, InstrumentStatus::instrumented);
  EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_5), "");
  return result.words.size() - words.size();
}

TEST(Growth, DoesNotDependOnHowOftenASiteIsReached) {
  EXPECT_EQ(growth(doubling_chain(20)), growth(doubling_chain(2)));
}

Module many_printfs(uint32_t count) {
  std::string body;
  for (uint32_t i = 0; i < count; ++i)
    body += "%p" + std::to_string(i) + " = OpExtInst %void %printf 1 %format %x\n";
  return assemble(compute_shader("", body));
}

TEST(Growth, IsLinearInTheNumberOfSites) {
  const size_t one = growth(many_printfs(1)), eleven = growth(many_printfs(11));
  const size_t more = growth(many_printfs(111)) - eleven;
  EXPECT_LE(more, (eleven - one) * 10 + 10);
}

uint32_t functions_called(const Module& words) {
  const auto result = instrument(words, default_options());
  EXPECT_EQ(validation_error(result.words, SPV_ENV_VULKAN_1_2), "");
  const std::string text = disassemble(result.words);
  EXPECT_EQ(count(text, "%sqa_printf_end = OpFunction %void DontInline"), 0u);
  return count(text, " DontInline ");
}

// Drivers take long for the code of many sites. What messages of one size run stands in one function, which
// has all that it needs; for several sizes, what they share is another one.
TEST(Growth, OfManySitesIsKeptOutOfLine) {
  EXPECT_EQ(functions_called(many_printfs(2)), 0u);
  EXPECT_EQ(functions_called(many_printfs(3)), 1u);
  const std::string of_two_sizes =
      "%p0 = OpExtInst %void %printf 1 %format %x\n%p1 = OpExtInst %void %printf 1 %format %x\n"
      "%p2 = OpExtInst %void %printf 1 %format\n";
  EXPECT_EQ(functions_called(assemble(compute_shader("", of_two_sizes))), 3u);
}

void expect_limit(const InstrumentResult& result, uint32_t sites, uint32_t beyond) {
  ASSERT_EQ(result.status, InstrumentStatus::instrumented);
  EXPECT_EQ(validation_error(result.words, SPV_ENV_VULKAN_1_2), "");
  EXPECT_EQ(result.record.printf_sites.size() + result.record.check_sites.size(), sites);
  EXPECT_EQ(result.record.sites_beyond_limit, beyond);
  const std::string said = "max_sites (" + std::to_string(sites) + "): " + std::to_string(beyond) + " ";
  size_t notes = 0;
  for (const ShaderNote& note : result.record.notes)
    notes += note.text.find(said) != std::string::npos ? 1 : 0;
  EXPECT_EQ(notes, beyond == 0 ? 0u : 1u);
}

TEST(Growth, PrintfsBeyondTheLimitStayAsTheyAre) {
  InstrumentOptions options = default_options();
  options.max_sites = 4;
  const auto result = instrument(many_printfs(10), options);
  expect_limit(result, 4, 6);
  const std::string text = disassemble(result.words);
  EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_printf_1 "), 4u);
  EXPECT_EQ(count(text, " = OpExtInst %void "), 6u);
  expect_limit(instrument(many_printfs(4), options), 4, 0);
}

TEST(Growth, AccessesBeyondTheLimitAreNotChecked) {
  const Module words = load_sync_shader("layouts.comp.vulkan1.2");
  InstrumentOptions options = sync_options();
  const auto all = instrument(words, options);
  const auto sites = static_cast<uint32_t>(all.record.check_sites.size());
  ASSERT_GT(sites, 5u);
  options.max_sites = 5;
  const auto some = instrument(words, options);
  expect_limit(some, 5, sites - 5);
  EXPECT_LT(some.words.size(), all.words.size());
}

TEST(Growth, AllChecksShareTheLimit) {
  InstrumentOptions options = sync_options();
  options.nan = NanCheck::full;
  const Module words = load_sync_shader("layouts.comp.vulkan1.2");
  const auto all = instrument(words, options);
  const auto sites = static_cast<uint32_t>(all.record.check_sites.size());
  uint32_t accesses = 0;
  for (const CheckSite& site : all.record.check_sites) accesses += site.check == SQA_CHECK_HAZARD ? 1 : 0;
  ASSERT_GT(sites, accesses);
  options.max_sites = accesses + 1;
  const auto some = instrument(words, options);
  expect_limit(some, accesses + 1, sites - accesses - 1);
}

}  // namespace
}  // namespace shaderqa::test
