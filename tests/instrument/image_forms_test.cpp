// SPDX-License-Identifier: Apache-2.0
// Where the code of checks stands in shaders that check images: it is never called.
#include <gtest/gtest.h>

#include <string>

#include "support.h"

namespace shaderqa::test {
namespace {

// A compute shader that stores to an image, and so many times to workgroup memory and to a buffer.
InstrumentResult rewritten(SyncCalls calls, int shared_stores, int buffer_stores) {
  std::string body = "%i_one = OpLoad %image %one\nOpImageWrite %i_one %at %value\n";
  const auto stores = [&](const std::string& name, const std::string& variable, int number) {
    for (int n = 0; n < number; ++n) {
      const std::string id = "%" + name + std::to_string(n);
      const std::string before = n == 0 ? "%x" : "%" + name + std::to_string(n - 1);
      body += id + " = OpIMul %uint " + before + " %c3\n" + id + "_p = OpAccessChain " + variable + " " + id +
              "\nOpStore " + id + "_p %c3\nOpControlBarrier %c2 %c2 %c0\n";
    }
  };
  stores("s", "%to_shared_word %shared", shared_stores);
  stores("b", "%to_word %buffer %c0", buffer_stores);
  const std::string globals = R"(
%c0 = OpConstant %uint 0
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c64 = OpConstant %uint 64
%u2 = OpTypeVector %uint 2
%u4 = OpTypeVector %uint 4
%at = OpConstantComposite %u2 %c2 %c2
%value = OpConstantComposite %u4 %c2 %c2 %c2 %c2
%image = OpTypeImage %uint 2D 0 0 0 2 R32ui
%to_image = OpTypePointer UniformConstant %image
%one = OpVariable %to_image UniformConstant
%array = OpTypeArray %uint %c64
%to_array = OpTypePointer Workgroup %array
%to_shared_word = OpTypePointer Workgroup %uint
%shared = OpVariable %to_array Workgroup
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%to_block = OpTypePointer Uniform %block
%to_word = OpTypePointer Uniform %uint
%buffer = OpVariable %to_block Uniform
)";
  const std::string decorations = R"(OpDecorate %one DescriptorSet 0
OpDecorate %one Binding 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 2
OpDecorate %block BufferBlock
OpMemberDecorate %block 0 Offset 0
OpDecorate %words ArrayStride 4)";
  const Module words =
      assemble(compute_shader(globals, body, "OpCapability Shader", decorations), SPV_ENV_VULKAN_1_1);
  EXPECT_EQ(validation_error(words, SPV_ENV_VULKAN_1_1), "");
  InstrumentOptions options = sync_options();
  options.int64_atomics = true;
  options.sync.engine = SyncEngine::exact;
  options.sync.images = true;
  options.sync.calls = calls;
  options.workgroup.races = true;
  options.workgroup.large = false;
  options.workgroup.limit = 32768;
  options.workgroup.values_known = true;
  InstrumentResult result = instrument(words, options);
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_VULKAN_1_1), "");
  return result;
}

TEST(ImageForms, NothingIsCalledBesideAnImage) {
  for (const SyncCalls calls : {SyncCalls::automatic, SyncCalls::always})
    for (const int shared : {0, 2, 40, 100})
      for (const int buffers : {0, 1, 20}) {
        SCOPED_TRACE(testing::Message() << shared << " to workgroup memory, " << buffers << " to the buffer");
        const InstrumentResult result = rewritten(calls, shared, buffers);
        const std::string text = disassemble(result.words);
        EXPECT_EQ(count(text, " DontInline "), 0u);
        EXPECT_EQ(text.find("%sqa_shared_cells = ") != std::string::npos, shared != 0);
        EXPECT_TRUE(result.record.notes.empty());
      }
}

TEST(ImageForms, TooManyChecksOfWorkgroupMemoryAreLeftOut) {
  const InstrumentResult result = rewritten(SyncCalls::automatic, 200, 0);
  EXPECT_EQ(disassemble(result.words).find("%sqa_shared_cells = "), std::string::npos);
  ASSERT_EQ(result.record.notes.size(), 1u);
  EXPECT_TRUE(result.record.notes[0].text.starts_with("Accesses to workgroup memory are not checked"));
}

}  // namespace
}  // namespace shaderqa::test
