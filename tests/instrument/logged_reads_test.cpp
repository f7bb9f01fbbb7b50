// SPDX-License-Identifier: Apache-2.0
// Which reads the stages of draws log instead of checking them
// (docs/internals/exact.md#reads-of-draws).
#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <string_view>

#include "instrument/passes/check_copies.h"
#include "instrument/runtime/abi_descriptors.h"
#include "instrument/runtime/range_access.h"
#include "rewritten.h"
#include "support.h"

namespace shaderqa::test {
namespace {

InstrumentOptions options_for_images() {
  InstrumentOptions options = sync_options();
  options.int64_atomics = true;
  options.sync.engine = SyncEngine::exact;
  options.sync.images = true;
  return options;
}

struct Reads {
  size_t logged = 0, checked = 0;
  bool operator==(const Reads&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Reads& reads) {
  return out << reads.logged << " logged, " << reads.checked << " checked";
}

Reads reads_of(const std::string& text) {
  Reads reads;
  for (const char* function : {"sqa_log_texel", "sqa_log_sample", "sqa_log_input"})
    reads.logged += count(text, "OpFunctionCall %void %" + std::string(function) + " ");
  for (const char* function : {"sqa_access_image", "sqa_access_sampled", "sqa_access_input"})
    reads.checked += count(text, "OpFunctionCall %void %" + std::string(function) + " ");
  return reads;
}

// A fragment shader with two images: `body` has the texel %at.
std::string text_of(const std::string& body, const std::string& capability = "Shader",
                    const InstrumentOptions& options = options_for_images()) {
  const Module words = assemble("OpCapability Shader\nOpCapability " + capability + R"(
OpCapability StorageImageExtendedFormats
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %place
OpExecutionMode %main OriginUpperLeft
OpDecorate %place BuiltIn FragCoord
OpDecorate %one DescriptorSet 0
OpDecorate %one Binding 0
OpDecorate %other DescriptorSet 0
OpDecorate %other Binding 1
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 2
OpDecorate %block BufferBlock
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%code = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%f4 = OpTypeVector %float 4
%u4 = OpTypeVector %uint 4
%u2 = OpTypeVector %uint 2
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c8 = OpConstant %uint 8
%bool = OpTypeBool
%device = OpConstant %uint 1
%both = OpConstant %uint 2120
%input = OpTypePointer Input %f4
%place = OpVariable %input Input
%image = OpTypeImage %uint 2D 0 0 0 2 R32ui
%to_image = OpTypePointer UniformConstant %image
%texel = OpTypePointer Image %uint
%one = OpVariable %to_image UniformConstant
%other = OpVariable %to_image UniformConstant
%block = OpTypeStruct %uint
%to_block = OpTypePointer Uniform %block
%word = OpTypePointer Uniform %uint
%buffer = OpVariable %to_block Uniform
%at = OpConstantComposite %u2 %c1 %c1
%value = OpConstantComposite %u4 %c1 %c1 %c1 %c1
%main = OpFunction %void None %code
%entry = OpLabel
%i_one = OpLoad %image %one
%i_other = OpLoad %image %other
)" + body + "OpReturn\nOpFunctionEnd\n",
                                SPV_ENV_VULKAN_1_1);
  const InstrumentResult result = instrument(words, options);
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  const std::string text = disassemble(result.words);
  EXPECT_EQ(validation_error(result.words, SPV_ENV_VULKAN_1_1), "") << text;
  EXPECT_EQ(result.record.logs_reads, count(text, "OpFunctionCall %void %sqa_log_") != 0);
  return text;
}

TEST(LoggedReads, OfFragmentShadersAre) {
  const std::string text = rewritten_sync_shader("samples.frag.vulkan1.1", options_for_images());
  EXPECT_EQ(reads_of(text), (Reads{20, 0}));
  EXPECT_EQ(count(text, "%sqa_access_sampled = OpFunction "), 0u);
  EXPECT_EQ(count(text, "OpFunctionCall %bool %sqa_tile_logs_nothing "), 2u) << "two sets";
  EXPECT_EQ(reads_of(text.substr(text.find("%main_unwatched = OpFunction "))), Reads()) << "it logs nothing";
}

const std::string kReadOne = "%a = OpImageRead %u4 %i_one %at\n";
const std::string kReadOther = "%b = OpImageRead %u4 %i_other %at\n";
const std::string kStoreOther = "OpImageWrite %i_other %at %value\n";

TEST(LoggedReads, WhatTheShaderItselfWritesIsCheckedWhereItIs) {
  EXPECT_EQ(reads_of(text_of(kReadOne + kReadOther)), (Reads{2, 0}));
  EXPECT_EQ(reads_of(text_of(kReadOne + kReadOther + kStoreOther)), (Reads{1, 4})) << "in both versions";
}

// The acquire orders the reads behind it, of which the log says nothing.
TEST(LoggedReads, ShadersThatOrderByAtomicsCheckThem) {
  const std::string atomic =
      "%t = OpImageTexelPointer %texel %other %at %c0\n"
      "%old = OpAtomicIAdd %uint %t %device %c0 %c1\nOpMemoryBarrier %device %both\n"
      "%used = OpCompositeConstruct %u4 %old %old %old %old\nOpImageWrite %i_other %at %used\n";
  EXPECT_EQ(reads_of(text_of(atomic + kReadOne)).logged, 0u);
}

// A second version would take some fragments out of a subgroup. So there is one, in which a flag says whether
// the tile logs.
TEST(LoggedReads, SubgroupsMustNotSeeWhoLogs) {
  const std::string text = text_of(kReadOne, "GroupNonUniform");
  EXPECT_EQ(reads_of(text), (Reads{1, 0}));
  EXPECT_EQ(count(text, "%main_unwatched = OpFunction "), 0u);
  EXPECT_EQ(count(text, "OpFunctionCall %bool %sqa_tile_logs_nothing "), 1u);
  EXPECT_EQ(count(text, "OpLogicalAnd %bool "), 1u + count(text_of(kReadOne), "OpLogicalAnd %bool "));
}

TEST(LoggedReads, NotWithoutASecondVersionOrWithFootprints) {
  InstrumentOptions one_version = options_for_images(), footprints = options_for_images();
  one_version.sync.unwatched_version = false;
  footprints.sync.footprints = true;
  EXPECT_EQ(reads_of(text_of(kReadOne, "Shader", one_version)), (Reads{0, 1}));
  EXPECT_EQ(reads_of(text_of(kReadOne, "Shader", footprints)), (Reads{0, 1}));
}

std::string code_of(const std::string& text, const std::string& function) {
  const size_t begin = text.find(function + " = OpFunction ");
  return text.substr(begin, text.find("OpFunctionEnd", begin) - begin);
}

// The driver that inlines every call gets one version, in which a flag says whether the tile logs.
TEST(LoggedReads, BesideTheQueue) {
  InstrumentOptions options = options_for_images();
  options.sync.calls = SyncCalls::queued;
  const std::string text = text_of(kReadOne + kReadOther, "Shader", options);
  EXPECT_EQ(reads_of(text), (Reads{2, 0}));
  EXPECT_EQ(count(text, "%main_unwatched = OpFunction "), 0u);
  EXPECT_EQ(count(text, "OpFunctionCall %bool %sqa_tile_logs_nothing "), 1u);
}

std::string repeated(const std::string& read, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "%r" + std::to_string(i) + read.substr(read.find(" ="));
  return text;
}

// So many iterations of `body`, with names of their own.
std::string looped(const std::string& name, const std::string& body) {
  std::string text = R"(OpBranch %before
%before = OpLabel
OpBranch %header
%header = OpLabel
%i = OpPhi %uint %c0 %before %more %next
OpLoopMerge %merge %next None
OpBranch %body
%body = OpLabel
)" + body + R"(%inside = OpULessThan %bool %i %c8
OpBranchConditional %inside %next %merge
%next = OpLabel
%more = OpIAdd %uint %i %c1
OpBranch %header
%merge = OpLabel
)";
  for (const char* id : {"before", "header", "i", "more", "next", "merge", "inside", "body", "r"})
    for (size_t at = 0; (at = text.find('%' + std::string(id), at)) != std::string::npos; ++at) {
      const char behind = text[at + 1 + std::string_view(id).size()];
      if (std::isalpha(behind) == 0 && behind != '_') text.insert(at + 1, name);
    }
  return text;
}

constexpr const char* kPlace = "OpFunctionCall %void %sqa_check_noted ";

InstrumentOptions queued_options() {
  InstrumentOptions options = options_for_images();
  options.sync.calls = SyncCalls::queued;
  return options;
}

// The code that logs a read stands once.
TEST(LoggedReads, ManyAreNotedInTheQueue) {
  const std::string text = text_of(repeated(kReadOne, 8), "Shader", queued_options());
  EXPECT_EQ(reads_of(text), Reads());
  EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_log_access_noted "), 1u);
  EXPECT_EQ(count(text, kPlace), 1u);
  EXPECT_EQ(count(text, "%sqa_check_access_noted = OpFunction "), 0u) << "it checks nothing";
  EXPECT_EQ(count(text, "%sqa_report_findings = OpFunction "), 0u) << "so it finds nothing";
  EXPECT_EQ(count(text, "OpFunctionCall %bool %sqa_tile_logs_nothing "), 1u) << "other tiles note nothing";
}

TEST(LoggedReads, BesideChecksInTheQueue) {
  const std::string text =
      text_of(repeated(kReadOne, 8) + kReadOther + kStoreOther, "Shader", queued_options());
  EXPECT_EQ(reads_of(text), Reads());
  EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_log_access_noted "), 1u);
  EXPECT_EQ(count(text, "OpFunctionCall %uint %sqa_check_access_noted "), 1u);
}

// A check of an image is long, inlined or called, and a log is a part of it.
TEST(LoggedReads, ManyAreNotedWithoutBeingAskedFor) {
  const auto noted = [](int logs, int checks, SyncCalls calls) {
    InstrumentOptions options = options_for_images();
    options.sync.calls = calls;
    std::string body = repeated(kReadOne, logs);
    for (int i = 0; i < checks; ++i) body += kStoreOther;
    return text_of(body, "Shader", options).find("%sqa_check_noted = OpFunction") != std::string::npos;
  };
  constexpr int most = image_checks_in_line, most_logs = most * logs_of_image_check;
  EXPECT_FALSE(noted(0, most, SyncCalls::automatic));
  EXPECT_TRUE(noted(0, most + 1, SyncCalls::automatic));
  EXPECT_FALSE(noted(most_logs, 0, SyncCalls::automatic));
  EXPECT_TRUE(noted(most_logs + 1, 0, SyncCalls::automatic));
  EXPECT_TRUE(noted(1, most, SyncCalls::automatic));
  EXPECT_FALSE(noted(most_logs, most, SyncCalls::never));
  EXPECT_FALSE(noted(most_logs, 0, SyncCalls::always));
}

constexpr const char* kReadBuffer =
    "%pointer = OpAccessChain %word %buffer %c0\n%loaded = OpLoad %uint %pointer\n";

// Most invocations note what others have, so reads of buffers are looked up together. Positions in images
// differ from fragment to fragment.
TEST(LoggedReads, OfBuffersAreLookedUpTogether) {
  constexpr int images = image_checks_in_line * static_cast<int>(logs_of_image_check) + 1;
  InstrumentOptions options = options_for_images();
  const std::string text = text_of(repeated(kReadOne, images) + kReadBuffer, "Shader", options);
  EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_add_noted_read "), 1u);
  const std::string place = code_of(text, "%sqa_check_noted");
  EXPECT_EQ(count(place, "OpFunctionCall %uint %sqa_unlogged_reads "), 1u);
  EXPECT_EQ(count(place, "OpFunctionCall %void %sqa_end_reads "), 1u);
  // The first 37 slots are those of images, and stay: all bits of one mask, and 5 of the other.
  static_assert(images == 37);
  EXPECT_EQ(count(place, " %uint_4294967295\n"), 1u);
  EXPECT_EQ(count(place, " %uint_31\n"), 1u);
  EXPECT_EQ(count(text_of(repeated(kReadOne, images)), "%sqa_unlogged_reads"), 0u) << "it reads no buffer";
  // A tenth of what such drivers compile.
  options.sync.calls = SyncCalls::queued;
  EXPECT_EQ(
      count(text_of(repeated(kReadOne, images) + kReadBuffer, "Shader", options), "%sqa_unlogged_reads"), 0u);
}

// Calls beside inlined code are slowest of all.
TEST(LoggedReads, AreCalledWhereChecksAre) {
  InstrumentOptions options = options_for_images();
  options.sync.calls = SyncCalls::always;
  EXPECT_NE(text_of(kReadOne, "Shader", options).find("%sqa_log_texel = OpFunction %void DontInline "),
            std::string::npos);
  const std::string samples = rewritten_sync_shader("samples.frag.vulkan1.1", options);
  EXPECT_NE(samples.find("%sqa_log_sample = OpFunction %void DontInline "), std::string::npos);
}

// What is logged needs no room in the queue: without a slot, it is logged where it is.
TEST(LoggedReads, InLoopsAreNotedWhereAPlaceIsWorthIt) {
  const auto in_loop = [](int count) {
    return text_of(repeated(kReadOther, 8) + looped("l", repeated(kReadOne, count)), "Shader",
                   queued_options());
  };
  const std::string few = in_loop(1), many = in_loop(4);
  EXPECT_EQ(reads_of(few), (Reads{1, 0}));
  EXPECT_EQ(count(few, kPlace), 1u);
  EXPECT_EQ(reads_of(many), Reads());
  EXPECT_EQ(count(many, kPlace), 2u);
  for (const std::string& text : {few, many}) EXPECT_EQ(count(text, "%sqa_end_queue = OpFunction "), 0u);
}

// There, a place has the code of checks as well.
TEST(LoggedReads, InLoopsBesideChecksNeedMoreForAPlace) {
  const auto in_loop = [](int count) {
    return text_of(kReadOther + kStoreOther + looped("l", repeated(kReadOne, count)), "Shader",
                   queued_options());
  };
  const std::string few = in_loop(5), many = in_loop(6);
  EXPECT_EQ(reads_of(few), (Reads{5, 0}));
  EXPECT_EQ(count(few, kPlace), 1u);
  EXPECT_EQ(reads_of(many), Reads());
  EXPECT_EQ(count(many, kPlace), 2u);
}

TEST(LoggedReads, OfManyLoopsThoseWithMostReadsHaveAPlace) {
  std::string body;
  constexpr int loops = 20;
  for (int i = 0; i < loops; ++i)
    body += looped("l" + std::string(1, static_cast<char>('a' + i)), repeated(kReadOne, i < 2 ? 3 : 4));
  const std::string text = text_of(body, "Shader", queued_options());
  EXPECT_EQ(count(text, kPlace), 16u) << "one is at the end";
  EXPECT_EQ(reads_of(text), (Reads{2 * 3 + 3 * 4, 0}));
}

// Whether fragments get running numbers, or are named by their places.
TEST(LoggedReads, FragmentsThatOnlyReadNeedNoNumber) {
  const auto named = [](const std::string& body) {
    const std::string text = text_of(body), call = "%sqa_begin_sync %uint_4 ";
    const size_t at = text.find(call);
    const std::string line = text.substr(at, text.find('\n', at) - at);
    EXPECT_NE(line.find(" %false "), std::string::npos) << line;
    return line.find(" %false %true ") != std::string::npos;
  };
  EXPECT_TRUE(named(kReadOne));
  EXPECT_FALSE(named(kReadOne + kStoreOther));
}

TEST(LoggedReads, TheLayersOwnShaderIsValid) {
  for (const bool buffered : {false, true}) {
    const auto words = logged_reads_shader(buffered);
    EXPECT_EQ(validation_error({words.begin(), words.end()}, SPV_ENV_VULKAN_1_1), "");
  }
}

// Loads of buffers.
size_t logged_loads(const std::string& text) {
  return count(text, "OpFunctionCall %void %sqa_log_set ") +
         count(text, "OpFunctionCall %void %sqa_log_address ");
}

// With the arguments of indirect draws.
TEST(LoggedReads, StagesOfDrawsLogLoads) {
  InstrumentOptions options = options_for_images();
  const std::string plain = rewritten_sync_shader("plain.vert.vulkan1.1", options);
  EXPECT_GT(count(plain, "OpFunctionCall %void %sqa_log_set "), 0u);
  EXPECT_EQ(count(plain, "OpFunctionCall %void %sqa_log_indirect "), 1u);
  EXPECT_EQ(count(plain, "%sqa_access_set = OpFunction "), 0u);
  EXPECT_EQ(count(plain, "%sqa_access_cells = OpFunction "), 0u) << "no code of a check is left";
  for (const char* shader : {"reads.tesc.vulkan1.1", "reads.mesh.vulkan1.2"})
    EXPECT_EQ(logged_loads(rewritten_sync_shader(shader, options)), 1u) << shader;
  for (const char* shader : {"patches.tesc.vulkan1.1", "workgroup.mesh.vulkan1.2", "interlock.frag.vulkan1.1",
                             "neighbours.comp.vulkan1.1"})
    EXPECT_EQ(logged_loads(rewritten_sync_shader(shader, options)), 0u) << shader;
  EXPECT_EQ(count(rewritten_sync_shader("helpers.frag.vulkan1.1", options), "%sqa_log_"), 0u)
      << "it only stores";
  options.sync.log_reads = false;
  const std::string checked = rewritten_sync_shader("plain.vert.vulkan1.1", options);
  EXPECT_EQ(count(checked, "%sqa_log_"), 0u);
  EXPECT_GT(count(checked, "OpFunctionCall %void %sqa_access_set "), 0u);
}

// What it stores to, it reads in an order that the log does not know.
TEST(LoggedReads, OfShadersThatStoreAreThoseOfOtherDescriptors) {
  InstrumentOptions options = options_for_images();
  options.sync.loops = false;
  const std::string text = rewritten_sync_shader("forward.frag.vulkan1.1", options);
  const std::string first = code_of(text, "%main_watched"), second = code_of(text, "%main_unwatched");
  EXPECT_EQ(logged_loads(first), 2u);
  EXPECT_EQ(reads_of(first), (Reads{2, 0}));
  for (const std::string& version : {first, second}) EXPECT_EQ(count(version, "%sqa_access_set "), 3u);
  EXPECT_EQ(count(second, "%sqa_log_"), 0u) << "its tile logs nothing";
}

TEST(LoggedReads, ThroughDescriptorBuffersAndHeaps) {
  InstrumentOptions buffers = options_for_images(), heaps = options_for_images(), indirect;
  for (DescriptorSlots& slots : buffers.sync.descriptors) {
    slots.slot = SQA_IN_BUFFER | slots.binding * 256;
    slots.dynamic = SQA_DESCRIPTOR_MUTABLE | 16u << SQA_DESCRIPTOR_STRIDE_SHIFT;
  }
  move_to_heap(heaps);
  indirect = heaps;
  for (DescriptorSlots& slots : indirect.sync.descriptors) slots.slot |= SQA_INDIRECT;
  const char* const vertex = "plain.vert.vulkan1.1";
  const std::string reads = rewritten_sync_shader(vertex, buffers);
  EXPECT_GT(logged_loads(reads), 0u);
  EXPECT_EQ(count(reads, "%sqa_find_descriptor = OpFunction "), 0u) << "it looks nothing up";
  EXPECT_GT(logged_loads(rewritten_sync_shader(vertex, heaps)), 0u);
  EXPECT_EQ(logged_loads(rewritten_sync_shader(vertex, indirect)), 0u) << "what is there may be another one";
  const std::string samples = rewritten_sync_shader("samples.frag.vulkan1.1", buffers);
  EXPECT_EQ(reads_of(samples), (Reads{20, 0}));
  EXPECT_EQ(count(samples, "OpFunctionCall %bool %sqa_tile_logs_nothing "), 2u);
  // Descriptors that are written have no bits here, so any may be.
  EXPECT_EQ(logged_loads(rewritten_sync_shader("forward.frag.vulkan1.1", buffers)), 0u);
}

TEST(LoggedReads, ComputeShadersCheckThem) {
  const std::string text = rewritten_sync_shader("images.comp.vulkan1.1", options_for_images());
  EXPECT_EQ(reads_of(text).logged, 0u);
  EXPECT_GT(reads_of(text).checked, 0u);
}

}  // namespace
}  // namespace shaderqa::test
