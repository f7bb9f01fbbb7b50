// SPDX-License-Identifier: Apache-2.0
// Which stores the pass recognises as stores to an invocation's own texel, and which reads of images the
// second version of a shader leaves out.
#include <gtest/gtest.h>

#include "own_stores.h"
#include "support.h"

namespace shaderqa::test {
namespace {

struct Shader {
  std::string size = "8 8 1";
  std::string second = "1";  // binding of %other, an image as %image
};

Module shader(const std::string& body, const Shader& shader = {}) {
  return assemble(fixture("own_texels", {{"SIZE", shader.size}, {"SECOND", shader.second}, {"BODY", body}}),
                  SPV_ENV_UNIVERSAL_1_6);
}

InstrumentResult rewritten(const Module& words, SyncCalls calls = SyncCalls::automatic) {
  InstrumentOptions options = sync_options();
  options.sync.calls = calls;
  options.int64_atomics = true;
  options.sync.engine = SyncEngine::exact;
  options.sync.images = true;
  const auto result = instrument(words, options);
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_6), "") << disassemble(result.words);
  return result;
}

size_t own_stores(const std::string& body, const Shader& of = {}) {
  return test::own_stores(rewritten(shader(body, of)).words);
}

std::string store(const std::string& place, const std::string& image = "image") {
  return "%s_" + image + " = OpLoad %image_type %" + image + "\nOpImageWrite %s_" + image + " " + place +
         " %value\n";
}
std::string load(const std::string& place, const std::string& image = "image") {
  return "%l_" + image + " = OpLoad %image_type %" + image + "\n%r_" + image + " = OpImageRead %uint4 %l_" +
         image + " " + place + "\n";
}
const std::string xy = "%xy = OpVectorShuffle %uint2 %id %id 0 1\n";
const std::string moved = xy + "%moved = OpIAdd %uint2 %xy %ones\n";

TEST(OwnTexels, AreThoseAtTheInvocationsPlace) {
  EXPECT_EQ(own_stores(xy + store("%xy")), 1u);
  EXPECT_EQ(own_stores(xy + "%i = OpBitcast %int2 %xy\n" + store("%i")), 1u);
  EXPECT_EQ(own_stores("%c = OpCompositeConstruct %uint2 %x %y\n" + store("%c")), 1u);
  EXPECT_EQ(own_stores(moved + store("%moved")), 1u);
  EXPECT_EQ(own_stores(xy + load("%xy") + store("%xy")), 1u) << "it reads its own";
}

TEST(OwnTexels, NeedAPlaceThatTellsInvocationsApart) {
  EXPECT_EQ(own_stores("%c = OpCompositeConstruct %uint2 %x %x\n" + store("%c")), 0u);
  EXPECT_EQ(own_stores("%c = OpCompositeConstruct %uint2 %y %x\n" + store("%c")), 0u);
  EXPECT_EQ(own_stores("%h = OpShiftRightLogical %uint %x %one\n%c = OpCompositeConstruct %uint2 %h %y\n" +
                       store("%c")),
            0u);
  EXPECT_EQ(own_stores(xy + "%m = OpIMul %uint2 %xy %xy\n" + store("%m")), 0u);
}

TEST(OwnTexels, AreNoOtherInvocations) {
  EXPECT_EQ(own_stores(moved + store("%xy") + load("%moved")), 0u);
  EXPECT_EQ(own_stores(moved + store("%xy") + load("%moved", "other"), {.second = "0"}), 0u)
      << "it is the same binding";
  EXPECT_EQ(own_stores(moved + store("%xy") + load("%moved", "other")), 1u);
}

TEST(OwnTexels, NeedWorkgroupsOfOneLayer) { EXPECT_EQ(own_stores(xy + store("%xy"), {.size = "8 4 2"}), 0u); }

// The version without checks of reads has those of stores.
TEST(SparseReads, AreLeftOutOfTheSecondVersion) {
  const std::string text =
      disassemble(rewritten(shader(moved + store("%xy") + load("%moved", "other"))).words);
  EXPECT_NE(text.find("%main_unwatched = OpFunction "), std::string::npos);
  EXPECT_NE(text.find("OpFunctionCall %bool %sqa_group_leaves_out"), std::string::npos);
  const size_t begin = text.find("%main_unwatched = OpFunction ");
  const std::string second = text.substr(begin, text.find("OpFunctionEnd", begin) - begin);
  EXPECT_EQ(count(second, "%sqa_access_image "), 1u);
  EXPECT_EQ(count(text, "OpFunctionCall %void %sqa_access_image "), 3u);
}

// A driver that inlines everything would compile the checks of stores twice.
TEST(SparseReads, HaveNoSecondVersionWhereAllIsInlined) {
  const Module words = shader(moved + store("%xy") + load("%moved", "other"));
  const std::string text = disassemble(rewritten(words, SyncCalls::queued).words);
  EXPECT_EQ(text.find("%main_unwatched = OpFunction "), std::string::npos);
  EXPECT_EQ(count(text, "OpFunctionCall %v2uint %sqa_noted_texel "), 2u);
  EXPECT_EQ(count(text, "OpFunctionCall %bool %sqa_group_leaves_out "), 1u) << "whether the read is noted";
  EXPECT_EQ(count(text, "OpFunctionCall %uint %sqa_check_access_noted "), 1u);
}

TEST(SparseReads, OfWhatTheShaderWritesAreNone) {
  const std::string text = disassemble(rewritten(shader(moved + store("%xy") + load("%moved"))).words);
  EXPECT_EQ(text.find("%main_unwatched = OpFunction "), std::string::npos);
}

}  // namespace
}  // namespace shaderqa::test
