// SPDX-License-Identifier: Apache-2.0
// Debug instructions that refer to id 0 are left out, with what refers to them.
#include <gtest/gtest.h>

#include <algorithm>

#include "instrument/ir/broken_debug_info.h"
#include "support.h"

namespace shaderqa::test {
namespace {

constexpr uint32_t op_nop = 0, op_string = 7, op_ext_inst = 12, op_load = 61, op_store = 62;

template <typename Visitor>  // void(size_t offset)
void for_each_offset(const Module& words, const Visitor& visit) {
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) visit(at);
}

// With id 0 wherever the fixture says %broken.
Module broken_module() {
  Module words = assemble(fixture("broken_debug_info"));
  uint32_t placeholder = 0;
  for_each_offset(words, [&](size_t at) {
    if ((words[at] & 0xffff) == op_string && words[at + 2] == 0x6b6f7262) placeholder = words[at + 1];
  });
  uint32_t replaced = 0;
  for_each_offset(words, [&](size_t at) {
    if ((words[at] & 0xffff) != op_ext_inst) return;
    for (size_t n = 5; n < words[at] >> 16; ++n)
      if (words[at + n] == placeholder) {
        words[at + n] = 0;
        ++replaced;
      }
  });
  EXPECT_EQ(replaced, 3u);
  return words;
}

TEST(BrokenDebugInfo, IsDroppedWithWhatRefersToIt) {
  const Module words = broken_module();
  const Module repaired = without_broken_debug_info(words);
  ASSERT_EQ(repaired.size(), words.size());
  uint32_t nops = 0;
  for_each_offset(repaired, [&](size_t at) { nops += (repaired[at] & 0xffff) == op_nop ? 1 : 0; });
  const std::string before = disassemble(assemble(fixture("broken_debug_info")));
  const std::string after = disassemble(repaired);
  const auto gone = [&](const std::string& part) { return count(before, part) - count(after, part); };
  EXPECT_EQ(gone(" DebugTypeMember "), 2u);
  EXPECT_EQ(gone(" DebugTypeComposite "), 2u);
  EXPECT_EQ(gone(" DebugLocalVariable "), 1u);
  EXPECT_EQ(gone(" DebugDeclare "), 1u);
  EXPECT_EQ(gone(" DebugGlobalVariable "), 1u);
  EXPECT_EQ(gone("OpExtInst"), 7u);
  EXPECT_GT(nops, 7u);
  EXPECT_EQ(count(after, " DebugFunction "), 1u);
  EXPECT_EQ(count(after, " DebugLine "), 1u);
}

// spirv-opt ends a scope behind the block, in sets that SPIRV-Tools of this age does not know, too.
TEST(BrokenDebugInfo, BetweenBlocksIsDropped) {
  std::string text = disassemble(load_shader("control_flow.comp.gVS.vulkan1.2"));
  const size_t end = text.find("OpFunctionEnd");
  const std::string set = id_of(text, "OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"");
  text.insert(end, "%behind = OpExtInst %void " + set + " DebugNoScope\n");
  const Module words = with_newer_debug_set(assemble(text, SPV_ENV_VULKAN_1_2));
  const InstrumentResult result = instrument(words, default_options());
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_VULKAN_1_2), "");
}

TEST(BrokenDebugInfo, SoundModulesAreLeftAlone) {
  EXPECT_TRUE(without_broken_debug_info(assemble(fixture("broken_debug_info"))).empty());
  for (const std::string& name : sync_shader_names())
    EXPECT_TRUE(without_broken_debug_info(load_sync_shader(name)).empty()) << name;
}

TEST(BrokenDebugInfo, TheShaderIsChecked) {
  const Module words = broken_module();
  for (const SyncEngine engine : {SyncEngine::bloom, SyncEngine::exact}) {
    InstrumentOptions options = sync_options();
    options.sync.engine = engine;
    const auto result = instrument(words, options);
    ASSERT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
    EXPECT_EQ(validation_error(result.words, SPV_ENV_VULKAN_1_2), "");
    EXPECT_EQ(result.record.printf_sites.size(), 1u);
    ASSERT_EQ(result.record.check_sites.size(), 3u);
    // Places are those of the application's words.
    for (const CheckSite& site : result.record.check_sites) {
      const uint32_t op = words.at(site.instruction) & 0xffff;
      EXPECT_EQ(op, site.text.find("OpStore") == 0 ? op_store : op_load) << site.text;
    }
  }
}

// Anything else that is broken is refused as before.
TEST(BrokenDebugInfo, OtherInstructionsWithIdZeroAreRefused) {
  Module words = assemble(compute_shader("", "%e = OpExtInst %void %printf 1 %format %x"));
  for_each_offset(words, [&](size_t at) {
    if ((words[at] & 0xffff) == op_load) words[at + 3] = 0;
  });
  EXPECT_EQ(instrument(words, default_options()).status, InstrumentStatus::refused);
}

}  // namespace
}  // namespace shaderqa::test
