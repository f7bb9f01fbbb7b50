// SPDX-License-Identifier: Apache-2.0
// How many invocations a workgroup has, and how the bits of a cell of workgroup memory are divided among tag
// and owner.
#include "instrument/passes/workgroup_cells.h"

#include <gtest/gtest.h>

#include "instrument/ir/module_loader.h"
#include "instrument/runtime/abi_shared.h"
#include "support.h"

namespace shaderqa::test {
namespace {

// Of the shader's only entry point. modes: execution modes; constants: with a decoration of one of them.
uint32_t size_of(const std::string& modes, const std::string& decoration = "",
                 const WorkgroupOptions& options = {}) {
  std::string text = compute_shader(R"(%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c5 = OpConstant %uint 5
%c300 = OpConstant %uint 300
%special = OpSpecConstant %uint 7
%size = OpConstantComposite %uint3 %c2 %c3 %c5
%special_size = OpSpecConstantComposite %uint3 %special %c2 %c2
%other = OpConstantComposite %uint3 %c5 %c5 %c5)",
                                    "", "OpCapability Shader",
                                    "OpName %main \"main\"\nOpDecorate %special SpecId 1\n" + decoration);
  const size_t at = text.find("OpExecutionMode %main");
  text.replace(at, text.find('\n', at) - at, modes);
  const Module words = assemble(text, SPV_ENV_UNIVERSAL_1_6);
  const LoadedModule loaded = load_module(words);
  const Decorations decorations(loaded.view);
  const PipelineConstants constants(loaded.view, decorations, options);
  return workgroup_size(loaded.view, decorations, constants, loaded.view.entry_points()[0].function);
}

TEST(WorkgroupSize, IsTheProductOfItsSides) {
  EXPECT_EQ(size_of("OpExecutionMode %main LocalSize 4 1 1"), 4u);
  EXPECT_EQ(size_of("OpExecutionMode %main LocalSize 4 3 2"), 24u);
  EXPECT_EQ(size_of("OpExecutionModeId %main LocalSizeId %c2 %c3 %c5"), 30u);
  EXPECT_EQ(size_of("OpExecutionMode %main LocalSize 256 256 1"), 65536u);
  EXPECT_EQ(size_of("OpExecutionMode %main LocalSize 256 256 2"), 0u) << "more than any device has";
  EXPECT_EQ(size_of("OpExecutionMode %main LocalSize 65536 65536 1"), 0u) << "2^32, which is no 0";
  EXPECT_EQ(size_of("OpExecutionModeId %main LocalSizeId %c300 %c300 %c2"), 0u);
}

TEST(WorkgroupSize, IsThatOfTheBuiltInIfThereIsOne) {
  const std::string mode = "OpExecutionMode %main LocalSize 4 1 1";
  EXPECT_EQ(size_of(mode, "OpDecorate %size BuiltIn WorkgroupSize"), 30u);
  WorkgroupOptions options;
  EXPECT_EQ(size_of(mode, "OpDecorate %special_size BuiltIn WorkgroupSize", options), 0u) << "not known";
  options.values_known = true;
  EXPECT_EQ(size_of(mode, "OpDecorate %special_size BuiltIn WorkgroupSize", options), 28u);
  options.values = {{1, 10}};
  EXPECT_EQ(size_of(mode, "OpDecorate %special_size BuiltIn WorkgroupSize", options), 40u);
  EXPECT_EQ(size_of(mode, "OpDecorate %other BuiltIn NumWorkgroups"), 4u) << "another built-in";
}

TEST(CellShape, OwnersNumberTheInvocations) {
  for (const auto& [invocations, bits] :
       {std::pair{1u, 1u}, {2u, 1u}, {3u, 2u}, {64u, 6u}, {65u, 7u}, {1024u, 10u}, {1025u, 11u}})
    EXPECT_EQ(cell_shape(invocations, 3, false).owner_bits, bits) << invocations;
  // Between subgroup barriers a lane's number has gaps.
  EXPECT_EQ(cell_shape(64, 3, true).owner_bits, 7u);
  EXPECT_EQ(cell_shape(64, 3, true).subphase_bits, uint32_t{SQA_SHARED_SUBPHASE_BITS});
  EXPECT_EQ(cell_shape(64, 3, false).subphase_bits, 0u);
}

// What is left for tags, if eight bits number the phases.
TEST(CellShape, TagsNumberTheSitesAsFarAsThereIsRoom) {
  for (const auto& [tags, bits] : {std::pair{1u, 1u}, {2u, 2u}, {3u, 2u}, {4u, 3u}, {1000u, 10u}})
    EXPECT_EQ(cell_shape(64, tags, false).tag_bits, bits) << tags;
  EXPECT_EQ(cell_shape(64, 1u << 20, false).tag_bits, 32u - SQA_SHARED_STATE_BITS - 6 - 8);
  EXPECT_EQ(cell_shape(2, 1u << 20, false).tag_bits, 16u) << "and never more";
  EXPECT_EQ(cell_shape(1024, 1u << 20, false).tag_bits, 10u);
  EXPECT_EQ(cell_shape(1024, 1u << 20, true).tag_bits,
            32u - SQA_SHARED_STATE_BITS - 11 - SQA_SHARED_SUBPHASE_BITS - 8);
  EXPECT_EQ(cell_shape(65536, 1u << 20, false).tag_bits, 4u);
}

}  // namespace
}  // namespace shaderqa::test
