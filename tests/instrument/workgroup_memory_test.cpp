// SPDX-License-Identifier: Apache-2.0
// The constants of a pipeline, and how large variables in workgroup memory are, where their parts lie, and
// what they take of the limit.
#include "instrument/accesses/workgroup_memory.h"

#include <gtest/gtest.h>

#include <tuple>

#include "named_module.h"

namespace shaderqa::test {
namespace {

class Named : public NamedModule {
 public:
  Named(const std::string& types, const std::string& decorations, const WorkgroupOptions& options)
      : NamedModule(types, decorations, kCapabilities), options_(options) {}

  const PipelineConstants& constants() const { return constants_; }
  WorkgroupMemory& memory() { return memory_; }

 private:
  static constexpr const char* kCapabilities =
      "OpCapability Shader\nOpCapability Float64\nOpCapability Int64\nOpCapability Int8\nOpCapability Int16";
  const WorkgroupOptions options_;
  const PipelineConstants constants_{view(), decorations(), options_};
  WorkgroupMemory memory_{view(), decorations(), constants_};
};

WorkgroupOptions known(std::vector<SpecialisedValue> values = {}) {
  WorkgroupOptions options;
  options.values_known = true;
  options.values = std::move(values);
  return options;
}

// What an OpSpecConstantOp makes of its operands. Those with a leading % are other constants.
std::optional<uint32_t> computed(const std::string& type, const std::string& operation) {
  Named module(R"(%bool = OpTypeBool
%int = OpTypeInt 32 1
%short = OpTypeInt 16 0
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c7 = OpConstant %uint 7
%c12 = OpConstant %uint 12
%c31 = OpConstant %uint 31
%c32 = OpConstant %uint 32
%minus1 = OpConstant %int -1
%minus7 = OpConstant %int -7
%i2 = OpConstant %int 2
%lowest = OpConstant %int -2147483648
%yes = OpConstantTrue %bool
%no = OpConstantFalse %bool
%null = OpConstantNull %uint
%unknown = OpConstantNull %short
%most = OpConstant %short 65535
%result = OpSpecConstantOp )" +
                   type + " " + operation,
               "", known());
  return module.constants().value(module.id("result"));
}

using Row = std::tuple<const char*, const char*, std::optional<uint32_t>>;

TEST(PipelineConstants, OperationsHaveTheirValue) {
  for (const auto& [type, operation, value] : std::initializer_list<Row>{
           {"%uint", "IAdd %c7 %c12", 19},
           {"%uint", "ISub %c7 %c12", 0xfffffffb},
           {"%uint", "IMul %c7 %c12", 84},
           {"%uint", "UDiv %c12 %c7", 1},
           {"%uint", "UDiv %minus1 %c2", 0x7fffffff},
           {"%uint", "UDiv %c12 %c0", std::nullopt},
           {"%uint", "UMod %c12 %c7", 5},
           {"%uint", "UMod %c12 %c0", std::nullopt},
           {"%int", "SDiv %minus7 %i2", static_cast<uint32_t>(-3)},
           {"%int", "SDiv %minus7 %c0", std::nullopt},
           {"%int", "SDiv %lowest %minus1", std::nullopt},
           {"%int", "SDiv %lowest %i2", 0xc0000000},
           {"%int", "SDiv %c7 %minus1", static_cast<uint32_t>(-7)},
           {"%int", "SRem %minus7 %i2", static_cast<uint32_t>(-1)},
           {"%int", "SRem %lowest %minus1", std::nullopt},
           {"%int", "SRem %c7 %c0", std::nullopt},
           {"%uint", "ShiftLeftLogical %c3 %c2", 12},
           {"%uint", "ShiftLeftLogical %c3 %c31", 0x80000000},
           {"%uint", "ShiftLeftLogical %c3 %c32", 0},
           {"%uint", "ShiftRightLogical %c12 %c2", 3},
           {"%uint", "ShiftRightLogical %minus1 %c31", 1},
           {"%uint", "ShiftRightLogical %c12 %c32", 0},
           {"%uint", "BitwiseAnd %c12 %c7", 4},
           {"%uint", "BitwiseOr %c12 %c7", 15},
           {"%uint", "BitwiseXor %c12 %c7", 11},
           {"%uint", "Not %c7", 0xfffffff8},
           {"%uint", "SNegate %c7", static_cast<uint32_t>(-7)},
           {"%uint", "UConvert %c7", 7},
           {"%uint", "SConvert %c7", 7},
           {"%int", "Bitcast %c7", 7},
           {"%uint", "Select %yes %c7 %c12", 7},
           {"%uint", "Select %no %c7 %c12", 12},
           {"%bool", "LogicalNot %yes", 0},
           {"%bool", "LogicalNot %no", 1},
           {"%bool", "LogicalAnd %yes %yes", 1},
           {"%bool", "LogicalAnd %yes %no", 0},
           {"%bool", "LogicalOr %no %yes", 1},
           {"%bool", "LogicalOr %no %no", 0},
           {"%uint", "IAdd %null %c7", 7},
           {"%short", "IAdd %most %most", std::nullopt},
           {"%uint", "UConvert %most", 65535},
           {"%bool", "LogicalNotEqual %yes %no", std::nullopt},
       })
    EXPECT_EQ(computed(type, operation), value) << operation;
}

TEST(PipelineConstants, ComparisonsHaveTheirValue) {
  struct Comparison {
    const char* operation;
    uint32_t less, equal, greater;  // the first operand
  };
  for (const auto& [operation, less, equal, greater] :
       {Comparison{"IEqual", 0, 1, 0}, Comparison{"INotEqual", 1, 0, 1}, Comparison{"ULessThan", 1, 0, 0},
        Comparison{"ULessThanEqual", 1, 1, 0}, Comparison{"UGreaterThan", 0, 0, 1},
        Comparison{"UGreaterThanEqual", 0, 1, 1}, Comparison{"SLessThan", 1, 0, 0},
        Comparison{"SGreaterThan", 0, 0, 1}}) {
    const std::string name(operation);
    EXPECT_EQ(computed("%bool", name + " %c3 %c7"), less) << name;
    EXPECT_EQ(computed("%bool", name + " %c7 %c7"), equal) << name;
    EXPECT_EQ(computed("%bool", name + " %c7 %c3"), greater) << name;
  }
  EXPECT_EQ(computed("%bool", "ULessThan %minus1 %c7"), 0u) << "it is the largest one";
  EXPECT_EQ(computed("%bool", "SLessThan %minus1 %c7"), 1u);
  EXPECT_EQ(computed("%bool", "SGreaterThan %c7 %minus1"), 1u);
}

constexpr const char* kConstants = R"(%bool = OpTypeBool
%long = OpTypeInt 64 0
%float = OpTypeFloat 32
%c1 = OpConstant %uint 1
%fixed = OpConstant %uint 9
%spec = OpSpecConstant %uint 6
%unset = OpSpecConstant %uint 5
%wide = OpSpecConstant %long 6
%number = OpSpecConstant %float 6
%yes = OpSpecConstantTrue %bool
%no = OpSpecConstantFalse %bool
%always = OpConstantTrue %bool
%never = OpConstantFalse %bool
%sum = OpSpecConstantOp %uint IAdd %spec %c1
%of_unknown = OpSpecConstantOp %uint IAdd %c1 %wide
%without_number = OpSpecConstant %uint 3
%uint2 = OpTypeVector %uint 2
%size = OpSpecConstantComposite %uint2 %c1 %spec
%second = OpSpecConstantOp %uint CompositeExtract %size 1
%third = OpSpecConstantOp %uint CompositeExtract %size 2)";
constexpr const char* kConstantDecorations = R"(OpDecorate %spec SpecId 7
OpDecorate %unset SpecId 8
OpDecorate %wide SpecId 9
OpDecorate %number SpecId 10
OpDecorate %yes SpecId 11
OpDecorate %no SpecId 12)";

