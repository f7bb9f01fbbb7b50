// SPDX-License-Identifier: Apache-2.0
#include "host/findings/hazard_text.h"

#include <gtest/gtest.h>

#include "host/findings/hazard_cure.h"

#include "instrument/runtime/abi_report.h"
#include "tests/host/check_builder.h"

namespace shaderqa::test {
namespace {

CheckDetails details_of(Access access, HazardClass hazard_class, EarlierAccess earlier) {
  CheckDetails details;
  details.check = Check::hazard;
  Hazard& hazard = details.hazard.emplace();
  hazard.access = access;
  hazard.hazard_class = hazard_class;
  hazard.earlier = earlier;
  hazard.address = 0x1040;
  hazard.size = 4;
  return details;
}

const auto kReadAfterWrite =
    details_of(Access::load, HazardClass::read_after_write, EarlierAccess::store_or_atomic);

TEST(HazardText, Sentences) {
  CheckDetails details = kReadAfterWrite;
  EXPECT_EQ(hazard_sentence(details),
            "read after write: 4 bytes at address 0x1040 are loaded after another invocation wrote them, and "
            "nothing orders the two");
  details.hazard->buffer = BufferOrigin{"", 0x55aa, 0x40, 4096, false};
  EXPECT_EQ(memory_text(*details.hazard), "VkBuffer 0x55aa + 0x40");
  details.hazard->buffer->name = "particles";
  details.hazard->size = 1;
  EXPECT_EQ(hazard_sentence(details),
            "read after write: 1 byte at \"particles\" + 0x40 is loaded after another invocation wrote it, "
            "and nothing orders the two");
  details.hazard->size = 64;
  EXPECT_EQ(hazard_sentence(details),
            "read after write: memory at \"particles\" + 0x40 is loaded (part of 64 bytes) after another "
            "invocation wrote it, and nothing orders the two");
  EXPECT_EQ(hazard_sentence(details_of(Access::store, HazardClass::unknown, EarlierAccess::unknown)),
            "unsynchronised access: 4 bytes at address 0x1040 are stored to after another invocation "
            "accessed them, and nothing orders the two");
  EXPECT_EQ(hazard_sentence(details_of(Access::store, HazardClass::execution_only, EarlierAccess::store)),
            "ordered only by execution: 4 bytes at address 0x1040 are stored to after another invocation "
            "stored to them, and the barrier between the two orders no buffer memory");
}

TEST(HazardText, TexelBuffersAreImageMemory) {
  CheckDetails details = kReadAfterWrite;
  details.hazard->hazard_class = HazardClass::execution_only;
  details.instruction = "OpLoad %data";
  EXPECT_NE(hazard_hint(details).find("memoryBarrierBuffer()"), std::string::npos);
  details.instruction = "OpImageRead %texels";
  EXPECT_NE(hazard_hint(details).find("memoryBarrierImage()"), std::string::npos);
}

TEST(HazardText, ATexelIsNamedByItsPlaceInTheImage) {
  CheckDetails details = kReadAfterWrite;
  details.hazard->image = ImageOrigin{"depth", 0x55aa, "VK_FORMAT_D32_SFLOAT", 2, 1, 7, 5, 0, 0, false};
  EXPECT_EQ(hazard_sentence(details),
            "read after write: texel 7,5,0 of \"depth\", mip level 2, layer 1 is loaded after another "
            "invocation wrote it, and nothing orders the two");
  details.hazard->image->name.clear();
  details.hazard->image->sample = 3;
  EXPECT_EQ(texel_text(*details.hazard->image),
            "texel 7,5,0 of VkImage 0x55aa, mip level 2, layer 1, sample 3");
  details.hazard->image->plane = 1;
  EXPECT_EQ(texel_text(*details.hazard->image),
            "texel 7,5,0 of VkImage 0x55aa, plane 1, mip level 2, layer 1, sample 3");
  details.hazard->hazard_class = HazardClass::execution_only;
  EXPECT_NE(hazard_hint(details).find("memoryBarrierImage()"), std::string::npos);
  details.hazard->hazard_class = HazardClass::read_after_write;
  OtherAccess& other = details.hazard->other.emplace();
  other.access = Access::store;
  other.lacking = "a barrier is missing";
  const std::string cure = ::testing::PrintToString(hazard_cure(details));
  EXPECT_NE(cure.find("VkImageMemoryBarrier2"), std::string::npos);
}

// A hazard whose earlier access is one, or else whose later one is.
CheckDetails of_transition(bool earlier) {
  CheckDetails details =
      details_of(earlier ? Access::load : Access::store, HazardClass::read_after_write, EarlierAccess::store);
  ActionOrigin transition;
  transition.name = transition.command = "layout transition of vkCmdPipelineBarrier";
  details.hazard->image = ImageOrigin{"depth", 0x55aa, "VK_FORMAT_D32_SFLOAT", 0, 0, 0, 0, 0, 0, false};
  OtherAccess& other = details.hazard->other.emplace();
  other.access = Access::store;
  other.lacking = "the barrier has to name it";
  (earlier ? other.action : details.action) = transition;
  (earlier ? other.by_command : details.hazard->by_command) = true;
  return details;
}

TEST(HazardText, ALayoutTransitionIsNoCommandOfItsOwn) {
  const CheckDetails earlier = of_transition(true), later = of_transition(false);
  EXPECT_EQ(hazard_sentence(earlier),
            "read after write: texel 0,0,0 of \"depth\", mip level 0, layer 0 is loaded after the layout "
            "transition of vkCmdPipelineBarrier changed it, and nothing orders the two");
  EXPECT_NE(hazard_sentence(later).find("is changed by the layout transition of vkCmdPipelineBarrier after "),
            std::string::npos);
  for (const CheckDetails& details : {earlier, later}) {
    EXPECT_EQ(hazard_hint(details), "the barrier has to name it");
    EXPECT_TRUE(hazard_cure(details).empty()) << "no further barrier helps";
  }
}

TEST(HazardText, EarlierAccesses) {
  const std::pair<EarlierAccess, const char*> rows[] = {
      {EarlierAccess::load, "after another invocation loaded them,"},
      {EarlierAccess::store, "after another invocation stored to them,"},
      {EarlierAccess::atomic, "after another invocation changed them by an atomic,"},
      {EarlierAccess::store_or_atomic, "after another invocation wrote them,"},
      {EarlierAccess::load_or_store, "after another invocation loaded or stored them,"}};
  for (const auto& [earlier, words] : rows) {
    const std::string text =
        hazard_sentence(details_of(Access::atomic, HazardClass::atomic_against_plain, earlier));
    EXPECT_NE(text.find("are changed by an atomic " + std::string(words)), std::string::npos) << text;
  }
}

TEST(HazardText, ScopesOfTheFilter) {
  CheckDetails details = kReadAfterWrite;
  EXPECT_EQ(hazard_scope(details), "unknown: the command buffer is gone");
  details.action = action_of(12, "vkCmdDispatch", "(1, 1, 1)", ActionKind::dispatch);
  details.action->first_since_clear = 12;
  EXPECT_EQ(hazard_scope(details), "in this dispatch");
  details.action->kind = ActionKind::draw;
  details.action->first_since_clear = 11;
  EXPECT_EQ(hazard_scope(details), "in this draw, or in action 11 (no barrier in between)");
  details.action->kind = ActionKind::trace;
  details.action->first_since_clear = 9;
  EXPECT_EQ(hazard_scope(details), "in this trace, or in one of the actions 9 to 11 (no barrier in between)");
  for (const uint32_t first : {0u, 13u, 0xffffffffu}) {
    details.action->first_since_clear = first;
    EXPECT_NE(hazard_scope(details).find("earlier work"), std::string::npos);
  }
}

TEST(HazardText, ScopesOfTheExactEngine) {
  CheckDetails details = kReadAfterWrite;
  OtherAccess& other = details.hazard->other.emplace();
  other.access = Access::store;
  EXPECT_EQ(hazard_scope(details), "store, in an earlier action");
  other.same_action = true;
  other.stage = Stage::compute;
  other.owner = {Spread::invocation, 3, 7};
  other.places = {{"a.comp", 10, "", 0, 0, 0, ""}, {"", 0, "OpStore %out", 55, 1, 0, ""}};
  EXPECT_EQ(hazard_scope(details),
            "store at a.comp:10 or OpStore %out (word 55) by local invocation 7 of workgroup 3, in the same "
            "action");
  other.same_action = false;
  other.owner.spread = Spread::workgroup;
  other.places.pop_back();
  other.action = action_of(11, "vkCmdDispatch", "(4, 1, 1)", ActionKind::dispatch);
  EXPECT_EQ(hazard_scope(details),
            "store at a.comp:10 by several invocations of workgroup 3, in action 11: vkCmdDispatch(4, 1, 1)");
}

TEST(HazardText, Owners) {
  OtherAccess other;
  const auto text = [&](Spread spread, Stage stage) {
    other.owner.spread = spread;
    other.stage = stage;
    return owner_text(other);
  };
  EXPECT_EQ(text(Spread::invocation, Stage::mesh), "local invocation 0 of workgroup 0");
  EXPECT_EQ(text(Spread::workgroup, Stage::task), "several invocations of workgroup 0");
  EXPECT_EQ(text(Spread::several, Stage::compute), "several workgroups");
  EXPECT_EQ(text(Spread::invocation, Stage::fragment), "");
  EXPECT_EQ(text(Spread::workgroup, Stage::fragment), "several invocations");
  EXPECT_EQ(text(Spread::several, Stage::fragment), "several invocations");
  other.by_command = true;
  EXPECT_EQ(text(Spread::several, Stage::unknown), "");
}

TEST(HazardText, Hints) {
  CheckDetails details = kReadAfterWrite;
  details.hazard->stage = Stage::fragment;
  EXPECT_EQ(hazard_hint(details),
            "if the other access is of an earlier action, a barrier from the other shader's stage, "
            "SHADER_WRITE, to FRAGMENT_SHADER, SHADER_READ between the two is missing");
  details.action = action_of(3, "vkCmdDispatch", "(1, 1, 1)", ActionKind::dispatch);
  details.action->first_since_clear = 3;
  details.hazard->stage = Stage::compute;
  EXPECT_NE(hazard_hint(details).find("same dispatch"), std::string::npos);
  EXPECT_NE(hazard_hint(details).find("controlBarrier"), std::string::npos);
  details.hazard->access = Access::indirect;
  EXPECT_NE(hazard_hint(details).find("INDIRECT_COMMAND_READ"), std::string::npos);
  details = details_of(Access::store, HazardClass::write_after_read, EarlierAccess::load);
  EXPECT_NE(hazard_hint(details).find("execution dependency"), std::string::npos);
  details.hazard->hazard_class = HazardClass::execution_only;
  EXPECT_NE(hazard_hint(details).find("memoryBarrierBuffer()"), std::string::npos);
  details.hazard->hazard_class = HazardClass::unknown;
  EXPECT_EQ(hazard_hint(details), "");
}

TEST(HazardText, HintsOfTheExactEngine) {
  CheckDetails details = kReadAfterWrite;
  details.hazard->stage = Stage::compute;
  OtherAccess& other = details.hazard->other.emplace();
  EXPECT_EQ(hazard_hint(details),
            "a barrier from the other shader's stage, SHADER_WRITE, to COMPUTE_SHADER, SHADER_READ between "
            "the two is missing");
  other.lacking = "the barrier lacks something";
  EXPECT_EQ(hazard_hint(details), other.lacking);
  details.hazard->by_command = true;
  EXPECT_EQ(hazard_hint(details), other.lacking);
  // first_since_clear is only the filter's.
  other.lacking.clear();
  details.hazard->by_command = false;
  details.action = action_of(3, "vkCmdDispatch");
  details.action->first_since_clear = 3;
  EXPECT_NE(hazard_hint(details).find("between the two is missing"), std::string::npos);
  other.same_action = true;
  EXPECT_NE(hazard_hint(details).find("no barrier of the API"), std::string::npos);
}

}  // namespace
}  // namespace shaderqa::test
