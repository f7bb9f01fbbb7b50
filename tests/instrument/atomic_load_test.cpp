// SPDX-License-Identifier: Apache-2.0
// Atomic loads: the exact engine is told that they change nothing.
#include <gtest/gtest.h>

#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_report.h"
#include "support.h"

namespace shaderqa::test {
namespace {

constexpr const char* kBuffer = R"(
%data = OpTypeRuntimeArray %uint
%block = OpTypeStruct %data
%block_pointer = OpTypePointer StorageBuffer %block
%uint_pointer = OpTypePointer StorageBuffer %uint
%c0 = OpConstant %uint 0
%device = OpConstant %uint 1
%buffer = OpVariable %block_pointer StorageBuffer)";
constexpr const char* kDecorations = R"(
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %data ArrayStride 4
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0)";

InstrumentOptions exact_options() {
  InstrumentOptions options = sync_options();
  options.sync.engine = SyncEngine::exact;
  return options;
}

struct AtomicKinds {
  uint32_t loads = 0, others = 0;
};

// Counts the kind arguments of atomic sites among the constants.
AtomicKinds atomic_kinds(const Module& words) {
  AtomicKinds kinds;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    if (words[at] != (4u << 16 | 43u)) continue;  // OpConstant
    const uint32_t value = words[at + 3];
    const bool site = (value & SQA_ACCESS_WORDS) != 0 && (value & 0xff) == SQA_CHECK_HAZARD &&
                      (value >> 16 & 3) == SQA_ACCESS_ATOMIC;
    if (site) ++((value & SQA_ACCESS_ONLY_READS) != 0 ? kinds.loads : kinds.others);
  }
  return kinds;
}

TEST(AtomicLoads, AreToldFromAtomicsThatModify) {
  const Module words = assemble(compute_shader(kBuffer, R"(
%element = OpAccessChain %uint_pointer %buffer %c0 %x
%value = OpAtomicLoad %uint %element %device %c0
%old = OpAtomicIAdd %uint %element %device %c0 %value
OpAtomicStore %element %device %c0 %old)",
                                               "OpCapability Shader", kDecorations),
                                SPV_ENV_UNIVERSAL_1_3);
  const auto result = instrument(words, exact_options());
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_3), "");
  // What is reported is an atomic all the same.
  ASSERT_EQ(result.record.check_sites.size(), 3u);
  for (const CheckSite& site : result.record.check_sites)
    EXPECT_EQ(site.access, uint32_t{SQA_ACCESS_ATOMIC}) << site.text;
  const AtomicKinds kinds = atomic_kinds(result.words);
  EXPECT_EQ(kinds.loads, 1u);
  EXPECT_EQ(kinds.others, 2u);
}

// A cell has no room for them.
TEST(AtomicLoads, OfPartsOfWordsAreNotFollowed) {
  const std::string capabilities =
      "OpCapability Shader\nOpCapability Float16\nOpCapability StorageBuffer16BitAccess";
  const std::string globals = R"(
%half = OpTypeFloat 16
%halves = OpTypeRuntimeArray %half
%block = OpTypeStruct %halves
%block_pointer = OpTypePointer StorageBuffer %block
%half_pointer = OpTypePointer StorageBuffer %half
%c0 = OpConstant %uint 0
%device = OpConstant %uint 1
%buffer = OpVariable %block_pointer StorageBuffer)";
  const std::string decorations = R"(
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %halves ArrayStride 2
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0)";
  const Module words = assemble(compute_shader(globals, R"(
%element = OpAccessChain %half_pointer %buffer %c0 %x
%value = OpAtomicLoad %half %element %device %c0
OpAtomicStore %element %device %c0 %value)",
                                               capabilities, decorations),
                                SPV_ENV_UNIVERSAL_1_3);
  const auto result = instrument(words, exact_options());
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  ASSERT_EQ(result.record.check_sites.size(), 1u);
  EXPECT_EQ(result.record.check_sites[0].text.find("OpAtomicStore"), 0u);
}

}  // namespace
}  // namespace shaderqa::test
