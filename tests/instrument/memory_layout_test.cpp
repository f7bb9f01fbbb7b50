// SPDX-License-Identifier: Apache-2.0
// Which bytes of memory values of a type have.
#include "instrument/ir/memory_layout.h"

#include <gtest/gtest.h>

#include <ostream>

#include "instrument/ir/module_loader.h"
#include "support.h"

namespace shaderqa {
std::ostream& operator<<(std::ostream& out, const MemoryRun& run) {
  return out << run.size << " bytes from " << run.offset << " on";
}
}  // namespace shaderqa

namespace shaderqa::test {
namespace {

constexpr const char* kTypes = R"(
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%float3 = OpTypeVector %float 3
%matrix = OpTypeMatrix %float3 2
%c1 = OpConstant %uint 1
%c3 = OpConstant %uint 3
%c64 = OpConstant %uint 64
%c65 = OpConstant %uint 65
%single = OpTypeArray %uint %c1
%tight = OpTypeArray %uint %c3
%loose = OpTypeArray %uint %c3
%vectors = OpTypeArray %float3 %c3
%most = OpTypeArray %uint %c64
%too_many = OpTypeArray %uint %c65
%unknown = OpTypeArray %uint %c3
%structure = OpTypeStruct %uint %double %single
%nested = OpTypeStruct %structure %float3
%runtime = OpTypeRuntimeArray %uint)";
constexpr const char* kDecorations = R"(%format = OpString "format"
OpName %uint "uint"
OpName %double "double"
OpName %float3 "float3"
OpName %matrix "matrix"
OpName %single "single"
OpName %tight "tight"
OpName %loose "loose"
OpName %vectors "vectors"
OpName %most "most"
OpName %too_many "too_many"
OpName %unknown "unknown"
OpName %structure "structure"
OpName %nested "nested"
OpName %runtime "runtime"
OpDecorate %single ArrayStride 16
OpDecorate %tight ArrayStride 4
OpDecorate %loose ArrayStride 16
OpDecorate %vectors ArrayStride 16
OpDecorate %most ArrayStride 8
OpDecorate %too_many ArrayStride 8
OpDecorate %runtime ArrayStride 4
OpMemberDecorate %structure 0 Offset 0
OpMemberDecorate %structure 1 Offset 8
OpMemberDecorate %structure 2 Offset 16
OpMemberDecorate %nested 0 Offset 4
OpMemberDecorate %nested 1 Offset 32)";

using Runs = std::vector<MemoryRun>;

class Footprints : public testing::Test {
 protected:
  std::optional<Runs> of(const std::string& name, const MatrixLayout& matrix = {}) const {
    for (uint32_t id = 1; id < words_[3]; ++id)
      if (decorations_.name(id) == name) return layout_.footprint(id, matrix);
    ADD_FAILURE() << "no type " << name;
    return std::nullopt;
  }

 private:
  const Module words_ =
      assemble(compute_shader(kTypes, "", "OpCapability Shader\nOpCapability Float64", kDecorations),
               SPV_ENV_UNIVERSAL_1_3);
  const LoadedModule loaded_ = load_module(words_);
  const Decorations decorations_{loaded_.view};
  const MemoryLayout layout_{loaded_.view, decorations_};
};

TEST_F(Footprints, ScalarsAndVectorsAreOneRun) {
  EXPECT_EQ(of("uint"), (Runs{{0, 4}}));
  EXPECT_EQ(of("double"), (Runs{{0, 8}}));
  EXPECT_EQ(of("float3"), (Runs{{0, 12}}));
  EXPECT_EQ(of("float3", {0, false, 16}), (Runs{{0, 4}, {16, 4}, {32, 4}})) << "of a row-major matrix";
}

TEST_F(Footprints, ArraysAreAsTheirStrideSays) {
  EXPECT_EQ(of("single"), (Runs{{0, 4}}));
  EXPECT_EQ(of("tight"), (Runs{{0, 12}}));
  EXPECT_EQ(of("loose"), (Runs{{0, 4}, {16, 4}, {32, 4}}));
  EXPECT_EQ(of("vectors"), (Runs{{0, 12}, {16, 12}, {32, 12}}));
  EXPECT_EQ(of("unknown"), std::nullopt) << "no stride";
  EXPECT_EQ(of("runtime"), std::nullopt) << "no length";
}

TEST_F(Footprints, MatricesAreLines) {
  EXPECT_EQ(of("matrix", {16, false, 0}), (Runs{{0, 12}, {16, 12}}));
  EXPECT_EQ(of("matrix", {16, true, 0}), (Runs{{0, 8}, {16, 8}, {32, 8}}));
  EXPECT_EQ(of("matrix", {12, false, 0}), (Runs{{0, 24}}));
  EXPECT_EQ(of("matrix"), std::nullopt);
}

TEST_F(Footprints, StructuresAreTheirMembers) {
  EXPECT_EQ(of("structure"), (Runs{{0, 4}, {8, 12}})) << "neighbours are one run";
  EXPECT_EQ(of("nested"), (Runs{{4, 4}, {12, 12}, {32, 12}}));
}

TEST_F(Footprints, ThereMayBeTooManyRuns) {
  ASSERT_TRUE(of("most"));
  EXPECT_EQ(of("most")->size(), max_memory_runs);
  EXPECT_EQ(of("most")->back(), (MemoryRun{63 * 8, 4}));
  EXPECT_EQ(of("too_many"), std::nullopt);
}

}  // namespace
}  // namespace shaderqa::test
