// SPDX-License-Identifier: Apache-2.0
// What is said of shaders whose accesses the exact engine does not tell apart (docs/internals/exact.md, "What
// it does not see"). That of atomics of two sizes: atomic_sizes_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>

#include "instrument/ir/ray_queries.h"
#include "support.h"

namespace shaderqa::test {
namespace {

struct Text {
  std::string body;
  std::string model = "Logical GLSL450";
  std::string capabilities = "";
};

Module shader(const Text& text) {
  return assemble("OpCapability Shader\n" + text.capabilities + "OpMemoryModel " + text.model + R"(
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 8 1 1
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %halves ArrayStride 2
OpDecorate %half_block Block
OpMemberDecorate %half_block 0 Offset 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
OpDecorate %half_data DescriptorSet 0
OpDecorate %half_data Binding 1
OpDecorate %long ArrayStride 4
OpDecorate %longer ArrayStride 4
OpDecorate %long_block Block
OpMemberDecorate %long_block 0 Offset 0
OpMemberDecorate %long_block 1 Offset 65536
OpDecorate %long_data DescriptorSet 0
OpDecorate %long_data Binding 2
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%half = OpTypeFloat 16
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%workgroup = OpConstant %uint 2
%subgroup = OpConstant %uint 3
%acquire_release = OpConstant %uint 0x48
%address = OpConstant %ulong 4096
%small = OpConstantNull %half
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%to_block = OpTypePointer StorageBuffer %block
%to_uint = OpTypePointer StorageBuffer %uint
%halves = OpTypeRuntimeArray %half
%half_block = OpTypeStruct %halves
%to_half_block = OpTypePointer StorageBuffer %half_block
%to_half = OpTypePointer StorageBuffer %half
%far_uint = OpTypePointer PhysicalStorageBuffer %uint
%far_half = OpTypePointer PhysicalStorageBuffer %half
%length = OpConstant %uint 16384
%greater_length = OpConstant %uint 16385
%long = OpTypeArray %uint %length
%longer = OpTypeArray %uint %greater_length
%long_block = OpTypeStruct %long %longer
%to_long_block = OpTypePointer StorageBuffer %long_block
%to_long = OpTypePointer StorageBuffer %long
%to_longer = OpTypePointer StorageBuffer %longer
%long_data = OpVariable %to_long_block StorageBuffer
%data = OpVariable %to_block StorageBuffer
%half_data = OpVariable %to_half_block StorageBuffer
%main = OpFunction %void None %function
%label = OpLabel
%word = OpAccessChain %to_uint %data %zero %zero
%part = OpAccessChain %to_half %half_data %zero %zero
)" + text.body + "OpReturn\nOpFunctionEnd\n",
                  SPV_ENV_VULKAN_1_3);
}

// How many notes have this text.
size_t notes(const std::string& about, const Text& text, bool strict = false,
             SyncEngine engine = SyncEngine::exact) {
  InstrumentOptions options = sync_options();
  options.int64_atomics = true;
  options.sync.engine = engine;
  options.sync.strict = strict;
  const InstrumentResult result = instrument(shader(text), options);
  EXPECT_EQ(result.message, "");
  return static_cast<size_t>(std::ranges::count_if(result.record.notes, [&](const ShaderNote& note) {
    return note.incomplete == Concern::sync && note.text.find(about) != std::string::npos;
  }));
}

TEST(ExactNotes, AtomicLoadsOfPartsAreNotChecked) {
  const std::string about = "Atomic loads of less than 4 bytes";
  EXPECT_EQ(notes(about, {"%old = OpAtomicLoad %half %part %one %zero\n"}), 1u);
  EXPECT_EQ(notes(about, {"%old = OpAtomicLoad %half %part %one %zero\nOpStore %word %one\n"}), 1u);
  EXPECT_EQ(notes(about, {"%old = OpAtomicLoad %uint %word %one %zero\n"}), 0u);
  EXPECT_EQ(notes(about, {"%old = OpLoad %half %part\n"}), 0u);
}

TEST(ExactNotes, OnlyTheFirstPartOfAVeryLongAccessIsChecked) {
  const std::string about = "access of more than 64 KiB each: only the first 64 KiB";
  const std::string chain = "%place = OpAccessChain %to_long %long_data %zero\n";
  EXPECT_EQ(notes(about, {chain + "%value = OpLoad %long %place\n"}), 0u);
  EXPECT_EQ(notes("access of more than 4 KiB each", {chain + "%value = OpLoad %long %place\n"}, false,
                  SyncEngine::bloom),
            1u);
  EXPECT_EQ(
      notes(about, {"%place = OpAccessChain %to_longer %long_data %one\n%value = OpLoad %longer %place\n"}),
      1u);
}

TEST(ExactNotes, AtomicsOfSubgroupScopeCountAsTheWorkgroups) {
  const std::string about = "Atomics of subgroup scope";
  EXPECT_EQ(notes(about, {"%old = OpAtomicIAdd %uint %word %subgroup %zero %one\n"}), 1u);
  EXPECT_EQ(notes(about, {"OpAtomicStore %word %subgroup %zero %one\n"}), 1u);
  EXPECT_EQ(notes(about, {"%old = OpAtomicIAdd %uint %word %workgroup %zero %one\n"}), 0u);
}

TEST(ExactNotes, StoresOfPartsThroughAddressesAreToldByWords) {
  const std::string about = "stores parts of words through addresses";
  const auto text = [](const std::string& body) {
    return Text{
        "%far = OpConvertUToPtr %far_half %address\n%whole = OpConvertUToPtr %far_uint %address\n" + body,
        "PhysicalStorageBuffer64 GLSL450",
        "OpCapability PhysicalStorageBufferAddresses\nOpCapability Int64\n"};
  };
  EXPECT_EQ(notes(about, text("OpStore %far %small Aligned 2\n")), 1u);
  EXPECT_EQ(notes(about, text("OpStore %whole %one Aligned 4\n")), 0u);
  EXPECT_EQ(notes(about, text("%value = OpLoad %half %far Aligned 2\n")), 0u);
  EXPECT_EQ(notes(about, text("OpStore %part %small\n")), 0u) << "through a descriptor";
}

TEST(ExactNotes, PrivateAccessesCountAsOthersDo) {
  const std::string about = "without NonPrivatePointer";
  const std::string barrier = "OpControlBarrier %workgroup %workgroup %acquire_release\n";
  const auto text = [](const std::string& body, const std::string& model = "Logical Vulkan") {
    return Text{body, model,
                "OpCapability VulkanMemoryModel\nOpCapability VulkanMemoryModelDeviceScope\n"
                "OpExtension \"SPV_KHR_vulkan_memory_model\"\n"};
  };
  EXPECT_EQ(notes(about, text("OpStore %word %one\n" + barrier), true), 1u);
  EXPECT_EQ(notes(about, text(barrier + "%value = OpLoad %uint %word\n"), true), 1u);
  EXPECT_EQ(notes(about, text("OpStore %word %one NonPrivatePointer\n" + barrier), true), 0u);
  EXPECT_EQ(notes(about, text("%old = OpAtomicIAdd %uint %word %one %zero %one\n" + barrier), true), 0u);
  EXPECT_EQ(notes(about, text("OpStore %word %one\n"), true), 0u) << "nothing in it orders";
  EXPECT_EQ(notes(about, text("OpStore %word %one\n" + barrier), false), 0u) << "only strict asks for it";
  EXPECT_EQ(notes(about, {"OpStore %word %one\n" + barrier}, true), 0u) << "nothing is private there";
}

TEST(ExactNotes, TheFilterHasNone) {
  EXPECT_EQ(notes("Atomic loads", {"%old = OpAtomicLoad %half %part %one %zero\n"}, false, SyncEngine::bloom),
            0u);
}

TEST(RayQueries, AreFound) {
  const auto module = [](const std::string& body) {
    return assemble(R"(OpCapability Shader
OpCapability RayQueryKHR
OpExtension "SPV_KHR_ray_query"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %scene %query
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v3 = OpTypeVector %float 3
%structure = OpTypeAccelerationStructureKHR
%to_structure = OpTypePointer UniformConstant %structure
%query_type = OpTypeRayQueryKHR
%to_query = OpTypePointer Private %query_type
%zero = OpConstant %uint 0
%near = OpConstant %float 0
%from = OpConstantNull %v3
%scene = OpVariable %to_structure UniformConstant
%query = OpVariable %to_query Private
%main = OpFunction %void None %function
%label = OpLabel
%it = OpLoad %structure %scene
)" + body + "OpReturn\nOpFunctionEnd\n");
  };
  EXPECT_TRUE(
      queries_rays(module("OpRayQueryInitializeKHR %query %it %zero %zero %from %near %from %near\n")));
  EXPECT_FALSE(queries_rays(module("")));
  EXPECT_FALSE(queries_rays({}));
}

}  // namespace
}  // namespace shaderqa::test
