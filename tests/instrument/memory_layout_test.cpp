// SPDX-License-Identifier: Apache-2.0
// Which bytes of memory values of a type have.
#include "instrument/ir/memory_layout.h"

#include <gtest/gtest.h>

#include "instrument/ir/module_loader.h"
#include "support.h"

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
%runtime = OpTypeRuntimeArray %uint
%byte = OpTypeInt 8 0
%short = OpTypeInt 16 1
%half = OpTypeFloat 16
%bool = OpTypeBool
%bool2 = OpTypeVector %bool 2
%halves = OpTypeVector %half 4
%address = OpTypePointer PhysicalStorageBuffer %uint
%pointer = OpTypePointer Private %uint
%c63 = OpConstant %uint 63
%c1000 = OpConstant %uint 1000
%c_most = OpConstant %uint 0x3fffffff
%c_too_many = OpConstant %uint 0x40000000
%long = OpTypeArray %uint %c1000
%longest = OpTypeArray %uint %c_most
%too_long = OpTypeArray %uint %c_too_many
%at_one_place = OpTypeArray %uint %c3
%empty = OpTypeStruct
%empties = OpTypeArray %empty %c3
%with_empties = OpTypeStruct %uint %empties %uint
%pair = OpTypeStruct %uint %uint
%pairs = OpTypeArray %pair %c63
%more_pairs = OpTypeArray %pair %c64
%without_offset = OpTypeStruct %uint %uint
%packed = OpTypeStruct %uint %byte
%of_halves = OpTypeStruct %uint %halves
%vector_of_structures = OpTypeArray %of_halves %c3)";
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
OpName %byte "byte"
OpName %short "short"
OpName %half "half"
OpName %bool2 "bool2"
OpName %halves "halves"
OpName %address "address"
OpName %pointer "pointer"
OpName %long "long"
OpName %longest "longest"
OpName %too_long "too_long"
OpName %at_one_place "at_one_place"
OpName %empty "empty"
OpName %empties "empties"
OpName %with_empties "with_empties"
OpName %pairs "pairs"
OpName %more_pairs "more_pairs"
OpName %without_offset "without_offset"
OpName %packed "packed"
OpName %vector_of_structures "vector_of_structures"
OpDecorate %long ArrayStride 4
OpDecorate %longest ArrayStride 4
OpDecorate %too_long ArrayStride 4
OpDecorate %at_one_place ArrayStride 0
OpDecorate %empties ArrayStride 16
OpDecorate %pairs ArrayStride 12
OpDecorate %more_pairs ArrayStride 12
OpDecorate %vector_of_structures ArrayStride 16
OpMemberDecorate %with_empties 0 Offset 0
OpMemberDecorate %with_empties 1 Offset 16
OpMemberDecorate %with_empties 2 Offset 64
OpMemberDecorate %pair 0 Offset 0
OpMemberDecorate %pair 1 Offset 8
OpMemberDecorate %without_offset 0 Offset 0
OpMemberDecorate %packed 0 Offset 0
OpMemberDecorate %packed 1 Offset 4
OpMemberDecorate %of_halves 0 Offset 0
OpMemberDecorate %of_halves 1 Offset 8
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
  explicit Footprints(const std::string& more_capabilities = "")
      : words_(assemble(compute_shader(kTypes, "", "OpCapability Shader" + more_capabilities, kDecorations),
                        SPV_ENV_UNIVERSAL_1_3)) {}

  uint32_t type(const std::string& name) const {
    for (uint32_t id = 1; id < words_[3]; ++id)
      if (decorations_.name(id) == name) return id;
    ADD_FAILURE() << "no type " << name;
    return 0;
  }
  std::optional<Runs> of(const std::string& name, const MatrixLayout& matrix = {}) const {
    return layout_.footprint(type(name), matrix);
  }
  const MemoryLayout& layout() const { return layout_; }

 private:
  const Module words_;
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