TEST(PipelineConstants, ThePipelineDecides) {
  Named module(kConstants, kConstantDecorations, known({{7, 60}, {11, 0}, {12, 5}}));
  const auto value = [&](const char* name) { return module.constants().value(module.id(name)); };
  EXPECT_EQ(value("fixed"), 9u);
  EXPECT_EQ(value("spec"), 60u);
  EXPECT_EQ(value("unset"), 5u);
  EXPECT_EQ(value("sum"), 61u);
  EXPECT_EQ(value("second"), 60u);
  EXPECT_EQ(value("third"), std::nullopt) << "there is none";
  EXPECT_EQ(value("yes"), 0u);
  EXPECT_EQ(value("no"), 1u) << "anything but zero is true";
  EXPECT_EQ(value("always"), 1u);
  EXPECT_EQ(value("never"), 0u);
  EXPECT_EQ(value("wide"), std::nullopt) << "64 bits";
  EXPECT_EQ(value("number"), std::nullopt) << "no integer";
  EXPECT_EQ(value("of_unknown"), std::nullopt);
  EXPECT_EQ(value("uint"), std::nullopt) << "no constant";
}

TEST(PipelineConstants, IntegersAndBooleansCount) {
  const Named module(kConstants, kConstantDecorations, {});
  EXPECT_EQ(integer_constants(module.view().words()), (std::vector<uint32_t>{7, 8, 11, 12}));
}

