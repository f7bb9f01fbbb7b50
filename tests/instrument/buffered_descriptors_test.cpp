// SPDX-License-Identifier: Apache-2.0
// Descriptors in descriptor buffers: which shaders look their bytes up, and as what kind.
#include <gtest/gtest.h>

#include "instrument/accesses/buffered_descriptors.h"
#include "instrument/runtime/abi_resolve.h"
#include "rewritten.h"

namespace shaderqa::test {
namespace {

constexpr uint32_t kStride = 16;

InstrumentOptions exact_options() {
  InstrumentOptions options = sync_options();
  options.int64_atomics = true;
  options.sync.engine = SyncEngine::exact;
  return options;
}

// As if each binding of the sets were mutable, and in a descriptor buffer.
InstrumentOptions buffered_options() {
  InstrumentOptions options = exact_options();
  for (DescriptorSlots& slots : options.sync.descriptors) {
    slots.slot = SQA_IN_BUFFER | slots.binding * 256;
    slots.dynamic = SQA_DESCRIPTOR_MUTABLE | kStride << SQA_DESCRIPTOR_STRIDE_SHIFT;
  }
  return options;
}

// As if they were no arrays, and those that there are numbers for were resolved in front of the action.
InstrumentOptions resolved_options(uint32_t first = 1) {
  InstrumentOptions options = buffered_options();
  uint32_t number = first;
  for (DescriptorSlots& slots : options.sync.descriptors) {
    slots.count = 1;
    slots.direct = number <= SQA_MOST_RESOLVED ? number++ : 0;
  }
  return options;
}

bool has_kind(const std::string& text, uint32_t kind) {
  const std::string value = std::to_string(kind | kStride << SQA_DESCRIPTOR_STRIDE_SHIFT);
  return text.find("OpConstant %uint " + value + "\n") != std::string::npos;
}

TEST(BufferedDescriptors, AreLookedUpWhereThereAreSome) {
  EXPECT_NE(rewritten_sync_shader("neighbours.comp.vulkan1.1", buffered_options())
                .find("%sqa_find_descriptor = OpFunction"),
            std::string::npos);
  EXPECT_EQ(rewritten_sync_shader("neighbours.comp.vulkan1.1", exact_options()).find("sqa_find_descriptor"),
            std::string::npos);
}

TEST(BufferedDescriptors, AreLookedUpInShadersThatRelease) {
  EXPECT_NE(rewritten_sync_shader("fence.comp.vulkan1.1", buffered_options())
                .find("%sqa_find_descriptor = OpFunction"),
            std::string::npos);
}

// Nothing says before the shader runs that nothing writes what it reads, unless they are resolved.
TEST(BufferedDescriptors, LeaveNoSecondVersion) {
  EXPECT_EQ(rewritten_sync_shader("uniforms.comp.vulkan1.1", buffered_options()).find("sqa_reads_unwatched"),
            std::string::npos);
}

TEST(ResolvedDescriptors, LeaveASecondVersion) {
  const std::string text = rewritten_sync_shader("uniforms.comp.vulkan1.1", resolved_options());
  EXPECT_NE(text.find("OpFunctionCall %bool %sqa_reads_unwatched"), std::string::npos);
}

// The bit in the record is that of the number, whatever the binding is.
TEST(ResolvedDescriptors, HaveTheBitOfTheirNumber) {
  InstrumentOptions options = resolved_options();
  const uint32_t bit = 1u << (SQA_MOST_RESOLVED - 1);
  for (DescriptorSlots& slots : options.sync.descriptors)
    slots.direct = slots.set == 0 && slots.binding == 0 ? SQA_MOST_RESOLVED : 0;
  const std::string text = rewritten_sync_shader("uniforms.comp.vulkan1.1", options);
  EXPECT_NE(text.find("OpConstant %uint " + std::to_string(bit) + "\n"), std::string::npos);
}

// Only the first ones have entries in the record, which the short check needs.
TEST(ResolvedDescriptors, HaveTheShortCheckWhereTheyHaveAnEntry) {
  const auto calls = [](uint32_t first) {
    const std::string text = rewritten_sync_shader("neighbours.comp.vulkan1.1", resolved_options(first));
    return text.find("%sqa_words_set = OpFunction") != std::string::npos;
  };
  EXPECT_TRUE(calls(1));
  EXPECT_FALSE(calls(SQA_DIRECT_SLOTS + 1));
}

TEST(ResolvedDescriptors, AreValidInEveryShader) {
  for (const std::string& shader : sync_shader_names())
    for (const uint32_t first : {1u, 8u})
      for (const bool footprints : {false, true}) {
        InstrumentOptions options = resolved_options(first);
        options.sync.images = options.sync.footprints = footprints;
        rewritten_sync_shader(shader, options);
      }
}

TEST(BufferedDescriptors, OfMutableBindingsAreOfTheKindThatTheShaderDeclares) {
  const std::string uniforms = rewritten_sync_shader("uniforms.comp.vulkan1.1", buffered_options());
  EXPECT_TRUE(has_kind(uniforms, SQA_DESCRIPTOR_UNIFORM));
  EXPECT_TRUE(has_kind(uniforms, SQA_DESCRIPTOR_STORAGE));
  EXPECT_FALSE(has_kind(uniforms, SQA_DESCRIPTOR_UNIFORM_TEXEL));
  const std::string texels = rewritten_sync_shader("texels.comp.vulkan1.1", buffered_options());
  EXPECT_TRUE(has_kind(texels, SQA_DESCRIPTOR_UNIFORM_TEXEL));
  EXPECT_TRUE(has_kind(texels, SQA_DESCRIPTOR_STORAGE_TEXEL));
  InstrumentOptions with_images = buffered_options();
  with_images.sync.images = true;
  EXPECT_TRUE(
      has_kind(rewritten_sync_shader("images.comp.vulkan1.1", with_images), SQA_DESCRIPTOR_STORAGE_IMAGE));
}

// The layout's word counts where it is one kind.
TEST(BufferedDescriptors, OfOtherBindingsAreOfTheKindOfTheLayout) {
  InstrumentOptions options = buffered_options();
  for (DescriptorSlots& slots : options.sync.descriptors)
    slots.dynamic = SQA_DESCRIPTOR_COMBINED_IMAGE | kStride << SQA_DESCRIPTOR_STRIDE_SHIFT;
  const std::string text = rewritten_sync_shader("neighbours.comp.vulkan1.1", options);
  EXPECT_TRUE(has_kind(text, SQA_DESCRIPTOR_COMBINED_IMAGE));
  EXPECT_FALSE(has_kind(text, SQA_DESCRIPTOR_STORAGE));
}

TEST(BufferedDescriptors, AreValidInEveryShader) {
  for (const std::string& shader : sync_shader_names())
    for (const bool images : {false, true})
      for (const bool footprints : {false, true}) {
        InstrumentOptions options = buffered_options();
        options.sync.images = images;
        options.sync.footprints = footprints;
        rewritten_sync_shader(shader, options);
      }
}

}  // namespace
}  // namespace shaderqa::test