TEST_F(Footprints, SmallTypesAndAddressesHaveTheirSize) {
  EXPECT_EQ(of("byte"), (Runs{{0, 1}}));
  EXPECT_EQ(of("short"), (Runs{{0, 2}}));
  EXPECT_EQ(of("halves"), (Runs{{0, 8}}));
  EXPECT_EQ(of("address"), (Runs{{0, 8}}));
  EXPECT_EQ(of("packed"), (Runs{{0, 5}}));
  EXPECT_EQ(of("vector_of_structures"), (Runs{{0, 4}, {8, 12}, {24, 12}, {40, 8}}));
  EXPECT_EQ(of("pointer"), std::nullopt) << "a logical pointer has no size in memory";
  EXPECT_EQ(of("bool2"), std::nullopt) << "nor has a boolean";
}

TEST_F(Footprints, WhatIsEmptyHasNoBytesWhereverItIs) {
  EXPECT_EQ(of("empty"), Runs{});
  EXPECT_EQ(of("empties"), Runs{});
  EXPECT_EQ(of("with_empties"), (Runs{{0, 4}, {64, 4}}));
}

TEST_F(Footprints, ArraysWithoutGapsMayBeOfAnyLength) {
  EXPECT_EQ(of("long"), (Runs{{0, 4000}}));
  EXPECT_EQ(of("longest"), (Runs{{0, 0xfffffffc}}));
  EXPECT_EQ(of("too_long"), std::nullopt) << "4 GiB and more is not described";
}

TEST_F(Footprints, AStrideOfZeroAndMissingOffsetsAreNotUnderstood) {
  EXPECT_EQ(of("at_one_place"), std::nullopt);
  EXPECT_EQ(of("without_offset"), std::nullopt);
}

// The last run of each element meets the first one of the next: 63 pairs have 64 runs.
TEST_F(Footprints, NeighboursThatMeetCountOnce) {
  ASSERT_TRUE(of("pairs"));
  EXPECT_EQ(of("pairs")->size(), max_memory_runs);
  EXPECT_EQ((*of("pairs"))[1], (MemoryRun{8, 8}));
  EXPECT_EQ(of("more_pairs"), std::nullopt);
}

TEST_F(Footprints, WholeWordsAreThoseOfTypesWithoutSmallScalars) {
  for (const char* name : {"uint", "double", "float3", "matrix", "with_empties", "runtime", "empty"})
    EXPECT_TRUE(layout().has_whole_words(type(name))) << name;
  for (const char* name : {"byte", "short", "half", "halves", "packed", "vector_of_structures"})
    EXPECT_FALSE(layout().has_whole_words(type(name))) << name;
}

TEST_F(Footprints, SmallScalarsThatTheShaderCannotComputeWithAreStorageOnly) {
  for (const char* name : {"byte", "short", "half", "packed", "vector_of_structures"})
    EXPECT_TRUE(layout().has_storage_only_scalars(type(name))) << name;
  for (const char* name : {"uint", "double", "with_empties"})
    EXPECT_FALSE(layout().has_storage_only_scalars(type(name))) << name;
}

class FootprintsWithSmallArithmetic : public Footprints {
 protected:
  FootprintsWithSmallArithmetic() : Footprints("\nOpCapability Int8\nOpCapability Int16") {}
};

TEST_F(FootprintsWithSmallArithmetic, EachTypeHasACapabilityOfItsOwn) {
  EXPECT_FALSE(layout().has_storage_only_scalars(type("byte")));
  EXPECT_FALSE(layout().has_storage_only_scalars(type("short")));
  EXPECT_FALSE(layout().has_storage_only_scalars(type("packed")));
  EXPECT_TRUE(layout().has_storage_only_scalars(type("half")));
  EXPECT_TRUE(layout().has_storage_only_scalars(type("vector_of_structures")));
}

}  // namespace
}  // namespace shaderqa::test