TEST(PipelineConstants, WithoutAPipelineOnlyFixedOnesAreKnown) {
  Named module(kConstants, kConstantDecorations, {});
  const auto value = [&](const char* name) { return module.constants().value(module.id(name)); };
  EXPECT_EQ(value("fixed"), 9u);
  EXPECT_EQ(value("without_number"), 3u) << "nobody can set it";
  for (const char* name : {"spec", "unset", "sum", "yes", "no"}) EXPECT_EQ(value(name), std::nullopt) << name;
}

constexpr const char* kTypes = R"(%bool = OpTypeBool
%byte = OpTypeInt 8 0
%short = OpTypeInt 16 0
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%uint2 = OpTypeVector %uint 2
%double3 = OpTypeVector %double 3
%float3 = OpTypeVector %float 3
%float4 = OpTypeVector %float 4
%matrix = OpTypeMatrix %float3 2
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c5 = OpConstant %uint 5
%c_million = OpConstant %uint 1048576
%c17 = OpConstant %uint 17
%spec = OpSpecConstant %uint 6
%zero = OpSpecConstant %uint 0
%array = OpTypeArray %float3 %c5
%sized = OpTypeArray %uint %spec
%none = OpTypeArray %uint %zero
%largest = OpTypeArray %row %c_million
%row = OpTypeArray %uint %c17
%sixteen = OpTypeArray %uint4 %c_million
%uint4 = OpTypeVector %uint 4
%over = OpTypeStruct %sixteen %uint
%far_over = OpTypeStruct %sixteen %uint %uint
%two_over = OpTypeArray %over %c2
%two_sixteens = OpTypeArray %sixteen %c2
%structure = OpTypeStruct %uint %float3 %short
%nested = OpTypeStruct %byte %structure %bool
%block = OpTypeStruct %uint %float3 %matrix
%rows = OpTypeStruct %uint %matrix
%blocks = OpTypeArray %block %c2
%strided = OpTypeArray %float3 %c2
%handle = OpTypeSampler
%with_handle = OpTypeStruct %uint %handle
%loose = OpTypeStruct %uint %uint
%to_uint = OpTypePointer Workgroup %uint
%to_structure = OpTypePointer Workgroup %structure
%to_block = OpTypePointer Workgroup %block
%to_largest = OpTypePointer Workgroup %largest
%to_with_handle = OpTypePointer Workgroup %with_handle
%to_private = OpTypePointer Private %uint
%null_structure = OpConstantNull %structure
%v_structure = OpVariable %to_structure Workgroup %null_structure
%v_block = OpVariable %to_block Workgroup
%v_largest = OpVariable %to_largest Workgroup
%v_handle = OpVariable %to_with_handle Workgroup
%v_private = OpVariable %to_private Private)";
constexpr const char* kTypeDecorations = R"(OpMemberName %structure 1 "middle"
OpDecorate %spec SpecId 7
OpDecorate %zero SpecId 8
OpDecorate %block Block
OpDecorate %strided ArrayStride 16
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 16
OpMemberDecorate %block 2 Offset 32
OpMemberDecorate %block 2 ColMajor
OpMemberDecorate %block 2 MatrixStride 16
OpMemberDecorate %rows 0 Offset 64
OpMemberDecorate %rows 1 Offset 0
OpMemberDecorate %rows 1 RowMajor
OpMemberDecorate %rows 1 MatrixStride 8
OpMemberDecorate %loose 0 Offset 0)";

class WorkgroupSizes : public testing::Test {
 protected:
  std::optional<uint32_t> scalars(const std::string& type) {
    return memory().size_of(module_.id(type), false);
  }
  std::optional<uint32_t> bytes(const std::string& type) { return memory().size_of(module_.id(type), true); }
  std::pair<uint64_t, uint64_t> extent(const std::string& type) {
    const auto extent = memory().extent_of(module_.id(type));
    return extent ? std::pair{extent->size, extent->alignment} : std::pair{uint64_t{0}, uint64_t{0}};
  }
  // Where a pointer to a type leads with these indices, named constants.
  WorkgroupPlace place(const std::string& type, bool in_bytes, const std::vector<std::string>& indices,
                       bool possible = true) {
    WorkgroupPlace place;
    place.type = module_.id(type);
    place.in_bytes = in_bytes;
    bool went = true;
    for (const std::string& index : indices) went = went && memory().step(place, module_.id(index));
    EXPECT_EQ(went, possible) << type;
    return place;
  }
  WorkgroupMemory& memory() { return module_.memory(); }

