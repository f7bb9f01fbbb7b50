// SPDX-License-Identifier: Apache-2.0
// The path of calls to an instruction, as compilers that inline functions themselves write it down.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "support.h"

namespace shaderqa {
std::ostream& operator<<(std::ostream& out, const SourceFrame& frame) {
  return out << frame.function << " inlined at " << frame.file << ":" << frame.line;
}
}  // namespace shaderqa

namespace shaderqa::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;

// OpenCL.DebugInfo.100, which DXC and clspv write, has numbers where the newer set has constants.
constexpr const char* kImports = R"(OpCapability Shader
%debug = OpExtInstImport "OpenCL.DebugInfo.100")";
constexpr const char* kStrings = R"(%format = OpString "format"
%count_file = OpString "src/count.hlsl"
%scan_file = OpString "src/scan.hlsl"
%main_name = OpString "main"
%scan_name = OpString "scan"
%sum_name = OpString "sum(vf4;"
%none_name = OpString "")";
constexpr const char* kScopes = R"(
%float = OpTypeFloat 32
%zero = OpConstant %float 0
%private_pointer = OpTypePointer Private %float
%variable = OpVariable %private_pointer Private
%count_source = OpExtInst %void %debug DebugSource %count_file
%scan_source = OpExtInst %void %debug DebugSource %scan_file
%unit = OpExtInst %void %debug DebugCompilationUnit 100 4 %count_source HLSL
%type = OpExtInst %void %debug DebugTypeFunction FlagIsPublic %void
%none = OpExtInst %void %debug DebugInfoNone
%main_scope = OpExtInst %void %debug DebugFunction %main_name %type %count_source 20 1 %unit %none_name FlagIsPublic 20 %none
%scan_scope = OpExtInst %void %debug DebugFunction %scan_name %type %scan_source 3 1 %unit %none_name FlagIsPublic 3 %none
%sum_scope = OpExtInst %void %debug DebugFunction %sum_name %type %scan_source 1 1 %unit %none_name FlagIsPublic 1 %none
%block = OpExtInst %void %debug DebugLexicalBlock %scan_source 5 1 %scan_scope
%in_main = OpExtInst %void %debug DebugInlinedAt 31 %main_scope
%in_scan = OpExtInst %void %debug DebugInlinedAt 7 %block %in_main)";

std::vector<SourceFrame> frames_of(const std::string& scope) {
  const std::string body = scope + R"(
%loaded = OpLoad %float %variable
%sum = OpFDiv %float %loaded %zero
OpStore %variable %sum)";
  InstrumentOptions options = default_options();
  options.nan = NanCheck::full;
  const InstrumentResult result =
      instrument(assemble(compute_shader(kScopes, body, kImports, kStrings), SPV_ENV_UNIVERSAL_1_3), options);
  if (result.record.check_sites.empty()) {
    ADD_FAILURE() << "nothing is checked";
    return {};
  }
  return result.record.check_sites.front().frames;
}

auto frame(const std::string& function, const std::string& file, uint32_t line) {
  return AllOf(Field(&SourceFrame::function, function), Field(&SourceFrame::file, file),
               Field(&SourceFrame::line, line));
}

TEST(SourceFrames, OfOpenClsDebugInformation) {
  EXPECT_THAT(frames_of("%here = OpExtInst %void %debug DebugScope %sum_scope %in_scan"),
              ElementsAre(frame("sum", "", 0), frame("scan", "src/scan.hlsl", 7),
                          frame("main", "src/count.hlsl", 31)));
  EXPECT_THAT(frames_of("%here = OpExtInst %void %debug DebugScope %block %in_main"),
              ElementsAre(frame("scan", "", 0), frame("main", "src/count.hlsl", 31)));
}

TEST(SourceFrames, AreNoneInTheEntryPointItself) {
  EXPECT_THAT(frames_of("%here = OpExtInst %void %debug DebugScope %main_scope"), ElementsAre());
  EXPECT_THAT(frames_of("%here = OpExtInst %void %debug DebugNoScope"), ElementsAre());
}

}  // namespace
}  // namespace shaderqa::test
