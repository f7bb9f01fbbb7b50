// SPDX-License-Identifier: Apache-2.0
// Descriptors in heaps: shaders look their bytes up in tables of heaps, below the heap's end, and find the
// record by push data behind their own.
#include <gtest/gtest.h>

#include "instrument/accesses/buffered_descriptors.h"
#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_descriptors.h"
#include "rewritten.h"

namespace shaderqa::test {
namespace {

constexpr uint32_t kStride = heap_stride;

InstrumentOptions heap_options() {
  InstrumentOptions options = sync_options();
  move_to_heap(options);
  return options;
}

bool has_constant(const std::string& text, uint32_t value) {
  return text.find("OpConstant %uint " + std::to_string(value) + "\n") != std::string::npos;
}

bool has_kind(const std::string& text, uint32_t kind) {
  return has_constant(text, kind | kStride << SQA_DESCRIPTOR_STRIDE_SHIFT);
}

TEST(HeapDescriptors, HaveKindsOfTheirOwn) {
  const std::string uniforms = rewritten_sync_shader("uniforms.comp.vulkan1.1", heap_options());
  EXPECT_TRUE(has_kind(uniforms, SQA_DESCRIPTOR_HEAP + SQA_DESCRIPTOR_UNIFORM));
  EXPECT_TRUE(has_kind(uniforms, SQA_DESCRIPTOR_HEAP + SQA_DESCRIPTOR_STORAGE));
  EXPECT_FALSE(has_kind(uniforms, SQA_DESCRIPTOR_STORAGE));
}

// The sampler has a heap, and a descriptor, of its own.
TEST(HeapDescriptors, OfCombinedImagesAreThoseOfTheirImage) {
  InstrumentOptions options = heap_options();
  options.sync.images = true;
  const std::string samples = rewritten_sync_shader("samples.frag.vulkan1.1", options);
  EXPECT_TRUE(has_kind(samples, SQA_DESCRIPTOR_HEAP + SQA_DESCRIPTOR_SAMPLED_IMAGE));
  EXPECT_FALSE(has_kind(samples, SQA_DESCRIPTOR_HEAP + SQA_DESCRIPTOR_COMBINED_IMAGE));
}

TEST(HeapDescriptors, AreInTheTableThatIsSaid) {
  const std::string text = rewritten_sync_shader("neighbours.comp.vulkan1.1", heap_options());
  EXPECT_TRUE(has_constant(text, SQA_IN_BUFFER | SQA_IN_HEAP));
  InstrumentOptions options = heap_options();
  // No such table: the record has no place for it.
  for (DescriptorSlots& slots : options.sync.descriptors) slots.record_table = SQA_MAX_SETS;
  const InstrumentResult result = instrument(load_sync_shader("neighbours.comp.vulkan1.1"), options);
  for (const CheckSite& site : result.record.check_sites) EXPECT_EQ(site.set, UINT32_MAX) << site.text;
}

// Sets of the shader are names, and no numbers of tables.
TEST(HeapDescriptors, MayHaveAnySet) {
  Module words = assemble(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %words ArrayStride 4
OpDecorate %block BufferBlock
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 900
OpDecorate %buffer Binding 7
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%block_pointer = OpTypePointer Uniform %block
%word_pointer = OpTypePointer Uniform %uint
%buffer = OpVariable %block_pointer Uniform
%main = OpFunction %void None %function
%label = OpLabel
%word = OpAccessChain %word_pointer %buffer %zero %zero
OpStore %word %zero
OpReturn
OpFunctionEnd
)",
                          SPV_ENV_VULKAN_1_0);
  InstrumentOptions options = heap_options();
  options.sync.descriptors = {{900, 7, SQA_IN_BUFFER | SQA_IN_HEAP | 64, 1,
                               SQA_DESCRIPTOR_MUTABLE | kStride << SQA_DESCRIPTOR_STRIDE_SHIFT, 0, 3}};
  const InstrumentResult result = instrument(words, options);
  ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_VULKAN_1_0), "");
  EXPECT_EQ(result.record.check_sites.at(0).set, 900u);
}

TEST(HeapDescriptors, AreValidInEveryShader) {
  for (const std::string& shader : sync_shader_names())
    for (const bool images : {false, true})
      for (const bool footprints : {false, true}) {
        InstrumentOptions options = heap_options();
        options.sync.images = images;
        options.sync.footprints = footprints;
        rewritten_sync_shader(shader, options);
      }
}

// Where memory says which descriptor it is, or where a buffer is.
TEST(HeapDescriptors, MayBeFoundByMemory) {
  for (const uint32_t slot :
       {SQA_IN_BUFFER | SQA_IN_HEAP | SQA_INDIRECT | 64u, SQA_IN_BUFFER | SQA_INDIRECT}) {
    InstrumentOptions options = heap_options();
    options.sync.images = true;
    for (DescriptorSlots& slots : options.sync.descriptors) slots.slot = slot;
    EXPECT_TRUE(has_constant(rewritten_sync_shader("uniforms.comp.vulkan1.1", options), slot));
    for (const std::string& shader : sync_shader_names()) rewritten_sync_shader(shader, options);
  }
}

// What lies at an address in push data has a table like that of a set, and a second version without checks.
TEST(HeapDescriptors, OfBuffersAtAddressesAreLikeThoseOfSets) {
  InstrumentOptions options = heap_options();
  for (DescriptorSlots& slots : options.sync.descriptors) {
    slots.slot = 0;
    slots.count = 1;
    slots.dynamic = SQA_NOT_DYNAMIC;
    slots.record_table = slots.set * 4 + slots.binding % 4;
  }
  for (const std::string& shader : sync_shader_names()) rewritten_sync_shader(shader, options);
}

}  // namespace
}  // namespace shaderqa::test