  Named module_{kTypes, kTypeDecorations, known()};
};

TEST_F(WorkgroupSizes, AreCountedInScalars) {
  for (const auto& [type, size] :
       std::initializer_list<std::pair<const char*, uint32_t>>{{"bool", 1},
                                                               {"byte", 1},
                                                               {"uint", 1},
                                                               {"double", 1},
                                                               {"uint2", 2},
                                                               {"double3", 3},
                                                               {"matrix", 6},
                                                               {"array", 15},
                                                               {"sized", 6},
                                                               {"structure", 5},
                                                               {"nested", 7},
                                                               {"block", 10},
                                                               {"sixteen", 4u << 20}})
    EXPECT_EQ(scalars(type), size) << type;
  for (const char* type : {"none", "handle", "with_handle", "largest", "to_uint", "c1"})
    EXPECT_EQ(scalars(type), std::nullopt) << type;
}

TEST_F(WorkgroupSizes, OfBlocksAreInBytes) {
  for (const auto& [type, size] : std::initializer_list<std::pair<const char*, uint32_t>>{{"bool", 4},
                                                                                          {"byte", 1},
                                                                                          {"short", 2},
                                                                                          {"uint", 4},
                                                                                          {"double", 8},
                                                                                          {"float3", 12},
                                                                                          {"strided", 32},
                                                                                          {"block", 64},
                                                                                          {"rows", 68}})
    EXPECT_EQ(bytes(type), size) << type;
  for (const char* type : {"matrix", "array", "structure", "loose"})
    EXPECT_EQ(bytes(type), std::nullopt) << type;
}

TEST_F(WorkgroupSizes, TheLimitCountsAlignedBytes) {
  using Extent = std::pair<uint64_t, uint64_t>;
  EXPECT_EQ(extent("bool"), Extent(4, 4));
  EXPECT_EQ(extent("byte"), Extent(1, 1));
  EXPECT_EQ(extent("double"), Extent(8, 8));
  EXPECT_EQ(extent("uint2"), Extent(8, 8));
  EXPECT_EQ(extent("float3"), Extent(12, 16));
  EXPECT_EQ(extent("float4"), Extent(16, 16));
  EXPECT_EQ(extent("double3"), Extent(24, 32));
  EXPECT_EQ(extent("matrix"), Extent(32, 16));
  EXPECT_EQ(extent("array"), Extent(80, 16));
  EXPECT_EQ(extent("sized"), Extent(24, 4));
  EXPECT_EQ(extent("structure"), Extent(32, 16));
  EXPECT_EQ(extent("nested"), Extent(64, 16));
  EXPECT_EQ(extent("largest"), Extent(68u << 20, 4));
  EXPECT_EQ(extent("sixteen"), Extent(16u << 20, 16)) << "16 MiB are the most that is looked into";
  EXPECT_EQ(extent("over"), Extent((16u << 20) + 16, 16));
  EXPECT_EQ(extent("two_sixteens"), Extent(32u << 20, 16));
  for (const char* type : {"none", "handle", "with_handle", "far_over", "two_over"})
    EXPECT_EQ(extent(type), Extent(0, 0)) << type;
}

TEST_F(WorkgroupSizes, RunsLeaveThePaddingOut) {
  using Runs = std::vector<MemoryRun>;
  const auto runs = [&](const char* type, bool in_bytes) {
    return memory().runs_of(module_.id(type), in_bytes);
  };
  EXPECT_EQ(runs("structure", false), (Runs{{0, 5}}));
  EXPECT_EQ(runs("array", false), (Runs{{0, 15}}));
  EXPECT_EQ(runs("block", true), (Runs{{0, 4}, {16, 12}, {32, 12}, {48, 12}}));
  EXPECT_EQ(runs("rows", true), (Runs{{0, 24}, {64, 4}})) << "in the order of their places";
  EXPECT_EQ(runs("strided", true), (Runs{{0, 12}, {16, 12}}));
  for (const char* type : {"with_handle", "none", "largest"})
    EXPECT_EQ(runs(type, false), std::nullopt) << type;
  EXPECT_EQ(runs("loose", true), std::nullopt);
}

