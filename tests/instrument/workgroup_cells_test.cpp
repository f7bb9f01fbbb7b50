// SPDX-License-Identifier: Apache-2.0
// How many invocations a workgroup has, and how the bits of a cell of workgroup memory are divided among tag
// and owner.
#include "instrument/passes/workgroup_cells.h"

#include <gtest/gtest.h>

#include "instrument/ir/module_loader.h"
#include "instrument/ir/workgroup_size.h"
#include "instrument/runtime/abi_shared.h"
#include "support.h"

namespace shaderqa::test {
namespace {

// For the shader's only entry point. modes: execution modes; constants: with a decoration of one of them.
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
  const auto size = workgroup_size(loaded.view, decorations, loaded.view.entry_points()[0].function,
                                   [&](uint32_t id) { return constants.value(id); });
  return size[0] * size[1] * size[2];
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
    EXPECT_EQ(cell_shape(invocations, 3, CellSubgroups::not_held).owner_bits, bits) << invocations;
  // Where subgroups are told apart, a lane's number has gaps.
  EXPECT_EQ(cell_shape(64, 3, CellSubgroups::with_subphases).owner_bits, 7u);
  EXPECT_EQ(cell_shape(64, 3, CellSubgroups::told_apart).owner_bits, 7u);
  EXPECT_EQ(cell_shape(64, 3, CellSubgroups::told_apart).subphase_bits, 0u);
  EXPECT_EQ(cell_shape(64, 3, CellSubgroups::with_subphases).subphase_bits,
            uint32_t{SQA_SHARED_SUBPHASE_BITS});
  EXPECT_EQ(cell_shape(64, 3, CellSubgroups::not_held).subphase_bits, 0u);
}

// What is left for tags, if eight bits number the phases.
TEST(CellShape, TagsNumberTheSitesAsFarAsThereIsRoom) {
  for (const auto& [tags, bits] : {std::pair{1u, 1u}, {2u, 2u}, {3u, 2u}, {4u, 3u}, {1000u, 10u}})
    EXPECT_EQ(cell_shape(64, tags, CellSubgroups::not_held).tag_bits, bits) << tags;
  EXPECT_EQ(cell_shape(64, 1u << 20, CellSubgroups::not_held).tag_bits, 32u - SQA_SHARED_STATE_BITS - 6 - 8);
  EXPECT_EQ(cell_shape(2, 1u << 20, CellSubgroups::not_held).tag_bits, 16u) << "and never more";
  EXPECT_EQ(cell_shape(1024, 1u << 20, CellSubgroups::not_held).tag_bits, 10u);
  EXPECT_EQ(cell_shape(1024, 1u << 20, CellSubgroups::with_subphases).tag_bits,
            32u - SQA_SHARED_STATE_BITS - 11 - SQA_SHARED_SUBPHASE_BITS - 8);
  EXPECT_EQ(cell_shape(65536, 1u << 20, CellSubgroups::not_held).tag_bits, 4u);
}

TEST(CellShape, MarksHoldTheStateAboveTagAndOwner) {
  const CellShape shape{3, 6, 0};
  EXPECT_EQ(shape.mark(0, 5), 5u);
  EXPECT_EQ(shape.mark(2, 5), 2u << 9 | 5u);
  EXPECT_EQ(shape.mark(1, 7), 1u << 9 | 7u);
  EXPECT_EQ(shape.mark(1, 8), 1u << 9) << "a tag that has no room is none";
  EXPECT_EQ((CellShape{3, 6, 2}).argument(), 3u | 6u << 8 | 2u << 16);
}

// Three arrays of 32-bit numbers, of these lengths, each of which is stored to.
class Room {
 public:
  explicit Room(const std::vector<uint32_t>& lengths) {
    std::string globals = "%to_uint = OpTypePointer Workgroup %uint\n", body, names;
    for (size_t i = 0; i < lengths.size(); ++i) {
      const std::string n = std::to_string(i);
      globals += "%length" + n + " = OpConstant %uint " + std::to_string(lengths[i]) + "\n%array" + n +
                 " = OpTypeArray %uint %length" + n + "\n%to_array" + n +
                 " = OpTypePointer Workgroup %array" + n + "\n%v" + n + " = OpVariable %to_array" + n +
                 " Workgroup\n";
      body += "%p" + n + " = OpAccessChain %to_uint %v" + n + " %x\nOpStore %p" + n + " %x\n";
      names += "OpName %v" + n + " \"v" + n + "\"\n";
    }
    words_ = assemble(compute_shader(globals, body, "OpCapability Shader", names), SPV_ENV_UNIVERSAL_1_3);
  }
  // Names of the variables that have cells.
  std::vector<std::string> checked(uint32_t limit, bool uninitialised = false) const {
    InstrumentOptions options = default_options();
    options.workgroup.races = true;
    options.workgroup.uninitialised = uninitialised;
    options.workgroup.limit = limit;
    options.workgroup.values_known = true;
    std::vector<std::string> names;
    uint32_t next = 0;
    for (const WorkgroupVariable& variable : instrument(words_, options).record.workgroup.variables) {
      names.push_back(variable.name);
      EXPECT_EQ(variable.first, next) << "one behind the other";
      next += variable.count;
    }
    return names;
  }

 private:
  Module words_;
};

using Names = std::vector<std::string>;

// A cell of four bytes for each number, one more word, and 16 bytes that stay free.
TEST(WorkgroupRoom, IsAllThatTheLimitLeaves) {
  const Room two({2048, 2048});
  constexpr uint32_t program = 16384, cells = 4 * 4097;
  EXPECT_EQ(two.checked(program + cells + 16), (Names{"v0", "v1"}));
  EXPECT_EQ(two.checked(program + cells + 15), Names{"v1"}) << "of the same size, the first one is left out";
  EXPECT_EQ(two.checked(program + cells + 16, true), Names{"v1"}) << "bits for what was written";
  EXPECT_EQ(two.checked(program + cells + 16 + 4 * 128, true), (Names{"v0", "v1"}));
  EXPECT_EQ(two.checked(program + cells + 15 + 4 * 128, true), Names{"v1"});
}

TEST(WorkgroupRoom, TheLargestAreLeftOutFirst) {
  const Room three({100, 3000, 200});
  EXPECT_EQ(three.checked(32768), (Names{"v0", "v1", "v2"}));
  EXPECT_EQ(three.checked(20000), (Names{"v0", "v2"}));
  EXPECT_EQ(three.checked(0), (Names{"v0", "v2"})) << "every device has 16 KiB";
  EXPECT_EQ(Room({100, 3800, 200}).checked(16384), Names{}) << "the program itself has nearly all";
}

}  // namespace
}  // namespace shaderqa::test
