// SPDX-License-Identifier: Apache-2.0
// Which accesses are checked as one.
#include <gtest/gtest.h>

#include "instrument/runtime/abi_report.h"
#include "support.h"

namespace shaderqa::test {
namespace {

// Two buffers of vectors: %one and %two; a pushed number and a variable.
constexpr const char* kGlobals = R"(
%uint4 = OpTypeVector %uint 4
%vectors = OpTypeRuntimeArray %uint4
%block = OpTypeStruct %vectors
%to_block = OpTypePointer StorageBuffer %block
%to_vector = OpTypePointer StorageBuffer %uint4
%to_uint = OpTypePointer StorageBuffer %uint
%pushed_block = OpTypeStruct %uint
%to_pushed_block = OpTypePointer PushConstant %pushed_block
%to_pushed = OpTypePointer PushConstant %uint
%to_private = OpTypePointer Private %uint
%one = OpVariable %to_block StorageBuffer
%two = OpVariable %to_block StorageBuffer
%pushed_constants = OpVariable %to_pushed_block PushConstant
%private = OpVariable %to_private Private
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c264 = OpConstant %uint 264)";
constexpr const char* kDecorations = R"(%format = OpString "format"
OpDecorate %vectors ArrayStride 16
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %pushed_block Block
OpMemberDecorate %pushed_block 0 Offset 0
OpDecorate %one DescriptorSet 0
OpDecorate %one Binding 0
OpDecorate %two DescriptorSet 0
OpDecorate %two Binding 1)";

// Each step is a word: "l" or "s" (load, store), the buffer's number, the component ("v" for all of them),
// and optionally the vector: a name of a value. Or "barrier", "pushed" or "private" with the name of a value
// that is loaded, "set": %private changes.
std::string code(const std::vector<std::string>& steps) {
  std::string body;
  int number = 0;
  for (const std::string& step : steps) {
    const std::string id = "%n" + std::to_string(number++);
    if (step == "barrier") {
      body += "OpControlBarrier %c2 %c2 %c264\n";
    } else if (step == "set") {
      body += "OpStore %private %x\n";
    } else if (step.starts_with("pushed ")) {
      body += id + " = OpAccessChain %to_pushed %pushed_constants %c0\n" + step.substr(7) +
              " = OpLoad %uint " + id + "\n";
    } else if (step.starts_with("private ")) {
      body += step.substr(8) + " = OpLoad %uint %private\n";
    } else {
      const bool whole = step[2] == 'v';
      const std::string type = whole ? "%uint4" : "%uint";
      const std::string vector = step.size() > 4 ? step.substr(4) : "%c0";
      body += id + " = OpAccessChain " + (whole ? "%to_vector" : "%to_uint") +
              (step[1] == '1' ? " %one" : " %two") + " %c0 " + vector +
              (whole ? "" : std::string(" %c") + step[2]) + "\n";
      body += step[0] == 'l' ? id + "v = OpLoad " + type + " " + id + "\n" : "OpStore " + id + " %x\n";
    }
  }
  return body;
}

// The checks that are left: "l" and "s" in their order.
std::string checks(const std::vector<std::string>& steps, bool merge = true) {
  const Module words = assemble(compute_shader(kGlobals, code(steps), "OpCapability Shader", kDecorations),
                                SPV_ENV_UNIVERSAL_1_3);
  EXPECT_EQ(validation_error(words, SPV_ENV_UNIVERSAL_1_3), "");
  InstrumentOptions options = sync_options();
  options.sync.merge = merge;
  const InstrumentResult result = instrument(words, options);
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_3), "");
  std::string left;
  for (const CheckSite& site : result.record.check_sites) left += site.access == SQA_ACCESS_LOAD ? 'l' : 's';
  return left;
}

TEST(MergedAccesses, AreNeighboursOfOneKind) {
  EXPECT_EQ(checks({"l10", "l11"}), "l");
  EXPECT_EQ(checks({"l11", "l10"}), "l");
  EXPECT_EQ(checks({"l10", "l10"}), "l");
  EXPECT_EQ(checks({"s10", "s11"}), "s");
  EXPECT_EQ(checks({"l10", "l12"}), "ll") << "not what lies between";
  EXPECT_EQ(checks({"l10", "l12", "l11"}), "l");
  EXPECT_EQ(checks({"s10", "s12", "s11"}), "s");
  EXPECT_EQ(checks({"l10", "l21"}), "ll") << "other memory";
  EXPECT_EQ(checks({"l10", "l11"}, false), "ll");
}

TEST(MergedAccesses, WhatWasStoredIsNotCheckedAgain) {
  EXPECT_EQ(checks({"s10", "l10"}), "s");
  EXPECT_EQ(checks({"s10", "s11", "s12", "s13", "l1v"}), "s");
  EXPECT_EQ(checks({"s10", "l1v"}), "sl") << "only a part was stored";
  EXPECT_EQ(checks({"s13", "l1v"}), "sl");
  EXPECT_EQ(checks({"s11", "l10"}), "sl");
  EXPECT_EQ(checks({"s10", "l20"}), "sl");
  EXPECT_EQ(checks({"l10", "s10"}), "ls") << "a load says nothing of the store";
}

TEST(MergedAccesses, OthersBetweenThemMayBeOfTheSameMemory) {
  EXPECT_EQ(checks({"l10", "s20", "l11"}), "lsl");
  EXPECT_EQ(checks({"s10", "l20", "s11"}), "sls");
  EXPECT_EQ(checks({"l10", "s12", "l11"}), "ls") << "within one buffer the bytes decide";
  EXPECT_EQ(checks({"l10", "l20", "l11"}), "ll");
  EXPECT_EQ(checks({"l10", "barrier", "l10"}), "ll");
}

TEST(MergedAccesses, NeedTheSameElement) {
  EXPECT_EQ(checks({"l10 %x", "l11 %x"}), "l");
  EXPECT_EQ(checks({"l10 %x", "l11 %c0"}), "ll");
  EXPECT_EQ(checks({"pushed %i", "l10 %i", "pushed %k", "l11 %k"}), "l") << "nothing changes it";
  EXPECT_EQ(checks({"private %i", "l10 %i", "private %k", "l11 %k"}), "l");
  EXPECT_EQ(checks({"private %i", "l10 %i", "set", "private %k", "l11 %k"}), "ll");
  EXPECT_EQ(checks({"l20", "l10 %n0v", "l20", "l11 %n2v"}), "lll") << "a buffer may have changed";
}

}  // namespace
}  // namespace shaderqa::test