TEST_F(WorkgroupSizes, StepsLeadToAScalar) {
  EXPECT_EQ(place("structure", false, {"c1"}).offset, 1u);
  EXPECT_EQ(place("structure", false, {"c2"}).offset, 4u);
  EXPECT_EQ(place("nested", false, {"c1", "c2"}).offset, 5u);
  EXPECT_EQ(place("array", false, {"c2", "c1"}).offset, 7u);
  EXPECT_EQ(place("matrix", false, {"c1", "c2"}).offset, 5u);
  EXPECT_EQ(place("matrix", false, {"c1"}).type, module_.id("float3"));
  const WorkgroupPlace variable = place("array", false, {"spec", "c1"});
  EXPECT_EQ(variable.offset, 1u);
  ASSERT_EQ(variable.indices.size(), 1u);
  EXPECT_EQ(variable.indices[0].id, module_.id("spec"));
  EXPECT_EQ(variable.indices[0].stride, 3u);
}

TEST_F(WorkgroupSizes, StepsInBlocksAreBytes) {
  EXPECT_EQ(place("block", true, {"c1", "c2"}).offset, 24u);
  EXPECT_EQ(place("strided", true, {"c1", "c1"}).offset, 20u);
  place("block", true, {"c2", "c1"}, false);  // a matrix
  place("array", true, {"c1"}, false);        // no stride
  place("loose", true, {"c1"}, false);        // no offset
}

TEST_F(WorkgroupSizes, StepsBeyondATypeAreRefused) {
  place("structure", false, {"c5"}, false);
  place("structure", false, {"spec"}, false);
  place("uint", false, {"c1"}, false);
  place("loose", false, {"c2"}, false);
}

TEST_F(WorkgroupSizes, ShapesNameThePartsOfAVariable) {
  const auto shape = [&](const char* type, bool in_bytes = false) {
    return memory().shape_of(module_.id(type), in_bytes);
  };
  EXPECT_EQ(shape("uint"), "");
  EXPECT_EQ(shape("float3"), "[3*1");
  EXPECT_EQ(shape("float3", true), "[3*4");
  EXPECT_EQ(shape("matrix"), "[2*3[3*1");
  EXPECT_EQ(shape("array"), "[5*3[3*1");
  EXPECT_EQ(shape("strided", true), "[2*16[3*4");
  EXPECT_EQ(shape("structure"), "{0.0:;1.middle:[3*1;4.2:;}");
  EXPECT_EQ(shape("loose", true), "{0.0:;0.1:;}");
  EXPECT_EQ(shape("rows", true), "{64.0:;0.1:[2*12[3*4;}");
}

TEST_F(WorkgroupSizes, TheScalarsOfAType) {
  for (const auto& [type, bits] : std::initializer_list<std::pair<const char*, uint32_t>>{{"bool", 32},
                                                                                          {"byte", 8},
                                                                                          {"short", 16},
                                                                                          {"double3", 64},
                                                                                          {"matrix", 32},
                                                                                          {"array", 32},
                                                                                          {"to_uint", 64},
                                                                                          {"structure", 0},
                                                                                          {"handle", 0}})
    EXPECT_EQ(memory().scalar_bits(module_.id(type)), bits) << type;
}

TEST_F(WorkgroupSizes, VariablesOfAModule) {
  const std::vector<WorkgroupMemory::Variable>& all = memory().find_variables();
  ASSERT_EQ(all.size(), 4u) << "that of private memory is none";
  EXPECT_EQ(all[0].id, module_.id("v_structure"));
  EXPECT_EQ(all[0].size, 5u);
  EXPECT_EQ(all[0].bytes, 32u);
  EXPECT_FALSE(all[0].in_bytes);
  EXPECT_TRUE(all[0].initialised);
  EXPECT_EQ(all[1].id, module_.id("v_block"));
  EXPECT_EQ(all[1].size, 64u);
  EXPECT_EQ(all[1].bytes, 64u);
  EXPECT_TRUE(all[1].in_bytes);
  EXPECT_FALSE(all[1].initialised);
  for (size_t i : {2, 3}) {
    EXPECT_EQ(all[i].size, std::nullopt);
    EXPECT_EQ(all[i].bytes, 0u);
  }
}

// A type of a malformed module that contains itself has no end.
TEST(WorkgroupTypes, MayBeWithoutEnd) {
  std::string types = "%c1 = OpConstant %uint 1\n%t0 = OpTypeStruct %uint\n";
  for (int i = 1; i <= 40; ++i)
    types += "%t" + std::to_string(i) + " = OpTypeStruct %t" + std::to_string(i - 1) + "\n";
  Named module(types, "", known());
  EXPECT_TRUE(module.memory().is_finite(module.id("t0")));
  EXPECT_TRUE(module.memory().is_finite(module.id("t31")));
  EXPECT_FALSE(module.memory().is_finite(module.id("t33")));
}

}  // namespace
}  // namespace shaderqa::test
